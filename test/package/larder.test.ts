import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { Browser, formWith } from '../service/setup/browser.js';
import { emptyFolder, install, installCopy, pack, remove, run, sqlitePackage } from './installed.js';

const { library, sandbox, service } = inject('packed');
let source: string;
let example: string;
let folder: string;

/**
 * The example as its authors have it, and as others would get it: packed, and installed in an empty folder with the
 * packages it extends.
 */
beforeAll(async () => {
  [source, folder] = await Promise.all([emptyFolder(), emptyFolder()]);
  example = join(source, 'larder');
  await installCopy('examples/larder', example, library.file, sandbox.file);
  await run(example, 'npm', 'run', 'build');
  const larder = await pack(example, source);
  await install(folder, library.file, sandbox.file, service.file, larder.file, ...sqlitePackage);
}, 300_000);

afterAll(() => remove(source, folder));

const binary = (name: string, script = name) => join(folder, 'node_modules', name, 'bin', `${script}.js`);

function start(script: string, args: readonly string[], cwd = folder): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  return child;
}

/** The emulated vendor on a port. */
async function startVendor(): Promise<{ readonly url: string; readonly key: string }> {
  const args = ['--port', '0', '--json', '--vendors', 'agent-connectors-larder/sandbox'];
  const child = start(binary('agent-connectors-sandbox'), args);
  const [line] = await once(createInterface(child.stdout!), 'line');
  const { larder } = JSON.parse(line).vendors;
  return { url: larder.url, key: larder.credentials.api_key.api_key };
}

interface ServiceCredentials {
  readonly base_url: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly workspace: string;
}

/** The service with the connector, and its first client. */
async function startService(endpoints: object): Promise<ServiceCredentials> {
  const args = ['--dev', '--port', '0', '--json', '--connectors', 'agent-connectors-larder'];
  const child = start(binary('agent-connectors-service'), [...args, '--endpoints', JSON.stringify(endpoints)]);
  const lines = createInterface(child.stdout!);
  const listening = new Promise<string>((resolve) => {
    lines.on('line', (line) => line.includes('client_file') && resolve(JSON.parse(line).client_file));
  });
  return JSON.parse(await readFile(await listening, 'utf8'));
}

test('a connector in its own package is set up in a browser, replicated, searched, served by MCP and diagnosed, using only its tarball', async () => {
  const vendor = await startVendor();
  const endpoints = { larder: vendor.url };
  const { base_url: url, client_id, client_secret, workspace } = await startService(endpoints);
  let token = '';
  const ask = async (method: string, path: string, json?: object): Promise<any> => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const init = { method, headers, ...(json && { body: JSON.stringify(json) }) };
    const response = await fetch(`${url}/api/v1${path}`, init);
    const body = await response.json();
    expect(response.ok, JSON.stringify(body)).toBe(true);
    return body;
  };
  token = (await ask('POST', '/account/applications/token', { client_id, client_secret })).access_token;

  // A user connects the account.
  const begin = { workspace_name: workspace, name: 'Cellar', connector_type: 'larder' };
  const { setup_url, setup_id } = await ask('POST', '/integrations/connectors/setup', begin);
  const browser = new Browser(fetch);
  const page = await browser.open(setup_url);
  expect(page.text).toContain('On the inside of the door.');
  const picks = await browser.submit(formWith(page, /name="api_key"/), { api_key: vendor.key });
  expect(picks.text).toContain('Shelves to search');
  await browser.submit(formWith(picks, /value="picks"/), { shelves: ['1', '2', '3', '4'] });
  const { connector_id: id } = await ask('GET', `/integrations/connectors/setup/${setup_id}`);

  // The service replicates and searches it.
  const newestJob = async () => (await ask('GET', `/integrations/connectors/${id}/jobs`)).data[0]?.status;
  await expect.poll(newestJob, { timeout: 60_000 }).toBe('done');
  const search = { entity: 'jars', action: 'context_store_search' };
  const searchJars = (params: object) => ask('POST', `/integrations/connectors/${id}/execute`, { ...search, params });
  const { result } = await searchJars({ query: { filter: { like: { label: 'Qui%' } } } });
  expect(result.data).toMatchObject([{ id: 'jar_2', label: 'Quince' }]);
  const { result: semantic } = await searchJars({ semantic: { prompt: 'quince' } });
  expect(semantic.data[0].entity).toEqual({ id: 'jar_2', label: 'Quince' });

  // MCP, and the command line with and without the service.
  const command = binary('agent-connectors');
  const environment = {
    PATH: process.env.PATH!,
    HOME: folder,
    LARDER_API_KEY: vendor.key,
    AGENT_CONNECTORS_ENDPOINTS: JSON.stringify(endpoints),
    AGENT_CONNECTORS_BASE_URL: url,
    AGENT_CONNECTORS_CLIENT_ID: client_id,
    AGENT_CONNECTORS_CLIENT_SECRET: client_secret,
  };
  const args = [command, '--connectors', 'agent-connectors-larder'];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args, 'mcp'],
    cwd: folder,
    env: environment,
    stderr: 'inherit',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = { connector: 'cellar', ...search, params: { semantic: { prompt: 'quince' } } };
  const found = await client.callTool({ name: 'execute', arguments: call });
  expect(JSON.stringify(found.structuredContent ?? found.content)).toContain('jar_2');
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const doctor = JSON.parse(await run(folder, 'env', ...variables, process.execPath, ...args, 'doctor', '--local'));
  expect(doctor).toMatchObject({ ok: true, connectors: [{ connector: 'larder', ok: true }] });
  const hosted = JSON.parse(await run(folder, 'env', ...variables, process.execPath, ...args, 'doctor'));
  expect(hosted).toMatchObject({ ok: true, connectors: [{ connector: 'Cellar', ok: true }] });
}, 120_000);

test('a connector in its own package has correct types', async () => {
  expect(await run(example, 'npx', '--no', 'tsc', '--noEmit')).toBe('');
});

test('a connector in its own package passes the published conformance suite, and its own tests', async () => {
  // In CI, a missing snapshot is a failure.
  const printed = await run(example, 'env', 'CI=true', 'NO_COLOR=1', 'npx', '--no', 'vitest', 'run');
  expect(printed).toMatch(/Test Files {2}3 passed \(3\)/);
  const [, passed] = /Tests {2}(\d+) passed \(\d+\)/.exec(printed) ?? [];
  expect(Number(passed), printed).toBeGreaterThan(70);
});

test("a connector in its own package is served by the sandbox's command once built", async () => {
  const command = join(example, 'node_modules/agent-connectors-sandbox/bin/agent-connectors-sandbox.js');
  // The package in this folder, specified by name.
  const args = ['--port', '0', '--json', '--vendors', 'agent-connectors-larder/sandbox'];
  const child = start(command, args, example);
  const { vendors } = JSON.parse(String((await once(createInterface(child.stdout!), 'line'))[0]));
  expect(Object.keys(vendors)).toHaveLength(6);
  const { url, credentials } = vendors.larder;
  const headers = { authorization: `Bearer ${credentials.api_key.api_key}` };
  expect(await (await fetch(`${url}/v1/jars/jar_1`, { headers })).json()).toMatchObject({ label: 'Plum' });
  const twice = run(example, process.execPath, command, ...args, '--vendors', './dist/vendor.js');
  await expect(twice).rejects.toThrow("export a vendor 'larder'");
});
