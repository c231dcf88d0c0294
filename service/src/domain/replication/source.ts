import type { Expected, Json, Source } from 'agent-connectors/replication';
import type { Collection } from '../../data/records/index.js';
import { Stopped } from './faults.js';
import type { Job, JobParts } from './types.js';

/** What a replica is read with: the vendor, and what has been stored of it. */
export function sourceFor(job: Job, entity: string, state: Json | undefined): Source {
  const { calls, claim, parts, replication, signal } = job;
  const { store, now, textOf } = parts;
  const collection = job.collection(entity);
  const { replicationConfig, settings } = claim.row;
  return {
    ...{ state, settings, now, signal },
    config: replicationConfig ?? {},
    execute: (...asked) => unlessStopped(() => calls.execute(...asked), signal),
    call: (...asked) => unlessStopped(() => calls.call(...asked), signal),
    following: calls.following,
    followingCall: calls.followingCall,
    async stored(ids) {
      const found = await store.get(collection, ids);
      return new Map(found.map(({ id, record }) => [id, record]));
    },
    storedIds: () => store.ids(collection),
    storedWith: (fields) => idsWith(parts, collection, replication.entities[entity]!.key ?? ['id'], fields),
    idOf: (record) => store.idOf(collection.type, entity, record),
    shared: job.shared,
    textOf: (...file) => unlessStopped(() => textOf(...file), signal),
  };
}

/** So many records are looked up at once. */
const handful = 1000;

async function* idsWith(
  { store }: JobParts,
  collection: Collection,
  key: readonly string[],
  expected: Readonly<Record<string, Expected>>,
): AsyncGenerator<string> {
  const conditions = Object.entries(expected).map(([field, value]) =>
    'startsWith' in value
      ? { like: { [field]: `${value.startsWith.replace(/[\\%_]/g, '\\$&')}%` } }
      : { in: { [field]: value } },
  );
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const params = { query: { filter: { and: conditions } }, fields: key, limit: handful };
    const { data, meta } = await store.search({
      ...collection,
      params: { ...params, ...(cursor !== undefined && { cursor }) },
    });
    for (const record of data) yield store.idOf(collection.type, collection.entity, record);
    cursor = meta.cursor;
  }
}

/** A call that is waited for no longer than the job lasts. */
async function unlessStopped<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new Stopped();
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new Stopped());
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([call(), stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
