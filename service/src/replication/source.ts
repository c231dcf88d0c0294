import type { Json, Source } from 'agent-connectors/replication';
import { Stopped } from './faults.js';
import type { Job } from './job.js';

/** What a replica is read with: the vendor, and what has been stored of it. */
export function sourceFor(job: Job, entity: string, state: Json | undefined): Source {
  const { calls, claim, parts, signal } = job;
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
    textOf: (...file) => unlessStopped(() => textOf(...file), signal),
  };
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
