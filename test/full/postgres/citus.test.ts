import { describe, expect, it } from 'vitest';
import { distribute } from '../../../service/src/data/records/index.js';
import { Consumer, guarded } from '../../service/store/changes.js';
import { compareAll, compareCommon } from '../../service/store/differential.js';
import { collection, tasks } from '../../service/store/fixtures.js';
import { expectNoInjection } from '../../service/store/injection.js';
import { storedEntities } from '../../service/store/sample.js';
import { rankingCases, storageCases } from '../../service/store/semantic-cases.js';
import { semanticOptions } from '../../service/store/semantic-sample.js';
import { citusUrl, clusterDatabase, distributedStore } from './cluster.js';
import { openTestStore, query } from './server.js';

const queries = Number(process.env.CITUS_QUERIES ?? 2000);

describe.skipIf(!citusUrl)('Citus', { timeout: 1_200_000 }, () => {
  it(`finds the same records as a full scan, for ${queries} queries`, async () => {
    const { store } = await distributedStore({ entities: storedEntities });
    expect(await compareAll(store, queries)).toBeGreaterThanOrEqual(queries);
  });

  it('finds the same records even when the search terms match most of them', async () => {
    await compareCommon((await distributedStore({ entities: storedEntities })).store);
  });

  it('treats external text as plain text, wherever it occurs', async () => {
    await expectNoInjection((await distributedStore({ entities: [tasks] })).store);
  });

  it.each([...rankingCases, ...storageCases])('%s', async (_, check) => {
    await check((await distributedStore(semanticOptions())).store);
  });

  it('keeps the history of records that change and are removed, also after an upgrade that adds it', async () => {
    const { url, store } = await distributedStore({ entities: [guarded] });
    const consumer = new Consumer();
    await store.write(collection, [
      { id: 'a', title: 'One', labels: ['user:ana'] },
      { id: 'b', title: 'Two' },
    ]);
    expect(await consumer.drain(store)).toBe(2);
    await store.write(collection, [{ id: 'a', title: 'Changed' }]);
    expect(await store.remove(collection, ['b'])).toBe(1);
    expect(await consumer.drain(store)).toBe(2);
    expect([...consumer.copy]).toMatchObject([['a', { title: 'Changed' }]]);
    expect(await store.historyReaders(collection)).toEqual(['user:ana']);
    await store.forgetReaders(collection, ['user:ana']);
    expect(await store.historyReaders(collection)).toEqual([]);
    await store.forgetChanges(Date.now() + 1000);
    await store.close();
    await query(url, 'delete from versions where version = 4');
    await query(url, 'drop table changes, change_moves, change_feeds, change_openings, change_counter');
    const upgraded = await openTestStore(url, { entities: [guarded] });
    const anew = new Consumer();
    await anew.drain(upgraded);
    expect([...anew.copy]).toMatchObject([['a', { title: 'Changed' }]]);
    await upgraded.write(collection, [{ id: 'a', title: 'Changed again' }]);
    await anew.drain(upgraded);
    expect([...anew.copy]).toMatchObject([['a', { title: 'Changed again' }]]);
  });

  it('distributes a database with keys from an earlier release, under concurrent writes, without losing data', async () => {
    const url = await clusterDatabase();
    const store = await openTestStore(url, { entities: [tasks] });
    const table = '"sample.tasks"';
    await query(url, `alter table ${table} drop constraint "sample.tasks_pkey", add primary key (rid)`);
    const batch = (number: number) =>
      Array.from({ length: 50 }, (_, index) => ({ id: `${number}-${index}`, title: `Task ${number}` }));
    let [written, moved] = [0, false];
    for (; written < 20; written++) await store.write(collection, batch(written));
    const moving = distribute(url).finally(() => {
      moved = true;
    });
    while (!moved) await store.write(collection, batch(written++));
    expect(await moving).toContain('sample.tasks');
    for (const end = written + 5; written < end; written++) await store.write(collection, batch(written));
    expect(await store.count(collection)).toBe(50 * written);
    const search = { query: { filter: { keyword: { title: 'task' } }, sort: [{ id: 'asc' as const }] }, limit: 10 };
    expect((await store.search({ ...collection, params: search })).data).toHaveLength(10);
    const [left] = await query<{ count: string }>(
      url,
      `select count(*) from pg_dist_partition where partmethod = 'h' and logicalrelid = '${table}'::regclass`,
    );
    expect(left).toEqual({ count: '1' });
  });
});
