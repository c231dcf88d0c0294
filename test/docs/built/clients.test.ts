import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serve } from 'agent-connectors-sandbox/server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { root } from '../pages.js';
import { createShellWorkspace, freePort, type Running, type ShellWorkspace } from './shell.js';

/** A server as listed in a client's settings. */
interface Entry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const entries = readdirSync(join(root, 'examples/mcp')).map((name) => {
  const settings = JSON.parse(readFileSync(join(root, 'examples/mcp', name), 'utf8'));
  const servers: Record<string, Entry> = settings.mcpServers ?? settings.servers ?? settings.context_servers;
  return [name, servers['agent-connectors']!] as const;
});
const commands = entries.filter(([, { command }]) => command !== undefined);
const keys: Record<string, string> = { LINEAR_API_KEY: 'lin_api_sandbox_full_access' };

let here: ShellWorkspace;
let sandbox: Awaited<ReturnType<typeof serve>>;
let service: Running;
let port: number;

beforeAll(async () => {
  sandbox = await serve();
  keys.GRANOLA_API_KEY = sandbox.sandbox.vendors.granola.credentials.api_key.api_key;
  port = await freePort();
  here = await createShellWorkspace({ 4020: port });
  Object.assign(here.environment, {
    PORT: String(port),
    LINEAR_API_KEY: keys.LINEAR_API_KEY,
    AGENT_CONNECTORS_ENDPOINTS: JSON.stringify({
      linear: `${sandbox.url}/linear`,
      granola: `${sandbox.url}/granola`,
    }),
  });
  service = await here.start(/listening/i, 'service', 'key', 'start');
  const client = JSON.parse(readFileSync(join(here.folder, 'data/client.json'), 'utf8'));
  // The tests have no terminal for prompts.
  here.environment.AGENT_CONNECTORS_CLIENT_ID = client.client_id;
  here.environment.AGENT_CONNECTORS_CLIENT_SECRET = client.client_secret;
  here.environment.AGENT_CONNECTORS_WORKSPACE = 'sales';
  expect(await here.run('service', 'login', 'workspace', 'create')).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await service.end();
  await sandbox.close();
  await rm(here.folder, { recursive: true, force: true });
});

/** Asks a client whether the three tools are listed, and how many issues one call returns. */
async function issuesOf(client: Client, connector: string) {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).slice(0, 3)).toEqual(['inspect_connector', 'read_skill_docs', 'execute']);
  const params = { connector, entity: 'issues', action: 'list', params: { first: 1 } };
  const { content } = await client.callTool({ name: 'execute', arguments: params });
  const [{ text }] = content as unknown as [{ readonly text: string }];
  return Number(/^(\d+) records?\./.exec(text)?.[1]);
}

test.each(commands)('%s starts a server that responds', async (_name, { command, args, env = {} }) => {
  const given = Object.fromEntries(Object.keys(env).map((name) => [name, keys[name]!]));
  const local = args!.includes('--local');
  const client = new Client({ name: 'test', version: '1.0.0' });
  const environment = { ...here.environment, LINEAR_API_KEY: '', ...given };
  const shared = { cwd: here.folder, env: environment, stderr: 'pipe' as const };
  await client.connect(new StdioClientTransport({ command: command!, args: [...args!], ...shared }));
  onTestFinished(() => client.close());
  expect(await issuesOf(client, local ? 'linear' : 'issues')).toBe(1);
});

test('http.json connects to a server that responds', async () => {
  const [, { url, headers }] = entries.find(([, entry]) => entry.url !== undefined)!;
  const { AGENT_CONNECTORS_CLIENT_ID: client_id, AGENT_CONNECTORS_CLIENT_SECRET: client_secret } = here.environment;
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/account/applications/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id, client_secret }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  const sent = Object.entries(headers!).map(([name, value]) => [name, value.replace(/\$\{.*\}/, access_token)]);
  const transport = new StreamableHTTPClientTransport(new URL(new URL(url!).pathname, `http://127.0.0.1:${port}`), {
    requestInit: { headers: { ...Object.fromEntries(sent), 'x-workspace': 'sales' } },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect(await issuesOf(client, 'issues')).toBe(1);
});
