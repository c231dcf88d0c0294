import { LinearConnector } from 'agent-connectors/linear';
import type { Service } from 'agent-connectors-service';
import { describe, expect, test } from 'vitest';
import { samplesOf } from '../http/metrics.js';
import { connectorPath, execute, type Tenant } from '../http/setup.js';
import { WordEmbedder } from '../store/embedder.js';
import { hitsOf, searchEntity, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

/** The same service through the library's hosted mode. */
const hostedLinear = (service: Service, { token }: Tenant, connectorId: string) =>
  new LinearConnector({
    hosted: { baseUrl: 'https://service.test', token, connectorId },
    fetch: async (input, init) => service.fetch(new Request(input, init)),
  });

/** A service with Linear and Granola; for Linear, only issues and users are replicated. */
async function replicated() {
  const running = await startReplicatingService();
  const { acme, linear, sandbox } = running;
  const tickets = await linear({ name: 'Tickets', replication_config: { entities: ['issues', 'users'] } });
  const notes = await acme.connect('granola', sandbox.vendors.granola.credentials.api_key, { name: 'Notes' });
  for (const id of [tickets, notes]) await waitForNewestJob(acme, id);
  return { ...running, tickets, notes };
}

const workspaceSearch = ({ ask }: Pick<Tenant, 'ask'>, body: object, workspace = 'main') =>
  ask('POST', `/api/v1/workspaces/${workspace}/search`, { json: body });

/** An issue, and words from its description as a prompt. */
async function promptOf(acme: Tenant, id: string): Promise<{ readonly issue: any; readonly prompt: string }> {
  const issues = hitsOf(await searchEntity(acme, id, 'issues'));
  const issue = issues.find(({ description }) => description?.length > 80);
  return { issue, prompt: issue.description.slice(0, 80) };
}

/** An embedder that can be told to reject passages while still accepting prompts. */
class HalfWay extends WordEmbedder {
  refusesPassages = false;

  override async embed(texts: readonly string[], kind?: 'query' | 'passage'): Promise<Float32Array[]> {
    if (this.refusesPassages && kind === 'passage') throw new Error('Not now.');
    return super.embed(texts);
  }
}

/** The embedding status of a connector's fields. */
const semanticsOf = async ({ ask }: Pick<Tenant, 'ask'>, id: string): Promise<string[]> =>
  (await ask('GET', connectorPath(id, '/inspect'))).body.context_store_readiness.entities.flatMap(({ semantic }: any) =>
    semantic.map(({ status }: any) => status),
  );

describe('a search', () => {
  test('returns semantic hits with the fields that the type declares, and display names', async () => {
    const { acme, tickets } = await replicated();
    const { issue, prompt } = await promptOf(acme, tickets);
    const { status, body } = await searchEntity(acme, tickets, 'issues', { semantic: { prompt }, limit: 5 });
    expect(status).toBe(200);
    const { data, meta } = body.result;
    expect(meta).toEqual({
      ...{ has_more: false, cursor: null, took_ms: expect.any(Number), ranker: 'lexical' },
      readiness: { status: 'ready', ready_for_search: true, synced_at: expect.any(String), message: null },
    });
    const hit = data.find(({ entity }: any) => entity.id === issue.id);
    const { id, url, identifier, title, creatorId, assigneeId, createdAt } = issue;
    expect(hit.entity).toEqual({ id, url, identifier, title, creatorId, assigneeId, createdAt });
    expect(hit.metadata).toEqual({
      ...{ score: expect.any(Number), context: expect.stringContaining(prompt.slice(0, 20)) },
      ...{ creatorName: issue.creator?.name ?? null, assigneeName: issue.assignee?.name ?? null },
    });
    const some = await searchEntity(acme, tickets, 'issues', {
      ...{ semantic: { prompt, filter: { eq: { id } } }, fields: ['title', 'state.name'] },
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
    await expect.poll(() => metaOf('import of bank feeds'), { timeout: 30_000 }).toEqual(['hybrid', null]);
    embedder.fault = new TypeError('fetch failed');
    expect(await metaOf('export of bank feeds')).toEqual(['lexical', expect.stringContaining('Lexical ranking only')]);
  });

  test('supports the same options for shaping records as list actions', async () => {
    const { acme, tickets } = await replicated();
    const params = { query: { sort: [{ createdAt: 'asc' }] }, limit: 2 };
    const cut = await execute(acme, tickets, 'issues', 'context_store_search', params, {
      ...{ select_fields: ['id', 'state.name', 'description'], exclude_fields: ['id'], skip_truncation: false },
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
      ...[3, true],
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

describe('a workspace search', () => {
  test('fuses the hits of all its connectors, and lists those without searchable data', async () => {
    const { acme, tickets, notes, sandbox } = await replicated();
    await waitForNewestJob(acme, notes);
    const analytics = await acme.connect('google-analytics', sandbox.vendors['google-analytics'].credentials.oauth, {
      ...{ name: 'Visits', replication_config: { property_ids: '1', entities: ['devices'] } },
    });
    const { status, body } = await workspaceSearch(acme, { prompt: 'bank feeds import', limit: 20 });
    expect(status).toBe(200);
    const from = new Set(body.data.map(({ connector }: any) => connector.name));
    expect(from).toEqual(new Set(['Tickets', 'Notes']));
    for (const hit of body.data) {
      expect(hit.title, JSON.stringify(hit)).toBe(hit.entity.title);
      expect(hit.url).toBe(hit.entity.url ?? null);
      expect(hit.date).toMatch(/^20\d\d-/);
      expect(hit.snippet.length).toBeLessThan(400);
    }
    expect(body.data[0].snippet).toMatch(/\*\*(bank|feeds?|import\w*)\*\*/i);
    expect(body.data.some(({ person }: any) => typeof person === 'string')).toBe(true);
    for (const { person, people } of body.data) expect(people[0] ?? null).toBe(person);
    const noteHit = body.data.find(({ connector }: any) => connector.name === 'Notes');
    expect(noteHit.people.length).toBeGreaterThan(1);
    const scores = body.data.map(({ metadata }: any) => metadata.score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
    expect(scores[0]).toBeLessThanOrEqual(1);
    expect(body.data.length).toBeLessThanOrEqual(20);
    const records = body.data.map(({ connector, entity_name, entity }: any) => [connector.id, entity_name, entity.id]);
    expect(new Set(records.map(String)).size).toBe(records.length);
    expect(body.meta).toMatchObject({ has_more: false, cursor: null, rankers: ['lexical'] });
    const skipped = body.meta.skipped.map(({ connector, entity_name }: any) => [connector.id, entity_name]);
    expect(skipped).toEqual(
      expect.arrayContaining([
        [analytics, null],
        [tickets, 'comments'],
      ]),
    );
  });

  test('ranks answers above the first hits of unrelated fields', async () => {
    const { acme, tickets, notes } = await replicated();
    await waitForNewestJob(acme, notes);
    const { body: teams } = await execute(acme, tickets, 'teams', 'list');
    const titles = ['One', 'Three', 'Two'];
    for (const title of titles) {
      const description = `${title}: the zeppelin misses its mooring mast, and the import of the bank feed waits for it.`;
      await execute(acme, tickets, 'issues', 'create', { teamId: teams.result[0].id, title, description });
    }
    await syncAndWait(acme, tickets);
    const { body } = await workspaceSearch(acme, { prompt: 'bank feed import waits for a zeppelin at its mast' });
    expect(
      body.data
        .slice(0, 3)
        .map(({ entity }: any) => entity.title)
        .sort(),
    ).toEqual(titles);
    // A smaller limit returns a prefix of the same list.
    const few = await workspaceSearch(acme, { prompt: 'bank feed import waits for a zeppelin at its mast', limit: 2 });
    expect(few.body.data).toEqual(body.data.slice(0, 2));
  });

  test('returns records with the same passage once, and counts the duplicates', async () => {
    const { acme, tickets } = await replicated();
    const { body: teams } = await execute(acme, tickets, 'teams', 'list');
    const description = 'The zeppelin misses its mooring mast whenever the wind turns.';
    for (const title of ['One', 'Two', 'Three'])
      await execute(acme, tickets, 'issues', 'create', { teamId: teams.result[0].id, title, description });
    await syncAndWait(acme, tickets);
    const { body } = await workspaceSearch(acme, { prompt: 'zeppelin misses its mooring mast', limit: 5 });
    const same = body.data.filter(({ metadata }: any) => metadata.context === description);
    expect(same.map(({ duplicates }: any) => duplicates)).toEqual([2]);
    expect(body.data).toHaveLength(5);
  });

  test('returns the id of a record found by its title, whatever the vendor calls the id', async () => {
    const { acme, sandbox } = await startReplicatingService();
    const replication_config = { entities: ['settings_scorecards'] };
    const gong = await acme.connect('gong', sandbox.vendors.gong.credentials.basic, { replication_config });
    await waitForNewestJob(acme, gong);
    const [scorecard] = hitsOf(await searchEntity(acme, gong, 'settings_scorecards'));
    const { body } = await workspaceSearch(acme, { prompt: scorecard.scorecardName });
    expect(body.data[0].entity).toMatchObject({ scorecardId: scorecard.scorecardId });
  });

  test('includes fields without vectors through lexical search', async () => {
    const embedder = new HalfWay();
    const { acme, linear, sandbox } = await startReplicatingService({ embedders: [embedder] });
    const tickets = await linear({ name: 'Tickets', replication_config: { entities: ['issues'] } });
    await expect.poll(() => semanticsOf(acme, tickets), { timeout: 30_000 }).toContain('ready');
    embedder.refusesPassages = true;
    const notes = await acme.connect('granola', sandbox.vendors.granola.credentials.api_key, { name: 'Notes' });
    await waitForNewestJob(acme, notes);
    const prompt = 'bank feeds import';
    const { body } = await workspaceSearch(acme, { prompt, limit: 20 });
    expect(body.meta.rankers).toEqual(['hybrid', 'lexical']);
    expect(new Set(body.data.map(({ connector }: any) => connector.id))).toEqual(new Set([tickets, notes]));
    // A rare word in a field without vectors still ranks above the nearest vectors of other fields.
    const words = hitsOf(await searchEntity(acme, notes, 'notes'))
      .map(({ summary_markdown: text }) => text)
      .join(' ');
    const issues = hitsOf(await searchEntity(acme, tickets, 'issues'))
      .map(({ description }) => description)
      .join(' ');
    const known = new Set(issues.toLowerCase().match(/[a-z]+/g));
    const own = words.match(/\b[A-Za-z]{7,}\b/g)!.filter((word: string) => !known.has(word.toLowerCase()));
    const named = await workspaceSearch(acme, { prompt: own[0]!, limit: 3 });
    expect(named.body.data[0].connector.id).toBe(notes);
    const refused = await workspaceSearch(acme, { prompt, mode: 'hybrid' });
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_params']);
  });

  test('can be limited to certain connectors and entities, and never covers another workspace', async () => {
    const { acme, tickets, notes, tenant } = await replicated();
    const { prompt } = await promptOf(acme, tickets);
    const some = await workspaceSearch(acme, { prompt, connector_ids: [tickets], entities: ['issues'] });
    expect(new Set(some.body.data.map(({ connector }: any) => connector.id))).toEqual(new Set([tickets]));
    expect(some.body.meta.skipped).toEqual([]);
    const { name } = some.body.data[0].connector;
    const byName = await workspaceSearch(acme, { prompt, connectors: [name], entities: ['issues'] });
    expect(byName.body.data).toEqual(some.body.data);
    const unknown = await workspaceSearch(acme, { prompt, connectors: ['Nobody'] });
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, 'connectors']);
    // It is not an error if only one connector has the entity.
    expect((await workspaceSearch(acme, { prompt, entities: ['issues'] })).body.meta.skipped).toEqual([]);
    const other = await tenant('Other');
    const foreign = await workspaceSearch(other, { prompt: 'import', connector_ids: [notes] });
    expect([foreign.status, foreign.body.errors[0].field]).toEqual([422, 'connector_ids']);
    expect((await workspaceSearch(other, { prompt: 'import' })).body.data).toEqual([]);
    expect((await workspaceSearch(acme, { prompt: 'import' }, 'nowhere')).status).toBe(404);
    for (const body of [{}, { prompt: ' ' }, { prompt: 'x', limit: 101 }, { prompt: 'x', query: {} }]) {
      expect((await workspaceSearch(acme, body)).status).toBe(422);
    }
    expect((await workspaceSearch(acme, { prompt: 'x', mode: 'dense' })).body.code).toBe('invalid_params');
  });
});

describe('replicated data', () => {
  test('is deleted with its connector and with its workspace', async () => {
    const { acme, tickets, notes, service } = await replicated();
    await waitForNewestJob(acme, notes);
    const { prompt } = await promptOf(acme, tickets);
    expect((await workspaceSearch(acme, { prompt, entities: ['issues'] })).body.data).not.toEqual([]);
    expect((await acme.ask('DELETE', connectorPath(tickets))).status).toBe(200);
    expect((await workspaceSearch(acme, { prompt, entities: ['issues', 'comments'] })).body.data).toEqual([]);
    expect((await acme.ask('GET', connectorPath(tickets, '/jobs'))).status).toBe(404);
    expect((await acme.ask('DELETE', '/api/v1/workspaces/main')).status).toBe(200);
    expect(await service.state.replicas.list(notes)).toEqual([]);
  });

  test('is counted in the metrics by type, entity and outcome', async () => {
    const { acme, tickets } = await replicated();
    const { text } = await acme.ask('GET', '/metrics');
    const count = hitsOf(await searchEntity(acme, tickets, 'users')).length;
    expect(samplesOf(text)).toEqual(
      expect.arrayContaining([
        {
          name: 'agent_connectors_replicated_records_total',
          labels: { connector_type: 'linear', entity: 'users', outcome: 'inserted' },
          value: count,
        },
        {
          name: 'agent_connectors_replication_jobs_total',
          labels: { connector_type: 'linear', outcome: 'done' },
          value: 1,
        },
      ]),
    );
  });
});
