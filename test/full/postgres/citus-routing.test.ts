import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectTo, type RunStatement } from '../../../service/src/data/records/drivers/postgres/connection.js';
import { distribute, exportRecords, importRecords } from '../../../service/src/data/records/index.js';
import type { Store, StoreOptions } from '../../../service/src/data/records/types.js';
import { execute, tenantOf } from '../../service/http/setup.js';
import { newKey } from '../../service/keys.js';
import { compareAll } from '../../service/store/differential.js';
import { newFolder, newStore, tasks } from '../../service/store/fixtures.js';
import { documents, documentsOf, longDocument, maxInline, newObjects, textsOf } from '../../service/store/objects.js';
import { recordStatements } from '../../service/store/recorded.js';
import { storedEntities } from '../../service/store/sample.js';
import { rankingCases, storageCases } from '../../service/store/semantic-cases.js';
import { embedAll, semanticOptions } from '../../service/store/semantic-sample.js';
import { compareSummaries } from '../../service/store/summaries.js';
import { citusUrl, clusterDatabase, distributedStore } from './cluster.js';
import { openTestStore } from './server.js';

/** Statements of the background job that embeds passages; they query all nodes, but read only numbers. */
const acrossConnectors = [
  /^select f\.connector, f\.number as field,/,
  /^select sum\(f\.passages - coalesce\(e\.passages, 0\)\)::text as waiting/,
  /^select connector, array_agg\(number::text\) as passages from passages/,
];

/** A distributed store, in which a statement fails if Citus would send it to more than one shard. */
async function routedStore(options: Omit<StoreOptions, 'cursorKeys'>): Promise<Store> {
  const { url, store } = await distributedStore(options);
  await store.close();
  const note = async (sql: string, _values: readonly unknown[], query: RunStatement) => {
    const isAllowed =
      acrossConnectors.some((known) => known.test(sql)) || !/^\s*(select|insert|update|delete|with)/.test(sql);
    await query(`set local citus.multi_task_query_log_level = ${isAllowed ? 'off' : 'error'}`);
  };
  return newStore({ ...options, pool: recordStatements(await connectTo(url), note) });
}

describe.skipIf(!citusUrl)('on Citus, statements go to one shard', { timeout: 600_000 }, () => {
  it.each([...rankingCases, ...storageCases])('%s', async (_, check) => {
    await check(await routedStore(semanticOptions()));
  });

  it('for searches and deletions', async () => {
    const store = await routedStore({ entities: storedEntities });
    expect(await compareAll(store, 400)).toBeGreaterThanOrEqual(400);
    for (const connectorId of await store.connectors()) await store.removeConnector(connectorId);
  });

  it('for summaries', async () => {
    expect(await compareSummaries(await routedStore({ entities: storedEntities }), 400)).toBeGreaterThanOrEqual(400);
  });

  it('for filters that match nothing', async () => {
    const store = await routedStore({ entities: [{ ...tasks, known: ['state.name'] }] });
    const collection = { connectorId: 'con_1', type: 'sample', entity: 'tasks' };
    await store.write(collection, [{ id: 'a', title: 'Task', priority: 1, state: { name: 'Todo' } }]);
    const filter = { eq: { 'state.name': 'todo' }, gt: { priority: 5 }, keyword: { title: 'other' } };
    expect((await store.search({ ...collection, params: { query: { filter } } })).meta.empty).toMatchObject({ of: 1 });
  });

  it('for texts in an object store, exports and imports', async () => {
    const { objects, keys } = newObjects();
    const { entities: _, ...rest } = semanticOptions();
    const store = await routedStore({ ...rest, entities: [documents], objects, maxInline, graceMs: 0 });
    const of = documentsOf('con_1');
    await store.write(of, [longDocument('a', 'zebra'), longDocument('bb', 'okapi')], textsOf);
    expect(await embedAll(store)).toBeGreaterThan(2);
    expect(await store.countUnembedded('words')).toBeGreaterThanOrEqual(0);
    const lines: string[] = [];
    for await (const line of exportRecords(store)) lines.push(line);
    await store.remove(of, ['a']);
    await store.collectObjects();
    expect(keys().length).toBeGreaterThan(0);
    await importRecords(store, lines, () => textsOf);
    expect(await store.count(of)).toBe(2);
    const params = { semantic: { field: 'content', prompt: 'okapi' }, limit: 1 };
    expect((await store.semanticSearch({ ...of, params })).hits[0]!.record.id).toBe('bb');
    expect(await store.removeConnector('con_1')).toBe(2);
  });

  it('for a service that replicates', async () => {
    const databaseUrl = await clusterDatabase();
    await (await openTestStore(databaseUrl, { entities: [] })).close();
    await distribute(databaseUrl);
    const strict = new URL(databaseUrl);
    strict.searchParams.set('options', '-c citus.multi_task_query_log_level=error');
    const sandbox = createSandbox({ seed: 7, scale: 0.2 });
    const service = await createService({
      dataFolder: newFolder(),
      databaseUrl: strict.href,
      key: newKey(),
      fetch: sandbox.fetch,
    });
    onTestFinished(() => service.close());
    const tenant = await tenantOf(service, 'Acme');
    const id = await tenant.connect('linear', sandbox.vendors.linear.credentials.api_key);
    const jobs = async () => (await tenant.ask('GET', `/api/v1/integrations/connectors/${id}/jobs`)).body.data;
    await expect.poll(async () => (await jobs())[0]?.status, { timeout: 120_000, interval: 500 }).toBe('done');
    const params = { query: { filter: { like: { title: '%a%' } }, sort: [{ createdAt: 'asc' }] } };
    const { body } = await execute(tenant, id, 'issues', 'context_store_search', params);
    expect(body.result.data.length).toBeGreaterThan(0);
  });
});
