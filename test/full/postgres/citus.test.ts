import { describe, expect, it } from 'vitest';
import { distribute } from '../../../service/src/data/records/index.js';
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
