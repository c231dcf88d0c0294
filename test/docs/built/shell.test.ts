import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../../full/postgres/server.js';
import { pages, root, textOf } from '../pages.js';
import { createShellWorkspace, freePort, type Running, regionOf, type ShellWorkspace } from './shell.js';

function has(command: string): boolean {
  try {
    return execFileSync(command, ['--version']).length > 0;
  } catch {
    return false;
  }
}

/** Which of the regions shown on pages have been run. */
const done = new Set<string>();
let here: ShellWorkspace;
let sandbox: Running;
let service: Running | undefined;

/** Runs regions that must succeed, and returns their output. */
async function shown(file: string, ...regions: string[]): Promise<string> {
  const { code, output } = await here.run(file, ...regions);
  expect(code, output).toBe(0);
  for (const region of regions) done.add(`${file}#${region}`);
  return output;
}

beforeAll(async () => {
  const ports = { 4010: await freePort(), 4020: await freePort() };
  here = await createShellWorkspace(ports);
  sandbox = await here.start(/export AGENT_CONNECTORS_ENDPOINTS/, 'sandbox', 'serve');
  done.add('sandbox#serve');
  Object.assign(here.environment, {
    PORT: String(ports[4020]),
    LINEAR_API_KEY: 'lin_api_sandbox_full_access',
    AGENT_CONNECTORS_ENDPOINTS: JSON.stringify({ linear: `http://127.0.0.1:${ports[4010]}/linear` }),
  });
});

afterAll(async () => {
  await service?.end();
  await sandbox.end();
  await rm(here.folder, { recursive: true, force: true });
});

const installs = 'first service hosted testing msw playwright connector mcp ai-sdk openai anthropic langchain';
test.each(installs.split(' '))(
  'installation commands for %s name packages that exist',
  async (region) => void (await shown('install', region)),
);

test('the scripts named in the README exist in the repository', async () => {
  await shown('repository', 'start');
});

test('the first call prints three issues without an account', async () => {
  await writeFile(join(here.folder, 'first-call.mjs'), await regionOf('examples/guides/first-call.mjs', 'sandbox'));
  const lines = (await shown('first-call', 'run')).trim().split('\n');
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatch(/^[\w ]+: \S/);
});

test('with the preloaded sandbox, a program runs without an account', async () => {
  await writeFile(join(here.folder, 'issues.mjs'), await regionOf('examples/first-call.ts', 'first-call'));
  const { LINEAR_API_KEY: key = '' } = here.environment;
  delete here.environment.LINEAR_API_KEY;
  expect(await shown('sandbox', 'register')).toMatch(/^next page: \S+$/m);
  here.environment.LINEAR_API_KEY = key;
});

test('the command line executes, describes and diagnoses', async () => {
  expect(JSON.parse(await shown('first-call', 'execute')).data).toHaveLength(5);
  expect(JSON.parse(await shown('first-call', 'describe')).name).toBe('linear');
  expect(JSON.parse(await shown('first-call', 'doctor'))).toMatchObject({});
});

test('a sandbox on a port can be controlled and used by the command line', async () => {
  expect(await shown('sandbox', 'fault')).toContain('issues');
  expect(JSON.parse(await shown('sandbox', 'local')).data.length).toBeGreaterThan(0);
  await shown('sandbox', 'revoke');
  expect((await here.run('sandbox', 'local')).output).toContain('"unauthorized"');
});

test("the sandbox on a port serves a module's vendors", async () => {
  await sandbox.end();
  for (const name of ['src', 'tsconfig.json', 'tsconfig.build.json']) {
    await cp(join(root, 'examples/larder', name), join(here.folder, name), { recursive: true });
  }
  await shown('larder', 'build');
  sandbox = await here.start(/export AGENT_CONNECTORS_ENDPOINTS=.+"larder"/, 'sandbox', 'vendors');
  done.add('sandbox#vendors');
});

