import type { StoredEntity } from '../../../service/src/data/records/entity.js';
import { openStore } from '../../../service/src/data/records/open.js';
import type { Store } from '../../../service/src/data/records/types.js';

/** An entity with a field of every type. */
export const tasks: StoredEntity = {
  type: 'sample',
  entity: 'tasks',
  fields: {
    id: 'string',
    title: 'string',
    createdAt: 'string',
    priority: 'number',
    views: 'integer',
    done: 'boolean',
    state: 'object',
    labels: 'array',
  },
  dateTimes: ['createdAt'],
  key: ['id'],
};

/** The collection that is searched; records of the other connector must never appear. */
export const own = { connectorId: 'con_own', type: 'sample', entity: 'tasks' };
export const foreign = { ...own, connectorId: 'con_foreign' };

/** An in-memory store with this many records for each of two connectors. */
export async function smallStore(count: number): Promise<Store> {
  const cursorKey = new Uint8Array(32).fill(7);
  const store = await openStore({ cursorKeys: () => [cursorKey], folder: ':memory:', entities: [tasks], worker: null });
  for (const collection of [own, foreign]) {
    const records = Array.from({ length: count }, (_, index) => ({
      id: `${collection.connectorId}-${index}`,
      title: `Task ${index} of many`,
      createdAt: `2026-03-0${(index % 9) + 1}T10:00:00Z`,
      priority: index % 5,
      views: index,
      done: index % 2 === 0,
      state: { name: index % 3 === 0 ? 'open' : 'closed', rank: index, deep: { flag: true } },
      labels: ['red', String(index % 4)],
    }));
    await store.write(collection, records);
  }
  return store;
}
