import type { Batch, Source } from 'agent-connectors/replication';
import type { Holding } from '../limits/memory.js';
import type { Reading } from './types.js';

/** Records stored together at most: beyond that, a transaction costs little compared with its records. */
const maxRecords = 400;
/** Bytes held at most, in memory as the budget counts it. */
const maxBytes = 16 * 2 ** 20;
/** How long batches wait for the next one, in milliseconds. */
const maxWaitMs = 300;

/**
 * Collects a run's batches, so that they are stored in one transaction: storing a page alone costs several times as much
 * per record. Batches that report more than records stay alone, since the order of what they report matters.
 */
export class BatchMerger {
  #batches: Batch[] = [];
  #isStoring = false;
  #storeNow: (() => void) | undefined;
  #waiting: Array<() => void> = [];

  /** Lists of batches to store together. Batches are stored without waiting for a next one that is late. */
  async *merge(
    batches: AsyncIterable<Batch>,
    holding: () => Pick<Holding, 'bytes'> | undefined,
  ): AsyncGenerator<readonly Batch[]> {
    const iterator = batches[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = iterator.next();
        // It may fail while the batches before it are being stored.
        next.catch(() => undefined);
        if (this.#batches.length > 0 && !(await this.#arrivesSoon(next))) yield* this.#take();
        const { done, value } = await next;
        if (done) break;
        if (!isMergeable(value)) yield* this.#take();
        this.#batches.push(value);
        const records = this.#batches.reduce((sum, batch) => sum + (batch.records?.length ?? 0), 0);
        if (!isMergeable(value) || records >= maxRecords || (holding()?.bytes ?? 0) >= maxBytes) yield* this.#take();
      }
      yield* this.#take();
    } catch (error) {
      yield* this.#take();
      throw error;
    } finally {
      void iterator.return?.(undefined).then(undefined, () => undefined);
    }
  }

  /** A source that stores the collected batches before it reads the replica. */
  sourceOf(source: Source): Source {
    const stored = async () => {
      if (this.#batches.length === 0 && !this.#isStoring) return;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        this.#storeNow?.();
      });
    };
    const after = async function* <T>(list: () => AsyncIterable<T>): AsyncGenerator<T> {
      await stored();
      yield* list();
    };
    return {
      ...source,
      stored: async (ids) => {
        await stored();
        return source.stored(ids);
      },
      storedIds: () => after(() => source.storedIds()),
      storedWith: (fields) => after(() => source.storedWith(fields)),
    };
  }

  /** Whether the next batch arrives before those collected must be stored. */
  #arrivesSoon(next: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      const late = () => resolve(false);
      const timer = setTimeout(late, maxWaitMs);
      this.#storeNow = late;
      const arrived = () => {
        clearTimeout(timer);
        resolve(true);
      };
      next.then(arrived, arrived);
      if (this.#waiting.length > 0) late();
    });
  }

  *#take(): Generator<readonly Batch[]> {
    const batches = this.#batches;
    this.#batches = [];
    this.#isStoring = true;
    try {
      if (batches.length > 0) yield batches;
    } finally {
      this.#isStoring = false;
      for (const resume of this.#waiting.splice(0)) resume();
    }
  }
}

const isMergeable = ({ removed = [], failed = [], resolved = [] }: Batch): boolean =>
  removed.length + failed.length + resolved.length === 0;

/** The batches as one, or as they are if the organization's quota may have room for some of them only. */
export async function batchesToStore(
  { row, dependencies }: Reading,
  batches: readonly Batch[],
): Promise<readonly Batch[]> {
  const records = batches.flatMap((batch) => batch.records ?? []);
  const { recordsPerOrganization, state } = dependencies;
  if (batches.length === 1) return batches;
  if (recordsPerOrganization > 0) {
    const stored = await state.replicas.countRecords(row.organizationId);
    if (stored + records.length > recordsPerOrganization) return batches;
  }
  const last = <Name extends 'progress' | 'total'>(name: Name) =>
    batches.findLast((batch) => batch[name] !== undefined)?.[name];
  return [{ ...batches.at(-1)!, records, progress: last('progress'), total: last('total') }];
}
