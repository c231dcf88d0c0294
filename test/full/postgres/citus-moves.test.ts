import { describe, expect, it } from 'vitest';
import type { Store } from '../../../service/src/data/records/types.js';
import { collection, tasks } from '../../service/store/fixtures.js';
import { citusUrl, clusterWorkers, distributedStore, ownerUrl } from './cluster.js';
import { Load, workerOf } from './cluster-load.js';
import { query, withClient } from './server.js';

const connectorIds = ['con_0', 'con_1', 'con_2', 'con_3', 'con_4', 'con_5'];

/** Starts a load on every connector; `finish` checks what each one reports in the end. */
async function startLoads(store: Store) {
  const filler = Array.from({ length: 500 }, (_, index) => ({ id: `0-${index}`, title: 'Filler' }));
  for (const connectorId of connectorIds) await store.write({ ...collection, connectorId }, filler);
  const loads = connectorIds.map((connectorId) => new Load(store, connectorId));
  await Promise.all(loads.map((load) => load.progress(3)));
  return {
    progress: () => Promise.all(loads.map((load) => load.progress(3))),
    async finish(what: string) {
      const results = await Promise.all(loads.map((load) => load.stop()));
      const acknowledged = results.reduce((sum, one) => sum + one.acknowledged, 0);
      const longest = (kind: 'write' | 'search') =>
        Math.round(Math.max(...loads.map(({ longestGapMs }) => longestGapMs[kind])));
      console.log(
        `measured: ${what}: ${acknowledged} records acknowledged, longest gap of a connector's writes ` +
          `${longest('write')} ms, of its searches ${longest('search')} ms`,
      );
      expect(loads.flatMap(({ failures }) => failures)).toEqual([]);
      for (const result of results) expect(result).toMatchObject({ lost: 0, extra: 0 });
    },
  };
}

describe.skipIf(!citusUrl)('during writes and searches on Citus', { timeout: 600_000 }, () => {
  it('a worker is drained and refilled', async () => {
    const { url, store } = await distributedStore({ entities: [tasks] });
    const loads = await startLoads(store);
    const owner = ownerUrl(url);
    const [worker] = await clusterWorkers();
    const shards = async () => {
      const [row] = await query<{ count: number }>(
        owner,
        'select count(*)::integer as count from citus_shards where nodename = $1 and nodeport = $2',
        [worker!.host, worker!.port],
      );
      return row!.count;
    };
    const before = await shards();
    const started = performance.now();
    await query(owner, `select citus_drain_node($1, $2, shard_transfer_mode => 'block_writes')`, [
      worker!.host,
      worker!.port,
    ]);
    expect(await shards()).toBe(0);
    const drained = performance.now();
    await loads.progress();
    await query(owner, `select citus_set_node_property($1, $2, 'shouldhaveshards', true)`, [
      worker!.host,
      worker!.port,
    ]);
    const refilling = performance.now();
    await query(owner, `select rebalance_table_shards(shard_transfer_mode => 'block_writes')`);
    const refilled = performance.now();
    expect(await shards()).toBe(before);
    await loads.progress();
    console.log(
      `measured: ${before} shards moved away in ${Math.round(drained - started)} ms, ` +
        `back in ${Math.round(refilled - refilling)} ms`,
    );
    await loads.finish('rebalancing');
  });

  it('a connector gets its own shard and moves to another worker', async () => {
    const { url, store } = await distributedStore({ entities: [tasks] });
    const loads = await startLoads(store);
    const owner = ownerUrl(url);
    const [row] = await query<{ number: number }>(owner, `select number from connectors where connector_id = 'con_0'`);
    const [from, workers] = [await workerOf(url, 'con_0'), await clusterWorkers()];
    const to = workers.find(({ port }) => port !== from.port)!;
    await withClient(owner, async (run) => {
      const [isolated] = await run<{ shard: string }>(
        `select isolate_tenant_to_new_shard('terms', ${row!.number}, 'CASCADE', shard_transfer_mode => 'block_writes')::text as shard`,
      );
      await run(`select citus_move_shard_placement($1, $2, $3, $4, $5, 'block_writes')`, [
        isolated!.shard,
        from.host,
        from.port,
        to.host,
        to.port,
      ]);
    });
    expect((await workerOf(url, 'con_0')).port).toBe(to.port);
    await loads.progress();
    await loads.finish('isolating a connector');
  });
});
