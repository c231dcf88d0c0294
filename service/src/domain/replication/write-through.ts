import { setTimeout as wait } from 'node:timers/promises';
import { ConnectorError } from 'agent-connectors';
import type { Write } from 'agent-connectors/replication';
import type { UnstoredRecord, WrittenRecords } from '../../data/state/replication-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import { isDatabaseUnavailable } from '../../data/unavailable.js';
import { replicatedEntities } from '../connectors/definitions.js';
import { withHolding } from '../limits/memory.js';
import { openReading } from './engine.js';
import { JobStoppedError } from './faults.js';
import { refreshRecords } from './refresh.js';
import type { ReadingDependencies } from './types.js';

/** How long the vendor may take to return written records, and how long a search waits for them. */
const readBackMs = 10_000;
/** Number of written records read back at a time. */
const maxBatch = 200;
/** How often to read back what the database could not store, or an ended process has left, in milliseconds. */
const resumeMs = 15_000;
/** How long closing waits for records that are being read back, in milliseconds. */
const closeMs = 1_000;

/** Keeps replicas up to date with writes through the service: written records are read back and stored. */
export interface WriteThrough {
  /** The records that a write has changed, to be marked before its response is sent, so that a search waits for them. */
  recordsOf(row: ConnectorRow, write: Write): WrittenRecords[];
  /** Starts reading marked records back; if that fails, the next sync stores them. */
  start(row: ConnectorRow, written: readonly WrittenRecords[]): void;
  /**
   * Waits until the connector's replicas contain all writes through the service, by any process, that were acknowledged
   * before. Returns the entities with records that could not be read back in time, and how many they are.
   */
  settle(row: ConnectorRow): Promise<ReadonlyMap<string, number>>;
  /** Stops after a short time; other processes, or the next start, read the remaining records back. */
  close(): Promise<void>;
}

/** The records of a connector that this process reads back, one batch after another. */
interface Queue {
  row: ConnectorRow;
  /** Ids of the next batches, by entity. */
  readonly next: Map<string, Set<string>>;
  /** Resolves once everything that was queued before has been read back, or could not be. */
  pass: Promise<void>;
  isPassQueued: boolean;
}

