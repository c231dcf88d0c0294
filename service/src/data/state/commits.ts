import { isDatabaseUnavailable } from '../unavailable.js';
import { auditColumns, type Chain, genesis, headOf, lockOf } from './audit/chain.js';
import type { AuditEntry, NewAuditEntry } from './audit/types.js';
import { type ColumnTypes, type Database, LockTimeout, sanitizeValue, withinOrganization } from './database.js';
import type { LedgerChange, LedgerRows } from './ledger-rows.js';
import type { MarkRecords } from './replicas.js';
import type { WrittenRecords } from './replication-types.js';

/** What a call stores, entirely or not at all. */
export interface Unit {
  readonly organizationId: string;
  /** An audit entry before `entry`, which then refers to it. */
  readonly opening?: NewAuditEntry | undefined;
  readonly entry?: NewAuditEntry | undefined;
  readonly ledger?: LedgerChange | undefined;
  readonly written?: readonly WrittenRecords[] | undefined;
}

/** What has been stored. */
export interface CommittedUnit {
  /** The audit entries, in order. */
  readonly entries: readonly AuditEntry[];
  /** Whether the request still executes the write in the ledger; only then has the ledger changed. */
  readonly isOwn: boolean;
}

/** Stores units of concurrent calls together, in order within each organization. */
export interface Commits {
  /** Durable once resolved; throws if that fails. */
  commit(unit: Unit): Promise<CommittedUnit>;
  /** Stored shortly afterwards. */
  commitSoon(unit: Unit): void;
  /** Stores pending units now: those of one organization, or all. */
  flush(organizationId?: string): Promise<void>;
}

/** What storing units needs. */
export interface CommitDependencies {
  readonly chain: Chain;
  readonly ledger: LedgerRows;
  readonly mark: MarkRecords;
  readonly now: () => number;
  /** Receives audit entries that have been stored. */
  readonly onAppended?: ((entries: readonly AuditEntry[]) => Promise<void>) | undefined;
  /** Called when units without a waiting caller could not be stored. */
  readonly report: (error: unknown) => void;
}

/** How long to delay units without a waiting caller so that they share a transaction, in milliseconds. */
const batchDelayMs = 50;
/** Number of pending units that triggers a transaction, and maximum number in one. */
const maxBatch = 500;
/** Maximum length of the responses in a transaction of several units, in characters. */
const maxBatchLength = 8 * 1024 * 1024;
/** How long units of all organizations wait for the lock of one, in milliseconds. */
const maxLockWaitMs = 1_000;
/** The same while the lock of another one is known to be held, because a process often holds several. */
const nextLockWaitMs = 100;

/** A pending unit, when it was recorded (ISO 8601), and its waiting caller. */
interface PendingUnit {
  readonly unit: Unit;
  readonly at: string;
  readonly onStored?: ((stored: CommittedUnit) => void) | undefined;
  readonly onFailed?: ((error: unknown) => void) | undefined;
}

/** Units that waited too long for a lock, and its name. */
interface Waiting {
  readonly lock: string;
  readonly units: readonly PendingUnit[];
}

const isInteger: ReadonlySet<string> = new Set<keyof AuditEntry>(['seq', 'begun_as', 'duration_ms']);

/**
 * The organizations' units share transactions: those that arrive during one are stored by the next. If a process,
 * perhaps a frozen one, holds the lock of an organization's log for long, that organization's units are stored
 * separately until they no longer have to wait. If a transaction fails, each unit is stored alone, so that one that
 * cannot be stored does not affect the others.
 */
