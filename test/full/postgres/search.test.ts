import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { distribute } from '../../../service/src/data/records/index.js';
import { compareAll, compareCommon } from '../../service/store/differential.js';
import { vectorOf } from '../../service/store/embedder.js';
import { collection, searchIds, tasks } from '../../service/store/fixtures.js';
import { expectNoInjection } from '../../service/store/injection.js';
import { entity, idsOf, records } from '../../service/store/own-indexes.js';
import { storedEntities } from '../../service/store/sample.js';
import { rankingCases, storageCases } from '../../service/store/semantic-cases.js';
import { notesCollection, searchSemantically, semanticOptions } from '../../service/store/semantic-sample.js';
import { compareSummaries } from '../../service/store/summaries.js';
import { openTestStore, query, startServer } from './server.js';

const server = await startServer();
const plain = server && (await startServer({ plain: true }));

afterAll(async () => {
  await server?.stop();
  await plain?.stop();
});

describe.skipIf(!server)('Postgres', () => {
  it('finds the same records as a full scan, for 2,000 queries', async () => {
    const store = await openTestStore(await server!.database(), { entities: storedEntities });
    expect(await compareAll(store, 2000)).toBeGreaterThanOrEqual(2000);
  });

  it('returns the same aggregates as a full scan, for 1,000 queries', async () => {
    const store = await openTestStore(await server!.database(), { entities: storedEntities });
    expect(await compareSummaries(store, 1000)).toBeGreaterThanOrEqual(1000);
  });

  it('finds the same records even when the search terms match most of them', async () => {
    await compareCommon(await openTestStore(await server!.database(), { entities: storedEntities }));
  });

  it('treats external text as plain text, wherever it occurs', async () => {
    await expectNoInjection(await openTestStore(await server!.database(), { entities: [tasks] }));
  });

  it.each([...rankingCases, ...storageCases])('%s', async (_, check) => {
    await check(await openTestStore(await server!.database(), semanticOptions()));
  });

  it.each([...rankingCases, ...storageCases])('%s, without pgvector', async (_, check) => {
    await check(await openTestStore(await plain!.database(), semanticOptions()));
  });

  /** Blocks every search of a database, as if it took a long time, until the test ends. */
  async function blockSearches(url: string): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('begin; lock table "sample.tasks" in access exclusive mode');
  }

  it('lets the database cancel a search that takes too long', async () => {
    const url = await server!.database();
    const store = await openTestStore(url, { entities: [tasks], searchTimeoutMs: 300 });
    await store.write(collection, [{ id: 'a', title: 'kept' }]);
    await blockSearches(url);
    await expect(store.search({ ...collection, params: { query: {} } })).rejects.toMatchObject({
      code: 'timeout',
      message: 'The search did not finish within 0.3 s.',
    });
  });

  it('cancels searches when it is closed', async () => {
    const url = await server!.database();
    const store = await openTestStore(url, { entities: [tasks] });
    await store.write(collection, [{ id: 'a', title: 'kept' }]);
    await blockSearches(url);
    const searches = Array.from({ length: 20 }, () => store.search({ ...collection, params: { query: {} } }));
    const outcome = Promise.allSettled(searches);
    // Other tenants and writers can still get a connection.
    expect(await store.connectors()).toEqual([collection.connectorId]);
    const started = performance.now();
    await store.close();
    expect(performance.now() - started).toBeLessThan(3000);
    expect((await outcome).map(({ status }) => status)).toEqual(Array(20).fill('rejected'));
  });

  it('builds a missing index once for searches from two processes, after an interrupted build', async () => {
    const url = await server!.database();
    const stores = [await openTestStore(url, { entities: [entity] }), await openTestStore(url, { entities: [entity] })];
    await stores[0]!.write(collection, records);
    // Fails, because the values are not unique, and leaves an unusable index behind.
    const unusable = `create unique index concurrently "sample.tasks.state.name:order" on "sample.tasks" (connector)`;
    await expect(query(url, unusable)).rejects.toThrow(/unique/);
    const params = { query: { filter: { gt: { 'state.name': 'x' } } }, fields: ['id'] };
    const found = await Promise.all(stores.map((store) => searchIds(store, params)));
    const expected = idsOf((record) => record.state.name! > 'x');
    expect(found).toEqual([expected, expected]);
    const indexes = await query<{ valid: boolean; unique: boolean }>(
      url,
      `select indisvalid as valid, indisunique as unique from pg_index
        where indexrelid = '"sample.tasks.state.name:order"'::regclass`,
    );
    expect(indexes).toEqual([{ valid: true, unique: false }]);
  });

  /** `maintenance_work_mem` in each concurrent session. */
  async function memorySettings(url: string): Promise<string[]> {
    const clients = Array.from({ length: 10 }, () => new pg.Client({ connectionString: url }));
    await Promise.all(clients.map((client) => client.connect()));
    await Promise.all(clients.map((client) => client.query('begin')));
    const replies = await Promise.all(clients.map((client) => client.query('show maintenance_work_mem')));
    await Promise.all(clients.map((client) => client.end()));
    return replies.map(({ rows }) => rows[0].maintenance_work_mem);
  }

  it('rejects a database with a non-Unicode encoding', async () => {
    const url = await server!.database(`encoding 'LATIN1' locale 'C' template template0`);
    await expect(openTestStore(url, { entities: [tasks] })).rejects.toThrow(/UTF8/);
  });

  it('reports a missing Citus extension when records are to be distributed', async () => {
    await expect(distribute(await server!.database())).rejects.toThrow(/not have the citus extension.*citus_add_node/);
  });

  it('builds a large vector index in the background and finds the same records with it', async () => {
    const url = await server!.database();
    let store = await openTestStore(url, semanticOptions());
    const count = 21_000;
    const words = Array.from({ length: 300 }, (_, index) => `w${index.toString(36)}`);
    const bodyOf = (index: number) =>
      Array.from(
        { length: 6 },
        (_, place) => words[(index * (7 + place * 11) + place * place * 13) % words.length],
      ).join(' ');
    for (let from = 0; from < count; from += 3000) {
      await store.write(
        notesCollection,
        Array.from({ length: 3000 }, (_, index) => ({
          id: `r${from + index}`,
          body: bodyOf(from + index),
          priority: (from + index) % 50,
        })),
        ({ body }) => [
          {
            field: 'body',
            text: body as string,
            passages: [{ start: 0, end: (body as string).length, attribution: {} }],
          },
        ],
      );
    }
    for (;;) {
      const passages = await store.unembedded('words-64', 1000);
      if (passages.length === 0) break;
      await store.embed(
        'words-64',
        passages.map(({ passage, text }) => ({ passage, vector: vectorOf(text) })),
      );
    }
    expect(await store.passageCount(notesCollection, 'body', 'words-64')).toEqual({ passages: count, embedded: count });
    const indexes = () =>
      query(url, `select 1 from pg_index where indisvalid and indexrelid::regclass::text like '%nearest%'`);
    const builds = () =>
      query(url, `select 1 from pg_stat_activity where state = 'active' and query like 'create index concurrently%'`);
    while ((await builds()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await store.close();
    await expect.poll(builds).toEqual([]);
    expect(await indexes()).toEqual([]);
    // Another process restarts the build while doing other work, for which a pooler uses the same sessions.
    store = await openTestStore(url, semanticOptions());
    let building = true;
    const otherWork = Array.from({ length: 8 }, async () => {
      while (building) await store.count(notesCollection);
    });
    await store.unembedded('words-64', 1);
    const locks = () => query(url, `select 1 from pg_locks where locktype = 'advisory'`);
    try {
      while ((await indexes()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      await expect.poll(locks).toEqual([]);
    } finally {
      building = false;
      await Promise.all(otherWork);
    }
    expect(new Set(await memorySettings(url))).toEqual(new Set(['64MB']));
    const exactly = await query<{ score: number }>(
      url,
      `select 1 - (vector <=> $1::halfvec(64)) as score from vectors_64 order by (vector <=> $1::halfvec(64)) + 0 limit 20`,
      [`[${vectorOf(bodyOf(77)).join(',')}]`],
    );
    for (const [filter, least] of [
      [undefined, 0.9],
      [{ lt: { priority: 49 } }, 0.9],
    ] as const) {
      const hits = await searchSemantically(
        store,
        { prompt: bodyOf(77), mode: 'dense', dedup: 'none', ...(filter && { filter }) },
        { limit: 20 },
      );
      expect(hits).toHaveLength(20);
      expect(hits[0]!.score).toBeGreaterThan(0.999);
      const worst = exactly.at(-1)!.score - 0.02;
      expect(hits.filter(({ score }) => score >= worst).length / 20).toBeGreaterThanOrEqual(least);
    }
    // When few records match, they are compared one by one, and none is missed.
    const few = await searchSemantically(
      store,
      { prompt: bodyOf(77), mode: 'dense', filter: { eq: { priority: 27 } } },
      { limit: 10 },
    );
    expect(few[0]!.record).toMatchObject({ priority: 27 });
    expect(few[0]!.score).toBeGreaterThan(0.999);
    await store.remove(
      notesCollection,
      few.map(({ record }) => record.id as string),
    );
    expect(await store.passageCount(notesCollection, 'body', 'words-64')).toEqual({
      passages: count - 10,
      embedded: count - 10,
    });
  });
});
