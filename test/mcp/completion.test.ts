import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { connectorOnSandbox } from '../connectors/google-analytics/setup.js';
import { connectorsOn } from '../tools/setup.js';
import { shelf } from '../tools/shelf.js';
import { connectClient } from './setup.js';

/** Completions for the `id` argument of a prompt. */
const idsFor = async (client: Client, connector: string, entity: string, value: string) => {
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'summarise' },
    argument: { name: 'id', value },
    context: { arguments: { connector, entity } },
  });
  return completion.values;
};

describe('a record id is completed', () => {
  test("by identifier, id and title, from the connector's list", async () => {
    const { linear, drive, sandbox } = connectorsOn();
    const client = await connectClient({ linear, drive });
    const { data: issues } = await linear.issues.list({ first: 20 });
    const { identifier, title } = issues[3]!;
    expect(await idsFor(client, 'linear', 'issues', identifier!)).toContain(identifier);
    expect(await idsFor(client, 'linear', 'issues', title!.slice(0, 20).toLowerCase())).toContain(identifier);
    const [project] = (await linear.projects.list({ first: 1 })).data;
    expect(await idsFor(client, 'linear', 'projects', project!.name!)).toEqual([project!.id]);
    const [file] = (await drive.files.list({})).data;
    expect(await idsFor(client, 'drive', 'files', file!.name!)).toContain(file!.id);
    const before = sandbox.requests.length;
    await idsFor(client, 'linear', 'issues', 'something else');
    expect(sandbox.requests).toHaveLength(before);
  });

  test('from a replica, if a service provides search for the connector', async () => {
    const { connector, sent } = shelf(() => ({ data: [{ id: '7', text: 'A teapot' }], meta: { has_more: false } }));
    const client = await connectClient(Object.assign(connector, { inspect: async () => hosted }));
    expect(await idsFor(client, 'shelf', 'things', '7')).toEqual(['7']);
    expect(sent).toMatchObject([
      { action: 'context_store_search', params: { query: { filter: { or: [{ contains: { id: '7' } }] } }, limit: 20 } },
    ]);
  });

  test('with configured values, if a list needs them', async () => {
    const { analytics, website } = connectorOnSandbox();
    const inspect = async () => ({ ...hosted, known_parameters: { property_id: [website] } });
    const client = await connectClient(Object.assign(analytics, { inspect }));
    expect(await idsFor(client, 'google-analytics', 'pages', website.slice(0, 3))).toEqual([website]);
  });

  test('with no suggestions if the connector fails or the entity is unknown', async () => {
    const { connector } = shelf(() => {
      throw new Error('The vendor is away.');
    });
    const client = await connectClient(connector);
    expect(await idsFor(client, 'shelf', 'things', '')).toEqual([]);
    expect(await idsFor(client, 'shelf', 'nothing', '')).toEqual([]);
    expect(await idsFor(client, 'nobody', 'things', '')).toEqual([]);
  });
});

const hosted = { mode: 'hosted' as const, context_store_readiness: { entities: [] }, warnings: [] };