test('an in-memory service starts and prints client_file, with and without a sandbox', async () => {
  await sandbox.end();
  sandbox = await here.start(/export AGENT_CONNECTORS_ENDPOINTS/, 'service', 'sandbox');
  done.add('service#sandbox');
  const usual = here.environment.PORT!;
  here.environment.PORT = '0';
  for (const region of ['dev', 'dev-sandbox']) {
    const running = await here.start(/client_file/, 'service', region);
    done.add(`service#${region}`);
    await running.end();
  }
  here.environment.PORT = usual;
});

test('a persistent service is started, used, backed up and rotated to a new key', async () => {
  here.environment.AGENT_CONNECTORS_KEY = Buffer.alloc(32, 7).toString('base64');
  await shown('service', 'key');
  service = await here.start(/listening/i, 'service', 'start');
  done.add('service#start');
  const client = JSON.parse(readFileSync(join(here.folder, 'data/client.json'), 'utf8'));
  expect(JSON.parse(await shown('service', 'first-client'))).toMatchObject({ logged_in: true });
  // The tests have no terminal for prompts.
  here.environment.AGENT_CONNECTORS_CLIENT_ID = client.client_id;
  here.environment.AGENT_CONNECTORS_CLIENT_SECRET = client.client_secret;
  expect(existsSync(join(here.folder, 'data/client.json'))).toBe(false);
  await shown('service', 'health');

  await shown('service', 'login');
  expect(JSON.parse(await shown('service', 'workspace'))).toMatchObject({ name: 'sales' });
  expect(JSON.parse(await shown('service', 'create'))).toMatchObject({ name: 'Issues' });
  expect(await shown('service', 'execute')).toContain('"data"');
  expect(await shown('service', 'client')).toContain('nightly report');
  expect(await shown('service', 'audit')).not.toBe('');
  expect(await shown('service', 'person')).toContain('Exported: 0 records');
  expect(await shown('service', 'tables')).not.toBe('');
  expect(await shown('service', 'backup')).toContain('state.db');
  await service.end();
  service = undefined;

  here.environment.AGENT_CONNECTORS_KEY_PREVIOUS = here.environment.AGENT_CONNECTORS_KEY;
  here.environment.AGENT_CONNECTORS_KEY = Buffer.alloc(32, 8).toString('base64');
  await shown('service', 'rotate');
  const usual = here.environment.PORT!;
  here.environment.PORT = '0';
  const running = await here.start(/listening/i, 'service', 'objects', 'start');
  done.add('service#objects');
  await running.end();
  here.environment.PORT = usual;
});

test('a service moves to Postgres and continues there in two processes', async () => {
  const server = await startServer({ plain: true });
  await shown('postgres', 'url');
  if (!server) {
    for (const region of ['move', 'answers', 'replicates', 'backup']) done.add(`postgres#${region}`);
    return;
  }
  try {
    here.environment.DATABASE_URL = await server.database();
    expect(await shown('postgres', 'move')).toContain('moved to Postgres');
    expect(existsSync(join(here.folder, 'data/state.db'))).toBe(false);
    const usual = here.environment.PORT!;
    here.environment.PORT = '0';
    for (const region of ['answers', 'replicates']) {
      const running = await here.start(/listening/i, 'postgres', region);
      done.add(`postgres#${region}`);
      await running.end();
    }
    here.environment.PORT = usual;
    if (has('pg_dump')) await shown('postgres', 'backup');
    else done.add('postgres#backup');
  } finally {
    await server.stop();
  }
});

