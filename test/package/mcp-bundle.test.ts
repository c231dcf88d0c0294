import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serve } from 'agent-connectors-sandbox/server';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { emptyFolder, remove, run } from './installed.js';

interface Manifest {
  readonly version: string;
  readonly server: { readonly mcp_config: { readonly args: string[]; readonly env: Record<string, string> } };
  readonly tools: ReadonlyArray<{ readonly name: string }>;
  readonly user_config: Readonly<Record<string, { readonly sensitive?: boolean; readonly default?: unknown }>>;
}

let made: string;
let unpacked: string;
let manifest: Manifest;
let bundle: Buffer;
const script = resolve('scripts/mcp-bundle.mjs');

beforeAll(async () => {
  made = await emptyFolder();
  unpacked = await emptyFolder();
  await run('.', process.execPath, script, made);
  const name = (await readdir(made)).find((file) => file.endsWith('.mcpb'))!;
  bundle = await readFile(join(made, name));
  for (const [path, bytes] of Object.entries(unzipSync(bundle))) {
    await mkdir(dirname(join(unpacked, path)), { recursive: true });
    await writeFile(join(unpacked, path), bytes);
  }
  manifest = JSON.parse(await readFile(join(unpacked, 'manifest.json'), 'utf8')) as Manifest;
});

afterAll(() => remove(made, unpacked));

/** Starts the server like a desktop client: placeholders for fields that are not filled in remain as they are. */
async function start(form: Readonly<Record<string, string>>, endpoints: object): Promise<Client> {
  const filled = { ...defaults(), ...form };
  const substitute = (text: string) =>
    text
      .replaceAll(/\$\{__dirname\}/g, unpacked)
      .replaceAll(/\$\{user_config\.(\w+)\}/g, (all, key: string) => filled[key] ?? all);
  const { args, env } = manifest.server.mcp_config;
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: args.map(substitute),
    env: {
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, substitute(value)])),
      AGENT_CONNECTORS_ENDPOINTS: JSON.stringify(endpoints),
    },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const defaults = () =>
  Object.fromEntries(
    Object.entries(manifest.user_config).flatMap(([key, option]) =>
      option.default === undefined ? [] : [[key, String(option.default)]],
    ),
  );

test('a bundle starts with the credentials from the form and can read', async () => {
  const server = await serve();
  onTestFinished(() => server.close());
  const { linear, gong } = server.sandbox.vendors;
  const client = await start(
    {
      linear_api_key: linear.credentials.api_key.api_key,
      gong_access_key: gong.credentials.basic.access_key,
      gong_access_key_secret: gong.credentials.basic.access_key_secret,
    },
    { linear: `${server.url}/linear`, gong: `${server.url}/gong` },
  );
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(manifest.tools.map(({ name }) => name));
  expect(client.getInstructions()).toMatch(
    /^Use these tools for anything in Gong, Linear\. .*Writes are not allowed\. /,
  );
  const issues = await client.callTool({
    name: 'execute',
    arguments: { connector: 'linear', entity: 'issues', action: 'list', params: { first: 1 } },
  });
  expect(JSON.stringify(issues.content)).toMatch(/[A-Z]+-\d+/);
});

test('a bundle offers writes and a subset of the connectors as configured in the form', async () => {
  const server = await serve();
  onTestFinished(() => server.close());
  const { linear, granola } = server.sandbox.vendors;
  const keys = {
    linear_api_key: linear.credentials.api_key.api_key,
    granola_api_key: granola.credentials.api_key.api_key,
  };
  const endpoints = { linear: `${server.url}/linear`, granola: `${server.url}/granola` };
  const client = await start({ ...keys, connectors: 'linear', allow_writes: 'true' }, endpoints);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('execute_write');
  expect(client.getInstructions()).toMatch(/^Use these tools for anything in Linear\./);
});

test('a bundle has a field for everything it passes on, and reveals no secrets', () => {
  const { args, env } = manifest.server.mcp_config;
  const used = [...JSON.stringify([args, env]).matchAll(/user_config\.(\w+)/g)].map(([, key]) => key!);
  expect(used.sort()).toEqual(Object.keys(manifest.user_config).sort());
  const secrets = Object.entries(manifest.user_config).flatMap(([key, { sensitive }]) => (sensitive ? key : []));
  expect(secrets).toEqual([
    'google_client_secret',
    'google_refresh_token',
    'gong_access_key_secret',
    'granola_api_key',
    'linear_api_key',
  ]);
});

test('a bundle contains the licenses of its parts', async () => {
  const notices = await readFile(join(unpacked, 'NOTICES.txt'), 'utf8');
  for (const name of ['zod', 'ky', 'p-retry', '@modelcontextprotocol/server']) expect(notices).toContain(`${name} `);
  expect((await readdir(unpacked)).sort()).toEqual([
    'LICENSE',
    'NOTICES.txt',
    'manifest.json',
    'package.json',
    'server',
  ]);
});

test('the registry entry lists the bundle, its digest and its variables, under a placeholder owner', async () => {
  const entry = JSON.parse(await readFile(join(made, 'server.json'), 'utf8')) as {
    name: string;
    description: string;
    packages: Array<{ registryType: string; identifier: string; environmentVariables: Array<{ name: string }> }>;
  };
  expect(entry.name).toBe('io.github.OWNER/agent-connectors');
  expect(entry.description.length).toBeLessThanOrEqual(100);
  const [npm, file] = entry.packages;
  expect(npm).toMatchObject({ registryType: 'npm', identifier: 'agent-connectors', version: manifest.version });
  expect(npm!.environmentVariables.map(({ name }) => name)).toContain('GOOGLE_APPLICATION_CREDENTIALS');
  expect(npm!.environmentVariables).toContainEqual(
    expect.objectContaining({ name: 'LINEAR_API_KEY', isSecret: true, isRequired: false }),
  );
  expect(file).toMatchObject({
    registryType: 'mcpb',
    fileSha256: createHash('sha256').update(bundle).digest('hex'),
    identifier: expect.stringMatching(/\/v\d+\.\d+\.\d+\/agent-connectors-\d+\.\d+\.\d+\.mcpb$/),
  });
});

test("nothing is prepared for publishing under a placeholder owner, or with a name other than the package's", async () => {
  const refused = (folder: string) =>
    run(folder, process.execPath, join(folder, 'scripts/mcp-bundle.mjs'), '--publishable');
  await expect(run('.', process.execPath, script, '--publishable')).rejects.toThrow('repository.url');
  const copy = await emptyFolder();
  onTestFinished(() => remove(copy).then(() => undefined));
  await cp('scripts', join(copy, 'scripts'), { recursive: true });
  const described = JSON.parse(await readFile('package.json', 'utf8')) as object;
  const repository = { type: 'git', url: 'git+https://github.com/example/connectors.git' };
  const describeAs = (more: object) =>
    writeFile(join(copy, 'package.json'), JSON.stringify({ ...described, repository, ...more }));
  await describeAs({});
  await expect(refused(copy)).rejects.toThrow('mcpName must be io.github.example/agent-connectors');
});