export function openCommits(database: Database, dependencies: CommitDependencies): Commits {
  const { chain, ledger, mark, now, onAppended, report } = dependencies;
  let pending: PendingUnit[] = [];
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> | undefined;
  const held = new Map<string, PendingUnit[]>();
  let storingHeld: Promise<void> | undefined;

  const insertEntries = database.forRows<AuditEntry>(
    Object.fromEntries(
      auditColumns.map((name) => [name, isInteger.has(name) ? 'integer' : 'text']),
    ) as ColumnTypes<AuditEntry>,
    (rows) =>
      database.query
        .insertInto('audit')
        .columns(auditColumns)
        .expression(database.query.selectFrom(rows).select(auditColumns.map((name) => `rows.${name}` as const))),
  );
  /** Stores units of one organization. */
  const storeIn = async (organizationId: string, units: readonly PendingUnit[], lockWaitMs: number) => {
    await database.lock(lockOf(organizationId), lockWaitMs);
    // Read each time: another process may have written since.
    let last = (await headOf(database, organizationId)) ?? genesis;
    const append = async (entry: NewAuditEntry, at: string): Promise<AuditEntry> => {
      // Normalized before hashing, because the digest must match the values as they are read back.
      const columns = Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, sanitizeValue(value)]));
      const linked = { ...(columns as unknown as NewAuditEntry), at, seq: last.seq + 1, previous: last.digest };
      const appended = { ...linked, digest: await chain.digestOf(linked) };
      last = appended;
      return appended;
    };
    const own = await ledger.store(
      organizationId,
      units.flatMap(({ unit }) => unit.ledger ?? []),
    );
    const stored: CommittedUnit[] = [];
    for (const { unit, at } of units) {
      const opening = unit.opening && (await append(unit.opening, at));
      const begun = opening && { begun_as: opening.seq };
      const entry = unit.entry && (await append({ ...unit.entry, ...begun }, at));
      const entries = [opening, entry].filter((appended) => appended !== undefined);
      stored.push({ entries, isOwn: unit.ledger !== undefined && own.has(unit.ledger.attempt) });
    }
    await insertEntries(stored.flatMap(({ entries }) => entries));
    await mark(units.flatMap(({ unit }) => unit.written ?? []));
    return stored;
  };
  const store = async (units: readonly PendingUnit[], lockWaitMs: number): Promise<Map<PendingUnit, CommittedUnit>> => {
    const stored = new Map<PendingUnit, CommittedUnit>();
    // Sorted to avoid deadlocks.
    for (const id of [...new Set(units.map(({ unit }) => unit.organizationId))].sort()) {
      const own = units.filter(({ unit }) => unit.organizationId === id);
      const results = await withinOrganization(id, () => storeIn(id, own, lockWaitMs));
      for (const [index, one] of own.entries()) stored.set(one, results[index]!);
    }
    return stored;
  };
  /** Stores units and tells their callers; returns those that waited too long for a lock. */
  const tryStore = async (units: readonly PendingUnit[], lockWaitMs: number): Promise<Waiting | undefined> => {
    /** Whether certainly nothing was stored: if only the result of `commit` is lost, it may have been. */
    let isUndone = true;
    try {
      // Without entries, the key of the log may not exist.
      if (units.some(({ unit }) => unit.opening ?? unit.entry)) await chain.ready();
      const stored = await database.transaction(async () => {
        isUndone = true;
        const results = await store(units, lockWaitMs);
        isUndone = false;
        return results;
      });
      const appended = [...stored.values()].flatMap(({ entries }) => entries);
      // The database has the entries even if they cannot be passed on.
      if (appended.length > 0) await onAppended?.(appended).catch(report);
      for (const one of units) one.onStored?.(stored.get(one)!);
      return undefined;
    } catch (error) {
      if (error instanceof LockTimeout) return { lock: error.lock, units };
      if (isUndone && units.length > 1 && !isDatabaseUnavailable(error)) return storeEach(units, lockWaitMs);
      for (const { onFailed } of units) onFailed?.(error);
      if (units.some(({ onFailed }) => !onFailed)) report(error);
      return undefined;
    }
  };
  const storeEach = async (units: readonly PendingUnit[], lockWaitMs: number): Promise<Waiting | undefined> => {
    for (const [index, one] of units.entries()) {
      const waiting = await tryStore([one], lockWaitMs);
      if (waiting) return { lock: waiting.lock, units: units.slice(index) };
    }
    return undefined;
  };
  /** Sets the units of organizations aside whose lock is known to be held, and returns the others. */
  const setAside = (units: readonly PendingUnit[]): PendingUnit[] =>
    units.filter((one) => {
      const queue = held.get(one.unit.organizationId);
      queue?.push(one);
      return !queue;
    });
  const nextBatch = (): PendingUnit[] => {
    let length = 0;
    const end = pending.findIndex(({ unit }, index) => {
      length += unit.ledger?.content.length ?? 0;
      return index > 0 && (index === maxBatch || length > maxBatchLength);
    });
    return pending.splice(0, end < 0 ? pending.length : end);
  };
  const storePending = async (): Promise<void> => {
    while (pending.length > 0) {
      // Concurrent calls that have got as far as this one join its transaction.
      await new Promise(setImmediate);
      clearTimeout(timer);
      timer = undefined;
      let units = nextBatch();
      while (units.length > 0) {
        const waiting = await tryStore(units, held.size > 0 ? nextLockWaitMs : maxLockWaitMs);
        const locked = waiting?.units.find(({ unit }) => lockOf(unit.organizationId) === waiting.lock);
        if (!waiting || !locked) break;
        held.set(locked.unit.organizationId, []);
        units = setAside(waiting.units);
        pending = setAside(pending);
        storingHeld ??= storeHeld();
      }
    }
    storing = undefined;
  };
  // One at a time, so that waiting for many locks occupies only one connection.
  const storeHeld = async (): Promise<void> => {
    while (held.size > 0) {
      for (const [id, queue] of held) {
        const waiting = await tryStore(queue.splice(0), nextLockWaitMs);
        if (waiting) queue.unshift(...waiting.units);
        else if (queue.length === 0) held.delete(id);
      }
    }
    storingHeld = undefined;
  };
  const flush = async (organizationId?: string): Promise<void> => {
    // Runs outside the caller's transaction, so a rollback does not remove the units.
    if (pending.length > 0) storing ??= database.outsideTransaction(storePending);
    await storing;
    if (organizationId === undefined || held.has(organizationId)) await storingHeld;
  };
  const enqueue = (one: PendingUnit): void => {
    if (setAside([one]).length === 0) return;
    pending.push(one);
    if (one.onStored || pending.length >= maxBatch) void flush();
    else timer ??= setTimeout(() => void flush(), batchDelayMs).unref();
  };
  const timestamp = () => new Date(now()).toISOString();
  return {
    commit: (unit) =>
      new Promise((onStored, onFailed) => {
        enqueue({ unit, at: timestamp(), onStored, onFailed });
      }),
    commitSoon: (unit) => enqueue({ unit, at: timestamp() }),
    flush,
  };
}
