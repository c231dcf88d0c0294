import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import type { Service } from 'agent-connectors-service';
import { describe, expect, test } from 'vitest';
import { createRequester } from '../../sandbox/requester.js';
import { execute, type Tenant } from '../http/setup.js';
import { WordEmbedder } from '../store/embedder.js';
import { promptOf, replicated } from './search-setup.js';
import { hitsOf, searchEntity, startReplicatingService, waitForNewestJob } from './setup.js';

/** The same service through the library's hosted mode. */
const hostedLinear = (service: Service, { token }: Tenant, connectorId: string) =>
  new LinearConnector({
    hosted: { baseUrl: 'https://service.test', token, connectorId },
    fetch: async (input, init) => service.fetch(new Request(input, init)),
  });

describe('a search', () => {
  test('by meaning finds an issue by its former identifier', async () => {
    const { acme, linear, sandbox } = await startReplicatingService({ sandbox: createSandbox({ seed: 7 }) });
    const ask = createRequester(sandbox);
    const { nodes } = (await ask('{ teams { nodes { id key } } }')).data.teams;
    const { issues } = (await ask('{ issues(first: 250) { nodes { id identifier description team { id } } } }')).data;
    const former = issues.nodes.find(({ team, description }: any) => team.id !== nodes[0].id && description);
    await ask(`mutation { issueUpdate(id: "${former.id}", input: { teamId: "${nodes[0].id}" }) { success } }`);
    const id = await linear({ replication_config: { entities: ['issues'] } });
    await waitForNewestJob(acme, id);
    const { body } = await searchEntity(acme, id, 'issues', { semantic: { prompt: former.identifier }, limit: 5 });
    expect(body.result.data[0].entity.id).toBe(former.id);
  });

  test('returns semantic hits with the fields that the type declares, and display names', async () => {
    const { acme, tickets } = await replicated();
    const { issue, prompt } = await promptOf(acme, tickets);
    const { status, body } = await searchEntity(acme, tickets, 'issues', { semantic: { prompt }, limit: 5 });
    expect(status).toBe(200);
    const { data, meta } = body.result;
    expect(meta).toEqual({
      has_more: false,
      cursor: null,
      took_ms: expect.any(Number),
      ranker: 'lexical',
      complete: true,
      missing: [
        {
          reason: 'withheld',
          entity: 'issues',
          permanent: true,
          detail: 'Archived and trashed issues are not replicated; issues.list with includeArchived: true lists them.',
        },
      ],
      readiness: { status: 'ready', ready_for_search: true, synced_at: expect.any(String), message: null },
      // The prompt ends within a word.
      unmatched_words: [prompt.split(/\W+/).at(-1)!.toLowerCase()],
    });
    const hit = data.find(({ entity }: any) => entity.id === issue.id);
    const { id, url, identifier, title, creatorId, assigneeId, createdAt } = issue;
    expect(hit.entity).toEqual({ id, url, identifier, title, creatorId, assigneeId, createdAt });
    expect(hit.metadata).toEqual({
      score: expect.any(Number),
      context: expect.stringContaining(prompt.slice(0, 20)),
      creatorName: issue.creator?.name ?? null,
      assigneeName: issue.assignee?.name ?? null,
    });
    const some = await searchEntity(acme, tickets, 'issues', {
      semantic: { prompt, filter: { eq: { id } } },
      fields: ['title', 'state.name'],
    });
    expect(hitsOf(some)[0].entity).toEqual({ title, state: { name: issue.state.name } });
  });

  test('reports missing vectors in a semantic search', async () => {
    const embedder = new WordEmbedder();
    const { acme, linear } = await startReplicatingService({ embedders: [embedder] });
    const id = await linear({ replication_config: { entities: ['issues'] } });
    await waitForNewestJob(acme, id);
    const metaOf = async (prompt: string) => {
      const { body } = await searchEntity(acme, id, 'issues', { semantic: { prompt } });
      return [body.result.meta.ranker, body.result.meta.readiness.message];
    };
    await expect.poll(() => metaOf('import of bank feeds')).toEqual(['hybrid', null]);
    embedder.fault = new TypeError('fetch failed');
    expect(await metaOf('export of bank feeds')).toEqual(['lexical', expect.stringContaining('Lexical ranking only')]);
  });

  test('supports the same options for shaping records as list actions', async () => {
    const { acme, tickets } = await replicated();
    const params = { query: { sort: [{ createdAt: 'asc' }] }, limit: 2 };
    const cut = await execute(acme, tickets, 'issues', 'context_store_search', params, {
      select_fields: ['id', 'state.name', 'description'],
      exclude_fields: ['id'],
      skip_truncation: false,
    });
    for (const record of hitsOf(cut)) {
      expect(Object.keys(record).sort()).toEqual(['description', 'state']);
      expect(Object.keys(record.state)).toEqual(['name']);
      expect(record.description?.length ?? 0).toBeLessThan(250);
    }
    const view = { view: 'concise' } as const;
    const [concise] = hitsOf(await execute(acme, tickets, 'issues', 'context_store_search', params, view));
    expect(concise.state).toEqual({ name: expect.any(String) });
    expect(concise).not.toHaveProperty('description');
    const chosen = { ...params, fields: ['id', 'description'] };
    const [named] = hitsOf(await execute(acme, tickets, 'issues', 'context_store_search', chosen, view));
    expect(Object.keys(named)).toEqual(['id', 'description']);
  });

  test('with invalid parameters is rejected with the path of each error', async () => {
    const { acme, tickets } = await replicated();
    for (const [params, path] of [
      [{ query: { filter: { eq: { titel: 'x' } } } }, 'query.filter.eq.titel'],
      [{ query: {}, cursor: 'altered' }, 'cursor'],
      [{ semantic: { prompt: 'x', mode: 'dense' } }, 'semantic.mode'],
      [{ semantic: { prompt: 'x', field: 'title' } }, 'semantic.field'],
    ] as const) {
      const { status, body } = await searchEntity(acme, tickets, 'issues', params);
      expect([status, body.code, body.errors[0].field]).toEqual([422, 'invalid_params', path]);
    }
  });

  test("through the library's hosted mode returns data and meta, and reads all pages", async () => {
    const { acme, tickets, service } = await replicated();
    const linear = hostedLinear(service, acme, tickets);
    const { data, meta } = await linear.execute('issues', 'context_store_search', { query: {}, limit: 3 });
    expect([data.length, meta.has_more, meta.readiness]).toEqual([
      3,
      true,
      { status: 'ready', ready_for_search: true, synced_at: expect.any(String), message: null },
    ]);
    const ids: (string | null)[] = [];
    for await (const { id } of linear.paginate('issues', 'context_store_search', { query: {}, limit: 3 })) ids.push(id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(hitsOf(await searchEntity(acme, tickets, 'issues')).length);
    const { prompt } = await promptOf(acme, tickets);
    const hits = await linear.execute('issues', 'context_store_search', { semantic: { prompt } });
    expect(hits.data[0]!.metadata.score).toBeGreaterThan(0);
  });
});

test('a search with an unknown path is rejected with the closest match; array elements can be found by some of their fields', async () => {
  const { acme, notes } = await replicated();
  await waitForNewestJob(acme, notes);
  const found = (query: object) => execute(acme, notes, 'notes', 'context_store_search', { query });
  const misspelt = await found({ filter: { not: { eq: { 'owner.nme': 'x' } } } });
  expect([misspelt.status, misspelt.body.message]).toEqual([
    422,
    expect.stringContaining("Did you mean 'owner.name'?"),
  ]);
  const { email } = (await found({})).body.result.data[0].attendees[0];
  const refused = await found({ filter: { eq: { 'attendees.email': email } } });
  const advised = JSON.parse(/(\{.*\})\.$/.exec(refused.body.message)![1]!);
  expect(advised).toEqual({ contains: { attendees: { email } } });
  expect((await found({ filter: advised })).body.result.data.length).toBeGreaterThan(0);
});

test("one call returns counts by state, using the request's field names", async () => {
  const { acme, tickets, service } = await replicated();
  const issues = hitsOf(await searchEntity(acme, tickets, 'issues'));
  const found = async (query: object) =>
    (await execute(acme, tickets, 'issues', 'context_store_search', { query })).body;
  const byState = await found({ groupBy: 'state.name' });
  const done = issues.filter(({ state }: any) => state.name === 'Done');
  expect(byState.result.data).toContainEqual({ 'state.name': 'Done', count: done.length });
  expect(byState.result.data.reduce((sum: number, { count }: any) => sum + count, 0)).toBe(issues.length);
  expect(byState.result.meta).toMatchObject({
    has_more: false,
    total: byState.result.data.length,
    total_is_exact: true,
  });
  const aggregates = { newest: { max: 'created_at' }, effort: { sum: 'estimate' } };
  const [team] = (await found({ groupBy: ['team_id'], aggregates, sort: [{ team_id: 'asc' }] })).result.data;
  expect(Object.keys(team)).toEqual(['team_id', 'count', 'newest', 'effort']);
  const linear = hostedLinear(service, acme, tickets);
  const query = { groupBy: 'state.name', sort: [{ count: 'asc' }] } as const;
  const { data } = await linear.issues.context_store_search({ query, limit: 2 });
  expect(data.map(({ count }) => count)).toEqual(
    byState.result.data
      .map(({ count }: any) => count)
      .sort((one: number, other: number) => one - other)
      .slice(0, 2),
  );
  for (const bad of [
    { groupBy: 'state' },
    { groupBy: 'stateid' },
    { aggregates: { mean: { avg: 'title' } } },
    { count: true, sort: [{ title: 'asc' }] },
  ])
    expect((await found(bad)).code, JSON.stringify(bad)).toBe('invalid_params');
});
