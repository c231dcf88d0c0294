import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { emptyFolder, install, pathsOf, remove, run, sqlitePackage } from './installed.js';

const { library, service } = inject('packed');
let folder: string;

beforeAll(async () => {
  folder = await emptyFolder();
  await install(folder, library.file, service.file, '@types/node@20');
}, 120_000);

afterAll(() => remove(folder));

const binary = () => join(folder, 'node_modules/agent-connectors-service/bin/agent-connectors-service.js');

test('the tarball of the service contains what is meant to be published, and nothing else', () => {
  const may =
    /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|bin\/[a-z-]+\.js|embedding-table\/(all-minilm-l6-v2\.bin|LICENSE|NOTICE)|src\/.+\.(ts|wat)|dist\/.+(\.js|\.d\.ts|\.d\.ts\.map)|dist\/NOTICES\.txt|dist\/console\/(index\.html|assets\/[\w-]+\.(css|svg)))$/;
  expect(pathsOf(service).filter((path) => !may.test(path))).toEqual([]);
  // Without the workers the service still runs, but in a single thread.
  for (const path of ['LICENSE', 'dist/store-worker.js', 'dist/text-worker.js'])
    expect(pathsOf(service)).toContain(path);
});

test("the service's types are correct without the DOM types", async () => {
  await writeFile(join(folder, 'program.ts'), `import 'agent-connectors-service';\n`);
  const options = {
    module: 'nodenext',
    lib: ['es2023'],
    target: 'es2023',
    types: ['node'],
    strict: true,
    noEmit: true,
  };
  const compilerOptions = { ...options, skipLibCheck: false };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  expect(await run(folder, process.execPath, resolve('node_modules/typescript/bin/tsc'), '-p', '.')).toBe('');
});

test.runIf(sqlitePackage.length > 0)('on Node without SQLite, the error at startup names the package', async () => {
  await expect(run(folder, process.execPath, binary(), '--dev', '--port', '0')).rejects.toThrow(
    `Node ${process.versions.node} does not include the SQLite module that the service needs. Use Node 22.16 or newer, or run 'npm install @photostructure/sqlite'.`,
  );
  await run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...sqlitePackage);
});

test('the installed service starts, responds and stops', async () => {
  expect(await run(folder, process.execPath, binary(), '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  const child = spawn(process.execPath, [binary(), '--dev', '--port', '0', '--json'], { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(first))?.[0];
  expect(url, String(first)).toBeDefined();
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect((await fetch(`${url}/api/v1/account/me`)).status).toBe(401);
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
}, 30_000);
