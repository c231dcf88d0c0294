import type { Job } from './types.js';

/** So many ids are removed at once. */
const handful = 1000;

/** Removes the records of an entity that are not to be kept; all of them when nothing is said of that. */
export async function emptied(job: Job, entity: string, kept?: ReadonlySet<string>): Promise<number> {
  const { store } = job.parts;
  const collection = job.collection(entity);
  let removed = 0;
  let waiting: string[] = [];
  const flush = async () => {
    await job.check();
    removed += await store.remove(collection, waiting);
    waiting = [];
  };
  // A type's older release may have had entities that the store no longer knows.
  if (!store.entities.some((one) => one.type === collection.type && one.entity === entity)) return 0;
  for await (const id of store.ids(collection)) {
    if (kept?.has(id)) continue;
    waiting.push(id);
    if (waiting.length >= handful) await flush();
  }
  if (waiting.length > 0) await flush();
  return removed;
}
