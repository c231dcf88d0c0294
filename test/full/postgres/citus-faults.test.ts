import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../service/src/common/log.js';
import { distribute } from '../../../service/src/data/records/index.js';
import { execute, tenantOf } from '../../service/http/setup.js';
import { newKey } from '../../service/keys.js';
import { waitForNewestJob } from '../../service/replication/setup.js';
import { collection, newFolder, tasks } from '../../service/store/fixtures.js';
import { notes } from '../../service/store/semantic-sample.js';
import { citusUrl, clusterDatabase, distributedStore, ownerUrl, superuserUrl } from './cluster.js';
import { Load, workerOf } from './cluster-load.js';
import { surviveKills } from './kills.js';
import { removeProgram } from './processes.js';
import { crash } from './worker-process.js';

afterAll(removeProgram);

/** How long a worker is down. */
const downMs = 20_000;
/** Connectors, so many that some are on each worker. */
const connectorCount = 6;

describe.skipIf(!citusUrl)('faults on Citus', { timeout: 600_000 }, () => {
  it('neither lose nor duplicate acknowledged data if the writing process is killed', async () => {
    const { url, store } = await distributedStore({ entities: [notes] });
    await store.close();
    await surviveKills(url, 20, ownerUrl(url));
  });

  it('preserve the records of a killed worker, while records on other workers can still be written and searched', async () => {
    const { url, store } = await distributedStore({ entities: [tasks] });
    const connectorIds = Array.from({ length: 12 }, (_, number) => `con_${number}`);
    for (const connectorId of connectorIds)
      await store.write({ ...collection, connectorId }, [{ id: '0-0', title: 'Task 0' }]);
    const workers = await Promise.all(connectorIds.map((id) => workerOf(url, id)));
    const other = connectorIds.find((_, index) => workers[index]!.port !== workers[0]!.port)!;
    const [dying, living] = [new Load(store, 'con_0'), new Load(store, other)];
    for (let round = 0; round < 3; round++) {
      await Promise.all([dying.progress(10), living.progress(10)]);
      const restart = await crash(superuserUrl(workers[0]!, 'postgres'));
      const failed = dying.failures.length;
      // Enough records that the statistics of a table are refreshed, too.
      await living.progress(60);
      expect(dying.failures.length).toBeGreaterThan(failed);
      const restarted = performance.now();
      await restart();
      const accepted = performance.now();
      await dying.progress(1);
      const resumed = performance.now();
      console.log(
        `measured: a killed worker accepts connections ${Math.round(accepted - restarted)} ms after its restart, ` +
          `reads and writes go on ${Math.round(resumed - accepted)} ms later`,
      );
    }
    await Promise.all([dying.progress(10), living.progress(10)]);
    const results = { dying: await dying.stop(), living: await living.stop() };
    console.log(
      `measured: ${JSON.stringify(results)}, failures ${dying.failures.length} and ${living.failures.length}, ` +
        `gaps ${JSON.stringify(living.longestGapMs)}`,
      [...new Set([...dying.failures, ...living.failures].map(({ message }) => message.slice(0, 120)))],
    );
    expect(living.failures).toEqual([]);
    expect(results).toMatchObject({ dying: { lost: 0, extra: 0 }, living: { lost: 0, extra: 0 } });
  });

  it('leave every acknowledged write of a service in its replica within a minute, and no call gets a 500', async () => {
    const url = await clusterDatabase();
    const options = { databaseUrl: url, key: newKey(), embedder: 'none' } as const;
    await (await createService({ ...options, dataFolder: newFolder() })).close();
    await distribute(url);
    const sandbox = createSandbox({ seed: 7, scale: 0.1 });
    // All connectors share a key, whose limits are not what is tested.
    sandbox.vendors.linear.limits = { requestsPerHour: 1e6, complexityPerHour: 1e9 };
    const logged: string[] = [];
    const logger = createLogger({ level: 'error', destination: { write: (line) => logged.push(line) } });
    const service = await createService({ ...options, dataFolder: newFolder(), fetch: sandbox.fetch, logger });
    onTestFinished(() => service.close());
    const tenant = await tenantOf(service, 'Acme');
    const { credentials } = sandbox.vendors.linear;
    const ids: string[] = [];
    for (let number = 0; number < connectorCount; number++) {
      ids.push(
        await tenant.connect('linear', credentials.api_key, {
          replication_config: { entities: ['issues'], interval: '30d' },
        }),
      );
    }
    for (const id of ids) await waitForNewestJob(tenant, id);
    const workers = await Promise.all(ids.map((id) => workerOf(url, id)));
    expect(new Set(workers.map(({ port }) => port)).size).toBeGreaterThan(1);
    const { result: teams } = (await execute(tenant, ids[0]!, 'teams', 'list')).body;
    const created = new Map<string, string[]>(ids.map((id) => [id, []]));
    const statuses = new Map<string, number>();
    const note = (kind: string, status: number) =>
      statuses.set(`${kind} ${status}`, (statuses.get(`${kind} ${status}`) ?? 0) + 1);
    const hints = new Set<string>();
    let running = true;
    onTestFinished(() => {
      running = false;
    });
    const load = ids.map(async (id, number) => {
      for (let count = 0; running; count++) {
        const title = `Load ${number} ${count}`;
        const { status, body } = await execute(tenant, id, 'issues', 'create', {
          teamId: teams[0].id,
          title,
          description: `Written while a worker may be down: ${title}.`,
        });
        note('create', status);
        if (status === 503) hints.add(body.hint);
        if (status === 200) created.get(id)!.push(body.result.issue.id);
        for (const params of [
          { query: { filter: { keyword: { title: 'load' } } }, limit: 1 },
          { query: { filter: { eq: { title } } }, limit: 1 },
        ]) {
          const found = await execute(tenant, id, 'issues', 'context_store_search', params);
          note('search', found.status);
          if (found.status === 503) hints.add(found.body.hint);
        }
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    });
    for (let round = 0; round < 3; round++) {
      const restart = await crash(superuserUrl(workers[0]!, 'postgres'));
      expect((await tenant.ask('GET', '/ready')).body).toEqual({ status: 'ready', nodes: { available: 1, total: 2 } });
      expect((await tenant.ask('GET', '/metrics')).text).toContain('agent_connectors_record_nodes{state="down"} 1');
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await restart();
      expect((await tenant.ask('GET', '/ready')).body.nodes).toEqual({ available: 2, total: 2 });
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    }
    running = false;
    await Promise.all(load);
    const returned = performance.now();
    const total = [...created.values()].flat().length;
    console.log(
      `measured: ${total} issues created; ${JSON.stringify([...statuses].sort())}; ${JSON.stringify([...hints])}`,
    );
    const summary = logged.flatMap((line) => {
      const { request_id, connector_id, failures, err } = JSON.parse(line);
      return request_id === 'write-through' ? [`${connector_id} ${err.name} ${err.code} ${failures ?? 1}`] : [];
    });
    console.log(`measured: ${summary.length} lines about write-through in the log`, summary);
    for (const id of ids) {
      const missing = async () => {
        const lost: string[] = [];
        const written = created.get(id)!;
        for (let at = 0; at < written.length; at += 100) {
          const batch = written.slice(at, at + 100);
          const params = { query: { filter: { in: { id: batch } } }, fields: ['id'], limit: 100 };
          const { status, body } = await execute(tenant, id, 'issues', 'context_store_search', params);
          if (status !== 200) return `status ${status}`;
          const found = new Set(body.result.data.map((issue: any) => issue.id));
          lost.push(...batch.filter((issue) => !found.has(issue)));
        }
        return lost.length;
      };
      const left = Math.max(1_000, 60_000 - (performance.now() - returned));
      await expect.poll(missing, { timeout: left, interval: 500 }).toBe(0);
    }
    console.log(`measured: all in the replica ${Math.round(performance.now() - returned)} ms after the last write`);
    expect([...statuses.keys()].filter((status) => status.endsWith(' 500'))).toEqual([]);
    for (const hint of hints) expect(hint).toMatch(/node of the cluster|connection|starting/);
    for (const id of ids) expect(created.get(id)!.length).toBeGreaterThan(10);
  });
});
