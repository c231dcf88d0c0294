import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pages as sources } from '../../docs/pages.js';

const command = resolve('bin/agent-connectors.js');
const run = (...rest: string[]) => spawnSync(process.execPath, [command, 'docs', ...rest], { encoding: 'utf8' });
const client = new Client({ name: 'test', version: '1.0.0' });
const transport = new StdioClientTransport({ command: process.execPath, args: [command, 'docs', '--mcp'] });

beforeAll(() => client.connect(transport));
afterAll(() => client.close());

async function call(name: string, args: Record<string, unknown>) {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const [part] = content as Array<{ readonly text: string }>;
  return { text: part!.text, isError };
}

test('offers two read-only tools', async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['search_docs', 'read_page']);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
});

test.each([
  ['connect customers accounts drive', 'docs/guides/products.md'],
  ['what happens after a rate limit', 'docs/guides/limits.md'],
  ['lost response unknown outcome', 'docs/reliability.md'],
  ['langchain tools', 'docs/guides/langchain.md'],
  ['upload a file to Drive', 'connectors/google-drive/guide.md'],
  ['webhook signature', 'docs/guides/products.md'],
  ['back up the service', 'docs/guides/hosting.md'],
  ['inject faults in a test', 'docs/guides/sandbox.md'],
  ['move from Nango', 'docs/guides/moving.md'],
  ['Cloudflare Worker', 'docs/runtimes.md'],
])('a search for "%s" finds %s', async (query, page) => {
  const { text } = await call('search_docs', { query });
  expect(text.split('\n\n').map((hit) => hit.split(/[#\n]/)[0])).toContain(page);
});

test('every address that a search returns can be read, and so can each guide', async () => {
  const { text } = await call('search_docs', { query: 'service' });
  const guides = sources.filter((page) => /^docs\/guides\//.test(page));
  expect(guides.length).toBeGreaterThan(20);
  for (const page of [...text.split('\n\n').map((hit) => hit.split('\n')[0]!), ...guides]) {
    const read = await call('read_page', { page });
    expect([page, read.isError, read.text.length <= 20_000, /^#+ \S/.test(read.text)]).toEqual([
      page,
      false,
      true,
      true,
    ]);
  }
});

test('a long page is shown by its sections, each of which can be read', async () => {
  const { text } = await call('read_page', { page: 'docs/service-api.md' });
  const addresses = [...text.matchAll(/docs\/service-api\.md#\S+/g)].map(([address]) => address);
  expect(addresses.length).toBeGreaterThan(10);
  for (const page of addresses) expect((await call('read_page', { page })).isError).toBe(false);
});

test('an unknown page or section says which there are', async () => {
  expect(await call('read_page', { page: 'docs/guides/langchian.md' })).toEqual({
    text: "There is no page 'docs/guides/langchian.md'. Did you mean 'docs/guides/langchain.md'? search_docs finds pages.",
    isError: true,
  });
  const { text, isError } = await call('read_page', { page: 'docs/guides/mcp.md#nope' });
  expect([isError, text]).toEqual([true, expect.stringContaining("has no section 'nope'. Its sections: ")]);
  expect((await call('search_docs', { query: 'zzzzqqq' })).text).toMatch(/^Nothing found/);
});

test('the command lists, searches and prints pages', () => {
  const list = run();
  expect(JSON.parse(list.stdout).data).toContainEqual({ page: 'docs/guides/mcp.md', title: 'MCP' });
  const found = run('{"search":"langchain"}');
  expect(JSON.parse(found.stdout).data[0].page).toMatch(/langchain|agents/);
  expect(run('{"page":"docs/guides/langchain.md"}').stdout).toMatch(/^# LangChain\n/);
  const unknown = run('{"page":"nope.md"}');
  expect([unknown.status, JSON.parse(unknown.stderr).code]).toEqual([3, 'not_found']);
});

test('the install links in the guide start this server', async () => {
  const guide = readFileSync('docs/guides/mcp.md', 'utf8');
  const expected = { command: 'npx', args: ['-y', 'agent-connectors', 'docs', '--mcp'] };
  const cursor = new URL(/^cursor:\S+$/m.exec(guide)![0]);
  expect(cursor.searchParams.get('name')).toBe('agent-connectors-docs');
  expect(JSON.parse(atob(cursor.searchParams.get('config')!))).toEqual(expected);
  const redirect = new URL(/\((https:\/\/insiders\.vscode\.dev\/redirect\S+?)\)/.exec(guide)![1]!);
  const [, config] = /^vscode:mcp\/install\?(.+)$/.exec(redirect.searchParams.get('url')!)!;
  expect(JSON.parse(decodeURIComponent(config!))).toEqual({ name: 'agent-connectors-docs', ...expected });
});
