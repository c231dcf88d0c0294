import { afterAll, describe, expect, it } from 'vitest';
import { collection, tasks } from '../../service/store/fixtures.js';
import { notes } from '../../service/store/semantic-sample.js';
import { citusUrl, distributedStore, ownerUrl, superuserUrl } from './cluster.js';
import { Load, workerOf } from './cluster-load.js';
import { surviveKills } from './kills.js';
import { removeProgram } from './processes.js';
import { crash } from './worker-process.js';

afterAll(removeProgram);

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
});
