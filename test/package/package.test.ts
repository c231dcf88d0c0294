import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { VERSION } from '../../src/version.js';
import { copyConsumer, emptyFolder, entries, install, installedIn, pathsOf, remove, run, sizeOf } from './installed.js';

const tsc = resolve('node_modules/typescript/bin/tsc');

const { library, sandbox } = inject('packed');
let alone: string;
let both: string;
let nodeTypes: string;

beforeAll(async () => {
  [alone, both, nodeTypes] = await Promise.all([emptyFolder(), emptyFolder(), emptyFolder()]);
  await install(alone, library.file);
  await install(both, library.file, sandbox.file);
});

afterAll(() => remove(alone, both, nodeTypes));

describe('the installed library', () => {
  test('is small: few packages, few megabytes', async () => {
    const packages = await installedIn(alone);
    const megabytes = (await sizeOf(join(alone, 'node_modules'))) / 1e6;
    console.log(`measured: installed: ${packages.length} packages, ${megabytes.toFixed(1)} MB`);
    expect(packages).toContain('agent-connectors');
    expect(packages.length).toBeLessThanOrEqual(5);
    expect(megabytes).toBeLessThanOrEqual(12.6);
  });

  test('can be imported and required, entry by entry', async () => {
    for (const entry of await entries()) {
      const print = '(module) => console.log(Object.keys(module).length)';
      const imported = await run(alone, 'node', '--input-type=module', '-e', `import('${entry}').then(${print})`);
      const required = await run(alone, 'node', '--input-type=commonjs', '-e', `(${print})(require('${entry}'))`);
      expect(Number(imported), entry).toBeGreaterThan(0);
      expect(required, entry).toBe(imported);
    }
  });

  test.each(['agent-connectors/index', 'agent-connectors/chunks/x', 'agent-connectors/types/x'])(
    'keeps %s private',
    async (entry) => {
      await expect(run(alone, 'node', '-e', `require('${entry}')`)).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
    },
  );

  test('has the version reported in its user agent', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(VERSION).toBe(version);
  });
});

describe('the two packages', () => {
  test('work together', async () => {
    await copyConsumer('smoke.mjs', both);
    expect(await run(both, 'node', 'smoke.mjs')).toBe('works\n');
  });

  test('include a command that runs from the installed stub', async () => {
    expect(await run(both, 'npx', '--no', 'agent-connectors-sandbox', '--help')).toContain('Usage:');
  });

  test('include a demo that reports missing packages', async () => {
    await expect(run(both, 'npx', '--no', 'agent-connectors-sandbox', 'demo')).rejects.toThrow(
      'npm install agent-connectors agent-connectors-service',
    );
  });

  test.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])('have correct types under moduleResolution %s', async (moduleResolution, module) => {
    await copyConsumer('consumer.ts', both);
    const lib = ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'];
    const options = { moduleResolution, module, lib, target: 'es2023', strict: true, noEmit: true, types: [] };
    const compilerOptions = { ...options, skipLibCheck: false };
    await writeFile(join(both, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
    expect(await run(both, 'node', tsc, '-p', '.')).toBe('');
  });

  test.each(['20', '22', '24'])(
    'have correct types without the DOM types, using the Node %s types',
    async (version) => {
      await copyConsumer('consumer.ts', both);
      await install(nodeTypes, '--ignore-scripts', `@types/node@${version}`);
      const typeRoots = [join(nodeTypes, 'node_modules/@types')];
      const options = { module: 'nodenext', lib: ['es2023'], target: 'es2023', strict: true, noEmit: true, typeRoots };
      const compilerOptions = { ...options, types: ['node'], skipLibCheck: false };
      await writeFile(join(both, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
      expect(await run(both, 'node', tsc, '-p', '.')).toBe('');
    },
  );
});

describe('the tarballs', () => {
  test('contain what is meant to be published, and nothing else', () => {
    const code = String.raw`(\.js|\.d\.ts|\.d\.ts\.map)`;
    const common = String.raw`^(package\.json|README\.md|CHANGELOG\.md|LICENSE|src/.+(\.c?ts|\.(worker|page)\.js)|dist/.+${code}`;
    const mayHold = {
      library: `${common}|dist/(NOTICES\\.txt|fidelity\\.md|gaps\\.md|docs\\.json\\.br)|bin/[a-z-]+\\.js|connectors/.+\\.(ts|md))$`,
      sandbox: `${common}|bin/[a-z-]+\\.js)$`,
    };
    expect(pathsOf(library).filter((path) => !new RegExp(mayHold.library).test(path))).toEqual([]);
    expect(pathsOf(sandbox).filter((path) => !new RegExp(mayHold.sandbox).test(path))).toEqual([]);
    for (const paths of [library, sandbox].map(pathsOf)) {
      expect(paths).toContain('LICENSE');
      expect(paths.filter((path) => /(\.test|test-d|fixture|\.tsbuildinfo)/.test(path))).toEqual([]);
    }
  });

  test.each(['agent-connectors', 'agent-connectors-sandbox'])(
    'map the declarations of %s to its sources',
    async (name) => {
      const paths = pathsOf(name === 'agent-connectors' ? library : sandbox);
      const maps = paths.filter((path) => path.endsWith('.map'));
      expect(maps.length).toBeGreaterThan(0);
      for (const map of maps) {
        const { sources } = JSON.parse(await readFile(join(both, 'node_modules', name, map), 'utf8'));
        for (const source of sources) expect(paths, map).toContain(join(dirname(map), source));
      }
    },
  );
});
