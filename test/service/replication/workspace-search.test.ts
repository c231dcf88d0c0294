import { describe, expect, test } from 'vitest';
import { connectorPath, execute, type Tenant } from '../http/setup.js';
import { WordEmbedder } from '../store/embedder.js';
import { promptOf, replicated, workspaceSearch } from './search-setup.js';
import { hitsOf, searchEntity, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

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

describe('a workspace search', () => {
  test('fuses the hits of all its connectors, and lists those without searchable data', async () => {
    const { acme, tickets, notes, sandbox } = await replicated();
    await waitForNewestJob(acme, notes);
    const analytics = await acme.connect('google-analytics', sandbox.vendors['google-analytics'].credentials.oauth, {
      name: 'Visits',
      replication_config: { property_ids: '1', entities: ['devices'] },
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
    await expect.poll(() => semanticsOf(acme, tickets)).toContain('ready');
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
