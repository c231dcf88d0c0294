import { cp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import { run } from '../../package/installed.js';
import { type Installed, installProgram, type Program } from './binaries.js';
import { callsInBrowser } from './browser.js';
import { type Installation, installPackages, type RunningPrograms, startPrograms } from './installation.js';
import { httpEvent, queueEvent } from './lambda-events.js';

let on: Installation;
let staged: RunningPrograms;
beforeAll(async () => {
  on = await installPackages();
  staged = await startPrograms(on);
});
afterAll(async () => {
  await staged?.stop();
  await on?.remove();
});

const installed = new Map<Program, Promise<Installed>>();

/** The path of a program; if it is missing, the test is skipped with the reason. */
async function required(program: Program, { skip }: TestContext) {
  const found = await (installed.get(program) ?? installProgram(program, on.scratch));
  installed.set(program, Promise.resolve(found));
  if ('missing' in found) return skip(found.missing);
  return found;
}

/** Expected results of the calls, in every runtime. */
const answer = {
  first: {
    linear: expect.stringMatching(/\w/),
    granola: expect.stringMatching(/\w/),
    'google-drive': expect.stringMatching(/\w/),
    'google-analytics': expect.any(Number),
    gong: expect.stringContaining('@'),
  },
  pages: { issues: 267, notes: 60 },
  errors: ['not_found', 'unknown_action', 'invalid_params', 'unauthorized'],
  retried: [true],
  files: { bytes: 2 ** 26, announced: 2 ** 26, text: 'Hello from everywhere' },
  recording: { bytes: 2 ** 16, type: 'audio/mpeg' },
  aborted: ['aborted', 'aborted', 1],
  tools: { names: ['inspect_connector', 'read_skill_docs', 'execute'], isError: false, engineering: true },
  hosted: { status: 'succeeded', issues: 2, missing: 'not_found' },
};

const nodes = ['Node 20', 'Node 22', 'Node 24', 'Node 26'] as const;

test.for(nodes)('the library works on %s', async (program, context) => {
  const { path } = await required(program, context);
  expect(await run(on.alone, path, '--version')).toMatch(`v${program.slice(-2)}.`);
  expect(JSON.parse(await run(on.alone, path, 'main.mjs', staged.file))).toEqual(answer);
});

test('the library works on Bun', async (context) => {
  const { path } = await required('Bun', context);
  expect(JSON.parse(await run(on.alone, path, 'main.mjs', staged.file))).toEqual(answer);
});

test('the library works on Deno, with permissions only for the network and its own files', async (context) => {
  const { path } = await required('Deno', context);
  const leave = [
    '--no-prompt',
    '--cached-only',
    '--allow-net=127.0.0.1,localhost',
    `--allow-read=${on.alone},${on.scratch}`,
  ];
  expect(JSON.parse(await run(on.alone, path, 'run', ...leave, 'main.mjs', staged.file))).toEqual(answer);
});

/** A program file and everything it imports, bundled. */
async function bundled(context: TestContext, entry: string, ...conditions: readonly string[]): Promise<string> {
  const { path } = await required('esbuild', context);
  const file = join(on.scratch, `bundled-${entry}`);
  const flags = ['--bundle', '--format=esm', '--target=es2023', '--log-level=warning', `--outfile=${file}`];
  await run(on.alone, path, entry, ...flags, ...conditions);
  return file;
}

test('the library works on workerd, even if requests share a connector', async (context) => {
  const { folder } = await required('workerd', context);
  const bundle = await bundled(context, 'worker.mjs', '--platform=neutral', '--conditions=workerd,worker');
  await cp(join(on.alone, 'workerd.mjs'), join(folder, 'workerd.mjs'));
  const shared = Array.from({ length: 7 }, () => 'ines.carvalho@fernhill.example');
  const told = await run(folder, process.execPath, 'workerd.mjs', bundle, staged.file);
  expect(JSON.parse(told)).toEqual({ ...answer, shared });
});

test('the library works in a browser with a policy that forbids dynamic code', async (context) => {
  const bundle = await bundled(context, 'page.mjs', '--platform=browser');
  expect(await callsInBrowser(await readFile(bundle, 'utf8'), staged.subject)).toEqual(answer);
});

test('a function on AWS Lambda answers requests of an API Gateway and messages of a queue', async (context) => {
  const { path } = await required('esbuild', context);
  const { path: node } = await required('Node 24', context);
  const bundle = join(on.scratch, 'lambda.mjs');
  const flags = ['--bundle', '--minify', '--platform=node', '--format=esm', '--target=node24', `--outfile=${bundle}`];
  await run(on.alone, path, 'lambda.mjs', ...flags);
  const events = join(on.scratch, 'events.json');
  const { sandbox, credentials } = staged.subject;
  const variables = {
    LINEAR_URL: `${sandbox}/linear`,
    LINEAR_API_KEY: (credentials.linear as { readonly api_key: string }).api_key,
  };
  const { LinearConnector } = await import('agent-connectors/linear');
  const linear = new LinearConnector({
    credentials: credentials.linear as { readonly api_key: string },
    endpoints: variables.LINEAR_URL,
  });
  const [issue] = (await linear.issues.list({ first: 1 })).data;
  const missing = { id: '00000000-0000-4000-8000-000000000000' };
  const all = [httpEvent('first=2'), httpEvent('first=none'), queueEvent([{ id: issue!.id }, missing])];
  await writeFile(events, JSON.stringify(all));
  const env = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const told = JSON.parse(await run(on.alone, 'env', ...env, node, 'invoke.mjs', bundle, events));
  const [listed, refused, messages] = told.results;
  expect([listed.statusCode, JSON.parse(listed.body).length]).toEqual([200, 2]);
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'invalid_params' });
  expect(messages).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-2' }] });
  const { size } = await stat(bundle);
  console.log(`measured: Lambda: ${Math.round(size / 1000)} kB, loaded in ${Math.round(told.coldStartMs)} ms`);
});
