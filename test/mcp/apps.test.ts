import type { ClientOptions } from '@modelcontextprotocol/client';
import type { McpOptions } from 'agent-connectors/mcp';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { shelf } from '../tools/shelf.js';
import { allConnectors, connectClient, type Era, eras, textOf } from './setup.js';

const mimeType = 'text/html;profile=mcp-app';
const withPages: ClientOptions = {
  capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [mimeType] } } },
};
const viewOf = (result: { readonly _meta?: object | undefined }): any =>
  (result._meta as Record<string, unknown> | undefined)?.['agent-connectors/view'];

const sandbox = createSandbox({ seed: 7 });
const property_id = sandbox.vendors['google-analytics'].properties.website;
const report = {
  name: 'execute',
  arguments: {
    connector: 'google-analytics',
    entity: 'website_overview',
    action: 'list',
    params: { property_id, dateRanges: [{ startDate: '2026-01-01', endDate: '2026-01-07' }] },
  },
};
const searchAll = async () => ({
  data: [
    {
      connector: { name: 'linear' },
      entity_name: 'issues',
      entity: { id: 'a1', url: 'https://linear.example/ENG-7', title: 'Import\u202e crashes' },
      metadata: { context: 'The import of bank feeds crashes.', creatorName: 'Ana Silva' },
    },
  ],
  meta: { missing: [{ connector: { name: 'linear' }, entity: 'issues', detail: 'The last sync failed.' }] },
});

const connect = async (era: Era, client: ClientOptions, options: McpOptions = {}) =>
  connectClient(await allConnectors(sandbox), { searchAll, ...options }, era, client);

describe.each(eras)('a %s-era client that shows pages', (era) => {
  test('is offered pages by tools, none of which pages can call', async () => {
    const client = await connect(era, withPages, { allowWrites: true });
    const { tools } = await client.listTools();
    expect(Object.fromEntries(tools.map(({ name, _meta }) => [name, _meta?.ui]))).toEqual({
      inspect_connector: { visibility: ['model'] },
      read_skill_docs: { visibility: ['model'] },
      execute: { resourceUri: 'ui://agent-connectors/result', visibility: ['model'] },
      execute_write: { resourceUri: 'ui://agent-connectors/write', visibility: ['model'] },
      search: { resourceUri: 'ui://agent-connectors/result', visibility: ['model'] },
    });
    const pages = tools.flatMap(({ _meta }) => (_meta?.ui as { resourceUri?: string } | undefined)?.resourceUri ?? []);
    for (const uri of pages) {
      const { contents } = await client.readResource({ uri });
      const [page] = contents as Array<{ mimeType: string; text: string }>;
      expect(page!.mimeType).toBe(mimeType);
      expect(page!.text).toContain(`content="default-src 'none'; script-src 'sha256-`);
      expect(page!.text).not.toMatch(/\b(src|href)="|@import|unsafe-inline/);
    }
    await expect(client.readResource({ uri: 'ui://agent-connectors/other' })).rejects.toThrow('not found');
    const { resources } = await client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith('ui:'))).toEqual([]);
  });

  test('gets a report with its measures and notes, beside the same text as others', async () => {
    const client = await connect(era, withPages);
    const result = await client.callTool(report);
    const other = await (await connect(era, {})).callTool(report);
    const withoutMark = (text: string) => text.replaceAll(/\b[a-z2-7]{16}\b/g, '');
    expect(withoutMark(textOf(result))).toBe(withoutMark(textOf(other)));
    expect(viewOf(other)).toBeUndefined();
    const view = viewOf(result);
    expect(view).toMatchObject({ kind: 'report', title: 'Google Analytics: website overview' });
    expect(view.columns.slice(0, 2)).toEqual([
      { name: 'date', numeric: false },
      { name: expect.any(String), numeric: true },
    ]);
    expect(view.rows.map(([date]: string[]) => date).sort()).toEqual(
      ['01', '02', '03', '04', '05', '06', '07'].map((day) => `202601${day}`),
    );
    const lines = textOf(result).split('\n');
    expect(lines).toContain(view.columns.map(({ name }: { name: string }) => name).join('|'));
  });

  test('gets hits as links, with hidden characters shown, and what is missing', async () => {
    const client = await connect(era, withPages);
    const view = viewOf(await client.callTool({ name: 'search', arguments: { prompt: 'bank feeds' } }));
    expect(view).toEqual({
      kind: 'hits',
      title: 'Search',
      notes: ['Incomplete: The last sync failed.'],
      hits: [
        {
          title: 'Import\\u202e crashes',
          url: 'https://linear.example/ENG-7',
          facts: 'linear/issues · Ana Silva',
          text: 'The import of bank feeds crashes.',
        },
      ],
    });
  });

  test('gets records as a table', async () => {
    const client = await connect(era, withPages);
    const view = viewOf(
      await client.callTool({
        name: 'execute',
        arguments: { connector: 'linear', entity: 'teams', action: 'list', params: {} },
      }),
    );
    expect(view).toMatchObject({ kind: 'table', title: 'Linear: teams' });
    expect(view.columns.map(({ name }: { name: string }) => name)).toContain('name');
    for (const row of view.rows) expect(row).toHaveLength(view.columns.length);
  });

  test('learns what became of a write: done, not approved, failed', async () => {
    const write = async (options: McpOptions, error?: Error) => {
      const { connector } = shelf(() => {
        if (error) throw error;
        return { id: '1', text: null, size: null };
      });
      const client = await connectClient(connector, { allowWrites: true, ...options }, era, withPages);
      const params = { text: 'Hello' };
      return viewOf(
        await client.callTool({ name: 'execute_write', arguments: { entity: 'things', action: 'create', params } }),
      );
    };
    expect(await write({})).toEqual({ kind: 'write', notes: [], writes: [{ text: 'Done.' }] });
    expect(await write({ approve: () => ({ pending: '7' }) })).toEqual({
      kind: 'write',
      notes: [],
      writes: [{ text: 'Waiting for approval: nothing was sent.' }],
    });
    expect(await write({ approve: () => 'not today' })).toEqual({
      kind: 'write',
      notes: ['things.create was not approved: not today. Nothing was changed.'],
      writes: [{ text: 'Failed.' }],
    });
  });

  test('has no view for documentation, failures and truncated results', async () => {
    const client = await connect(era, withPages, { maxOutputTokens: 1_000 });
    const calls = [
      { name: 'read_skill_docs', arguments: { connector: 'linear' } },
      { name: 'execute', arguments: { connector: 'linear', entity: 'issues', action: 'get', params: {} } },
      { name: 'execute', arguments: { connector: 'linear', entity: 'issues', action: 'list', params: { first: 50 } } },
    ];
    for (const call of calls) expect(viewOf(await client.callTool(call))).toBeUndefined();
  });
});

test('a client that is known to show no pages is offered none', async () => {
  const client = await connect('legacy', {});
  const { tools } = await client.listTools();
  expect(tools.map(({ _meta }) => _meta)).toEqual(tools.map(() => undefined));
});
