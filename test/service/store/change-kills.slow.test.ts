import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { Consumer, seeded } from './changes.js';
import { collection, newFolder, newStore, removeBuilt } from './fixtures.js';
import { batchSize, startWriter, writtenEntity } from './kills.js';

afterAll(removeBuilt);

/** How often the writing process is killed, and how many records it writes before each kill. */
const kills = Number(process.env.CHANGE_KILLS ?? 3);
const recordsPerKill = Number(process.env.CHANGE_RECORDS ?? 400);

test('a consumer that reads while the writing process is killed gets every record once, in order', {
  timeout: 3_600_000,
}, async () => {
  const folder = newFolder();
  const random = seeded(7);
  const consumer = new Consumer();
  let reads = 0;
  for (let round = 0; round < kills; round++) {
    const { child, acknowledged, done } = await startWriter(folder, `round${round}`, 100_000);
    await once(child.stdout!, 'data');
    // Opened in another process while the first one writes.
    const store = await newStore({ folder, worker: null, entities: [writtenEntity] });
    while (acknowledged.length * batchSize < recordsPerKill) {
      const saved = { cursor: consumer.cursor, copy: new Map(consumer.copy) };
      await consumer.pull(store, 1 + Math.floor(random() * 100));
      reads += 1;
      // The consumer ends before it has stored what it has read.
      if (random() < 0.2) {
        consumer.cursor = saved.cursor;
        consumer.copy.clear();
        for (const [id, record] of saved.copy) consumer.copy.set(id, record);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    child.kill('SIGKILL');
    await done;
    await store.close();
    const again = await newStore({ folder, worker: null, entities: [writtenEntity] });
    await consumer.drain(again);
    const stored: string[] = [];
    for await (const id of again.ids(collection)) stored.push(id);
    expect([...consumer.copy.keys()].sort()).toEqual(stored.sort());
    expect(stored.length).toBeGreaterThanOrEqual(acknowledged.length * batchSize);
    expect(consumer.unknownDeletions).toBe(0);
    await again.close();
  }
  expect(reads).toBeGreaterThan(0);
});