/** Opens the write-through, and looks for what processes have left behind. */
export function openWriteThrough(dependencies: ReadingDependencies): WriteThrough {
  const { definitions, report, state, store } = dependencies;
  const queues = new Map<string, Queue>();
  const stopping = new AbortController();

  /** Records that could not be read or stored for a temporary reason, by connector: they are read back again while this process runs. */
  const postponed = new Map<string, { row: ConnectorRow; readonly records: WrittenRecords[] }>();
  const postpone = (row: ConnectorRow, entity: string, ids: readonly string[]) => {
    const { records } = postponed.get(row.id) ?? { records: [] };
    postponed.set(row.id, { row, records: [...records, { connectorId: row.id, entity, ids }] });
  };
  const retryPostponed = () => {
    const due = [...postponed.values()];
    postponed.clear();
    for (const { row, records } of due) void enqueue(row, records);
  };

  const readBack = async ({ row, next }: Queue, entity: string, ids: readonly string[]): Promise<void> => {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(readBackMs)]);
    try {
      const definition = definitions.of(row.type);
      const { replication } = definition;
      if (!replication) return;
      const reading = await openReading(row, { definition, replication }, dependencies, {
        signal,
        timeoutMs: readBackMs,
      });
      await withHolding(dependencies.memory, row.organizationId, () => refreshRecords(reading, entity, ids));
    } catch (error) {
      if (stopping.signal.aborted) return;
      report(error, 'write-through');
      if (isTemporary(error)) postpone(row, entity, ids);
      // Records written again in the meantime are read again.
      const unread = ids.filter((id) => !next.get(entity)?.has(id));
      await state.replicas.noteRead(row.id, entity, await state.replicas.written(row.id, entity, unread), 'failed');
    }
  };
  /** Reads back what is queued for a connector. */
  const runPass = async (queue: Queue): Promise<void> => {
    const { next } = queue;
    const batches = [...next].flatMap(([entity, ids]) => batchesOf([...ids]).map((batch) => [entity, batch] as const));
    next.clear();
    queue.isPassQueued = false;
    try {
      for (const [entity, ids] of batches) await readBack(queue, entity, ids);
      // The connector may have been deleted in the meantime.
      const { id } = queue.row;
      if (!(await state.connectors.existing([id])).has(id)) await store.removeConnector(id);
    } catch (error) {
      if (!stopping.signal.aborted) report(error, 'write-through');
    }
  };
  /** Resolves once the records have been read back, or could not be. */
  const enqueue = (
    row: ConnectorRow,
    written: ReadonlyArray<Pick<WrittenRecords, 'entity' | 'ids'>>,
  ): Promise<void> => {
    if (stopping.signal.aborted) return Promise.resolve();
    let queue = queues.get(row.id);
    if (!queue) {
      queue = { row, next: new Map(), pass: Promise.resolve(), isPassQueued: false };
      queues.set(row.id, queue);
    }
    const own = queue;
    own.row = row;
    for (const { entity, ids } of written) {
      const waiting = own.next.get(entity) ?? new Set();
      for (const id of ids) waiting.add(id);
      own.next.set(entity, waiting);
    }
    if (own.isPassQueued) return own.pass;
    own.isPassQueued = true;
    const pass = own.pass.then(() => runPass(own));
    own.pass = pass;
    void pass.then(() => {
      if (own.pass === pass) queues.delete(row.id);
    });
    return pass;
  };
  const settle: WriteThrough['settle'] = async (row) => {
    const unread = await state.replicas.unstored(row.id);
    const missing = unread.filter(({ status }) => status === 'failed');
    let pending = unread.filter(({ status }) => status === 'pending');
    if (pending.length === 0) return countByEntity(missing);
    const timeout = new AbortController();
    const isOver = wait(readBackMs, true, { signal: timeout.signal }).catch(() => true);
    // What this process is already reading back need not be read again.
    let reading = queues.get(row.id)?.pass ?? enqueue(row, byEntity(pending));
    while (!(await Promise.race([reading.then(() => stopping.signal.aborted), isOver]))) {
      const now = new Map((await state.replicas.unstored(row.id)).map((record) => [keyOf(record), record]));
      const left = pending.flatMap((record) => now.get(keyOf(record)) ?? []);
      missing.push(...left.filter(({ status }) => status === 'failed'));
      pending = left.filter(({ status }) => status === 'pending');
      if (pending.length === 0) break;
      reading = enqueue(row, byEntity(pending));
    }
    timeout.abort();
    return countByEntity([...missing, ...pending]);
  };
  const resume = async () => {
    for (const { id, organizationId } of await state.replicas.abandoned()) {
      const row = await state.connectors.get({ organizationId }, id);
      if (row) await settle(row);
    }
  };
  let resuming: Promise<unknown> | undefined;
  const tryToResume = () => {
    resuming ??= resume()
      .catch((error) => report(error, 'write-through'))
      .finally(() => {
        resuming = undefined;
      });
  };
  tryToResume();
  const timer = setInterval(() => {
    retryPostponed();
    tryToResume();
  }, resumeMs);
  timer.unref();
  return {
    recordsOf(row, write) {
      const definition = definitions.of(row.type);
      return replicatedEntities(row, definition).flatMap((entity) => {
        const ids = definition.replication?.entities[entity]?.lookup?.ids(write) ?? [];
        return ids.length > 0 ? [{ connectorId: row.id, entity, ids: [...new Set(ids)] }] : [];
      });
    },
    start(row, written) {
      if (written.length > 0) void enqueue(row, written);
    },
    settle,
    async close() {
      clearInterval(timer);
      const passes = [...queues.values()].map(({ pass }) => pass);
      const timeout = new AbortController();
      const isOver = wait(closeMs, undefined, { signal: timeout.signal }).catch(() => {});
      await Promise.race([Promise.all(passes), isOver]);
      timeout.abort();
      stopping.abort();
      await Promise.all([...queues.values()].map(({ pass }) => pass));
      await resuming;
    },
  };
}

/** Whether reading back may succeed later: the database or the vendor was unavailable, or too slow. */
const isTemporary = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || error instanceof JobStoppedError || (ConnectorError.is(error) && error.retryable);

/** Identifies the last write to a record. */
const keyOf = ({ entity, id, writeId }: UnstoredRecord): string => JSON.stringify([entity, id, writeId]);

function byEntity(records: readonly UnstoredRecord[]): Pick<WrittenRecords, 'entity' | 'ids'>[] {
  const entities = [...new Set(records.map(({ entity }) => entity))];
  return entities.map((entity) => ({
    entity,
    ids: records.filter((record) => record.entity === entity).map(({ id }) => id),
  }));
}

const countByEntity = (records: readonly UnstoredRecord[]): ReadonlyMap<string, number> =>
  new Map(byEntity(records).map(({ entity, ids }) => [entity, ids.length]));

function batchesOf(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / maxBatch);
  return Array.from({ length: count }, (_, index) => ids.slice(index * maxBatch, (index + 1) * maxBatch));
}
