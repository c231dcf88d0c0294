import { setTimeout as wait } from 'node:timers/promises';
import { ConnectorError } from 'agent-connectors';
import type { Write } from 'agent-connectors/replication';
import type { ConnectorKey, UnstoredRecord, WrittenRecords } from '../../data/state/replication-types.js';
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
/** How often to look for records that ended processes have left, and the longest pause after failures, in milliseconds. */
const resumeMs = 15_000;
/** How long a connector's records are not read back after a failure, which doubles with each one, in milliseconds. */
const firstPauseMs = 1_000;
const minute = 60_000;
/** How long closing waits for records that are being read back, in milliseconds. */
const closeMs = 1_000;

/** Keeps replicas up to date with writes through the service: written records are read back and stored. */
export interface WriteThrough {
  /** The records that a write has changed, to be marked before its response is sent, so that a search waits for them. */
  recordsOf(row: ConnectorRow, write: Write): WrittenRecords[];
  /** Starts reading marked records back. While the database or the vendor is unavailable, this is repeated. */
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
  const { definitions, now, report, state, store } = dependencies;
  const queues = new Map<string, Queue>();
  const stopping = new AbortController();
  const failures = openFailureLog(report, now);

  /** Connectors whose database or vendor is unavailable: their records stay marked, and are read back after the pause. */
  const pauses = new Map<string, { readonly timer: NodeJS.Timeout; readonly ms: number; isOver: boolean }>();
  const isPaused = (connectorId: string) => pauses.get(connectorId)?.isOver === false;
  const pause = (connector: ConnectorKey): void => {
    if (stopping.signal.aborted || isPaused(connector.id)) return;
    const ms = Math.min(2 * (pauses.get(connector.id)?.ms ?? firstPauseMs / 2), resumeMs);
    const timer = setTimeout(async () => {
      own.isOver = true;
      try {
        await resume(connector);
      } catch (error) {
        failures.report(error, connector.id);
        pause(connector);
      }
    }, ms);
    timer.unref();
    const own = { timer, ms, isOver: false };
    pauses.set(connector.id, own);
  };

  /** Returns whether the records were read back, or never will be; otherwise, this is to be repeated later. */
  const readBack = async ({ row, next }: Queue, entity: string, ids: readonly string[]): Promise<boolean> => {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(readBackMs)]);
    try {
      const definition = definitions.of(row.type);
      const { replication } = definition;
      if (!replication) return true;
      const reading = await openReading(row, { definition, replication }, dependencies, {
        signal,
        timeoutMs: readBackMs,
      });
      await withHolding(dependencies.memory, row.organizationId, () => refreshRecords(reading, entity, ids));
    } catch (error) {
      if (stopping.signal.aborted) return false;
      failures.report(error, row.id);
      if (isTemporary(error)) return false;
      // Records written again in the meantime are read again.
      const unread = ids.filter((id) => !next.get(entity)?.has(id));
      await state.replicas.noteRead(row.id, entity, await state.replicas.written(row.id, entity, unread), 'failed');
    }
    return true;
  };
  /** Reads back what is queued for a connector. */
  const runPass = async (queue: Queue): Promise<void> => {
    const { next, row } = queue;
    const batches = [...next].flatMap(([entity, ids]) => batchesOf([...ids]).map((batch) => [entity, batch] as const));
    next.clear();
    queue.isPassQueued = false;
    if (isPaused(row.id)) return;
    try {
      // An entity that cannot be read does not hold up the others.
      const failed = new Set<string>();
      for (const [entity, ids] of batches)
        if (!failed.has(entity) && !(await readBack(queue, entity, ids))) failed.add(entity);
      if (failed.size > 0) return pause(row);
      pauses.delete(row.id);
      // The connector may have been deleted in the meantime.
      if (!(await state.connectors.existing([row.id])).has(row.id)) await store.removeConnector(row.id);
    } catch (error) {
      if (stopping.signal.aborted) return;
      failures.report(error, row.id);
      pause(row);
    }
  };
  /** Resolves once the records have been read back, or could not be. */
  const enqueue = (
    row: ConnectorRow,
    written: ReadonlyArray<Pick<WrittenRecords, 'entity' | 'ids'>>,
  ): Promise<void> => {
    if (stopping.signal.aborted || isPaused(row.id)) return Promise.resolve();
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
    if (pending.length === 0 || isPaused(row.id)) return countByEntity(unread);
    const timeout = new AbortController();
    const isOver = wait(readBackMs, true, { signal: timeout.signal }).catch(() => true);
    // What this process is already reading back need not be read again.
    let reading = queues.get(row.id)?.pass ?? enqueue(row, byEntity(pending));
    while (!(await Promise.race([reading.then(() => stopping.signal.aborted), isOver]))) {
      const now = new Map((await state.replicas.unstored(row.id)).map((record) => [keyOf(record), record]));
      const left = pending.flatMap((record) => now.get(keyOf(record)) ?? []);
      missing.push(...left.filter(({ status }) => status === 'failed'));
      pending = left.filter(({ status }) => status === 'pending');
      if (pending.length === 0 || isPaused(row.id)) break;
      reading = enqueue(row, byEntity(pending));
    }
    timeout.abort();
    return countByEntity([...missing, ...pending]);
  };
  /** Reads back the marked records of a connector. */
  const resume = async ({ id, organizationId }: ConnectorKey): Promise<void> => {
    const row = await state.connectors.get({ organizationId }, id);
    if (!row) {
      pauses.delete(id);
      return;
    }
    const pending = (await state.replicas.unstored(id)).filter(({ status }) => status === 'pending');
    await enqueue(row, byEntity(pending));
  };
  const resumeAbandoned = async () => {
    for (const connector of await state.replicas.abandoned()) await resume(connector);
  };
  let resuming: Promise<unknown> | undefined;
  const tryToResume = () => {
    resuming ??= resumeAbandoned()
      .catch((error) => failures.report(error))
      .finally(() => {
        resuming = undefined;
      });
  };
  tryToResume();
  const timer = setInterval(() => {
    failures.summarize();
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
      for (const pause of pauses.values()) clearTimeout(pause.timer);
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

/** Reports at most one failure per connector and cause a minute, with the number of those that are not reported. */
function openFailureLog(report: ReadingDependencies['report'], now: () => number) {
  interface Failures {
    readonly last: unknown;
    readonly connectorId: string | undefined;
    readonly reportedAt: number;
    readonly unreported: number;
  }
  const byCause = new Map<string, Failures>();
  return {
    report(error: unknown, connectorId?: string): void {
      const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
      const cause = JSON.stringify([connectorId, name, code]);
      const known = byCause.get(cause);
      if (!known) report(error, 'write-through', { connector_id: connectorId });
      const { reportedAt, unreported } = known ?? { reportedAt: now(), unreported: -1 };
      byCause.set(cause, { last: error, connectorId, reportedAt, unreported: unreported + 1 });
    },
    /** Reports the failures of the last minute, and forgets causes without any. */
    summarize(): void {
      for (const [cause, failures] of byCause) {
        const { last, connectorId, reportedAt, unreported } = failures;
        if (now() < reportedAt + minute) continue;
        if (unreported === 0) byCause.delete(cause);
        else {
          report(last, 'write-through', { connector_id: connectorId, failures: unreported });
          byCause.set(cause, { ...failures, reportedAt: now(), unreported: 0 });
        }
      }
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