test('the product in the guide is installed, registered and started', async () => {
  const ports = { 4010: await freePort(), 4020: await freePort(), 3000: await freePort() };
  const own = await createShellWorkspace(ports);
  const port = String(ports[4020]);
  Object.assign(own.environment, { PORT: port });
  const { code, output } = await own.run('products', 'install');
  expect(code, output).toBe(0);
  const running = [
    await own.start(/export AGENT_CONNECTORS_ENDPOINTS/, 'service', 'sandbox'),
    await own.start(/listening/i, 'products', 'service'),
  ];
  try {
    await rename(join(own.folder, 'data/client.json'), join(own.folder, 'client.json'));
    expect((await own.run('products', 'register')).code).not.toBe(0);
    expect(existsSync(join(own.folder, '.env'))).toBe(false);
    await rename(join(own.folder, 'client.json'), join(own.folder, 'data/client.json'));
    const registered = await own.run('products', 'register');
    expect(registered.code, registered.output).toBe(0);
    const { mode } = await stat(join(own.folder, '.env'));
    expect(mode & 0o777).toBe(0o600);
    const modules = ['connections', 'connector-ids', 'account-routes', 'page', 'webhooks', 'agent', 'one-user'];
    const files = ['tsconfig.json', ...modules.map((name) => `${name}.ts`)];
    for (const file of files) {
      const text = readFileSync(join(root, 'examples/saas', file), 'utf8').replace(/\b3000\b/, String(ports[3000]));
      await writeFile(join(own.folder, file.replace('one-user', 'server')), text);
    }
    // In the same shell, since the administrator's variables must not reach the product.
    running.push(await own.start(/Open http/, 'products', 'register', 'start'));
    const origin = `http://localhost:${ports[3000]}`;
    expect(await (await fetch(origin)).text()).toContain('Connect linear');
    expect((await fetch(`${origin}/connect.js`)).status).toBe(200);
    for (const [type, account] of Object.entries({ linear: 'Linear', 'google-drive': 'Google' })) {
      const headers = { 'content-type': 'application/json', origin };
      const session = await fetch(`${origin}/connect`, { method: 'POST', headers, body: JSON.stringify({ type }) });
      const { url } = (await session.json()) as { url: string };
      expect(await (await fetch(url)).text()).toContain(`Sign in with ${account}`);
    }
    const webhooks = await own.run('products', 'client', 'webhooks');
    expect(webhooks.code, webhooks.output).toBe(0);
    await expect.poll(async () => (await own.run('products', 'client', 'deliveries')).output).toContain('delivered');
    const listed = await own.run('products', 'client', 'connectors');
    expect(listed.code, listed.output).toBe(0);
    expect(await own.run('products', 'revoke')).toMatchObject({ code: 0 });
    const regions = [
      'install',
      'service',
      'register',
      'start',
      'client',
      'webhooks',
      'deliveries',
      'connectors',
      'revoke',
    ];
    for (const region of regions) done.add(`products#${region}`);
  } finally {
    for (const one of running.reverse()) await one.end();
    await rm(own.folder, { recursive: true, force: true });
  }
});

test('every command shown on a page is run by these tests', () => {
  // Run by `test/full/postgres/restore.test.ts`, since it needs a second role and database.
  done.add('postgres#restore');
  // Run by `test/examples/moving.test.ts` with responses of Nango and Composio, and by `test/cli/import.test.ts`.
  for (const region of ['nango', 'composio', 'import']) done.add(`moving#${region}`);
  const told = pages.flatMap((page) =>
    [...textOf(page).matchAll(/<!-- snippet: examples\/shell\/(\w[\w-]*)\.sh#([\w-]+) -->/g)].map(
      ([, file, region]) => `${file}#${region}`,
    ),
  );
  expect([...new Set(told)].filter((region) => !done.has(region))).toEqual([]);
  const written = readdirSync(join(root, 'examples/shell')).flatMap((name) =>
    [...readFileSync(join(root, 'examples/shell', name), 'utf8').matchAll(/^# #region ([\w-]+)$/gm)].map(
      ([, region]) => `${name.replace('.sh', '')}#${region}`,
    ),
  );
  expect(written.filter((region) => !told.includes(region))).toEqual([]);
});
