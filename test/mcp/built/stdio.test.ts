import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';

const program = fileURLToPath(new URL('server.mjs', import.meta.url));

const options: Record<string, ClientOptions> = {
  '2025-11-25': {},
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  'negotiated with the server': { versionNegotiation: { mode: 'auto' } },
};

test.each(Object.keys(options))('a child process serves a client with protocol %s', async (version) => {
  const client = new Client({ name: 'test', version: '1.0.0' }, options[version]);
  const transport = new StdioClientTransport({ command: process.execPath, args: [program], stderr: 'pipe' });
  let complaints = '';
  transport.stderr!.on('data', (chunk) => {
    complaints += chunk;
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools).toHaveLength(3);
  for (const { name } of tools.slice(0, 2)) {
    const result = await client.callTool({ name, arguments: { connector: 'linear' } });
    expect(JSON.stringify(result.content)).toContain('Linear');
  }
  const listed = await client.callTool({
    name: 'execute',
    arguments: { connector: 'granola', entity: 'notes', action: 'list' },
  });
  expect(JSON.stringify(listed.content)).toMatch(/\d+ records\./);
  const refused = await client.callTool({
    name: 'execute',
    arguments: { connector: 'linear', entity: 'issues', action: 'create', params: { title: 'x' } },
  });
  expect(JSON.stringify(refused)).toContain('denied_by_policy');
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: resources.at(-1)!.uri });
  expect(contents).toHaveLength(1);
  expect((await client.getPrompt({ name: 'what_is_here' })).messages).toHaveLength(1);
  const ids = Array.from({ length: 200 }, (_, index) => index);
  const many = await Promise.all(
    ids.map(() =>
      client.callTool({
        name: 'execute',
        arguments: { connector: 'linear', entity: 'teams', action: 'list', params: { first: 1 } },
      }),
    ),
  );
  const textOf = ([part]: (typeof many)[number]['content']) => (part?.type === 'text' ? part.text : '');
  const records = many.map(({ content }) => textOf(content).replaceAll(/\b[a-z2-7]{16}\b/g, ''));
  expect(new Set(records).size).toBe(1);
  expect(records[0]).toContain('1 record.');
  expect(complaints).toBe('');
});

test('standard output contains only the protocol, whatever the input, and the process exits when its input ends', async () => {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill());
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const send = (message: unknown) =>
    child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  send('no JSON');
  send({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  });
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'execute', arguments: 'x' } });
  send({ jsonrpc: '2.0', id: 3, method: 'tools/list' });
  await expect.poll(() => out.trim().split('\n').length, { timeout: 60_000 }).toBe(3);
  for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  child.stdin.end();
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});
