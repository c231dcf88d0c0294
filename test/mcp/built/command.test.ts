import { resolve } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type SandboxServer, serve } from 'agent-connectors-sandbox/server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

let sandbox: SandboxServer;
const binary = resolve('bin/agent-connectors.js');

beforeAll(async () => {
  sandbox = await serve();
});

afterAll(() => sandbox.close());

const eras: Record<string, ClientOptions> = {
  '2025-11-25': {},
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
};

test.each(Object.keys(eras))('the installed command serves a client with protocol %s', async (version) => {
  const { linear, granola } = sandbox.sandbox.vendors;
  const client = new Client({ name: 'test', version: '1.0.0' }, eras[version]);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [binary, 'mcp', '--local'],
    env: {
      LINEAR_API_KEY: linear.credentials.api_key.api_key,
      GRANOLA_API_KEY: granola.credentials.api_key.api_key,
      AGENT_CONNECTORS_ENDPOINTS: JSON.stringify({
        linear: `${sandbox.url}/linear`,
        granola: `${sandbox.url}/granola`,
      }),
    },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools).toHaveLength(3);
  const call = (args: Record<string, unknown>) => client.callTool({ name: 'execute', arguments: args });
  const notes = await call({ connector: 'granola', entity: 'notes', action: 'list' });
  expect(JSON.stringify(notes.content)).toMatch(/\d+ records\./);
  const refused = await call({ connector: 'linear', entity: 'issues', action: 'create', params: { title: 'x' } });
  expect(JSON.stringify(refused)).toContain('denied_by_policy');
});
