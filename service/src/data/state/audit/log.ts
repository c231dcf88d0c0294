import { createHmac } from 'node:crypto';
import type { KeyRing } from '../../vault/keys.js';
import {
  acrossOrganizations,
  canonicalJson,
  type Database,
  LockTimeout,
  sanitizeValue,
  withinOrganization,
} from '../database.js';
import type { Sealing } from '../sealing.js';
import { genesis, type Head, lockOf, openChain } from './chain.js';
import { openAuditFile } from './file.js';
import { pruneLog } from './prune.js';
import type { AuditEntry, AuditFilter, AuditLog, AuditVerdict, NewAuditEntry } from './types.js';
import { entriesOf, verifyChain } from './verify.js';

/** Options for the log. */
export interface AuditOptions {
  readonly keys: KeyRing;
  readonly sealing: Sealing;
  /** A file that receives every entry from this process as a JSON line. */
  readonly file?: string | undefined;
  readonly now: () => number;
  /** Called when deferred entries could not be written. */
  readonly report: (error: unknown) => void;
}

/** Entries read at a time. */
const pageSize = 500;
/** Maximum clock difference between two processes, in milliseconds. */
const maxClockSkewMs = 60 * 60 * 1000;

/** How long to delay audit entries for reads so that they share a transaction, in milliseconds. */
const batchDelayMs = 50;
/** Number of pending entries that triggers an immediate write. */
const maxPending = 500;
/** How long entries of all organizations wait for the lock of one, in milliseconds. */
const maxLockWaitMs = 1_000;
/** The same while the lock of another one is known to be held, because a process often holds several. */
const nextLockWaitMs = 100;

/** A pending entry, when it was recorded (ISO 8601), and its waiting caller. */
interface PendingEntry {
  readonly entry: NewAuditEntry;
  readonly at: string;
  readonly onWritten?: ((entry: AuditEntry) => void) | undefined;
  readonly onFailed?: ((error: unknown) => void) | undefined;
}

/** The log in the database. */
export async function openAudit(database: Database, options: AuditOptions): Promise<AuditLog> {
  const { keys, sealing, now, report } = options;
  const chain = await openChain(database, sealing);
  const file = options.file === undefined ? undefined : await openAuditFile(options.file);
  const verifying = new Map<string, Promise<AuditVerdict>>();

  const append = async ({ entry, at }: PendingEntry, last: Head): Promise<AuditEntry> => {
    // Normalized before hashing, because the digest must match the values as they are read back.
    const storedFields = Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, sanitizeValue(value)]));
    const linked = { ...(storedFields as unknown as NewAuditEntry), at, seq: last.seq + 1, previous: last.digest };
    const completeEntry: AuditEntry = { ...linked, digest: await chain.digestOf(linked) };
    await withinOrganization(linked.organization_id, () =>
      database.query.insertInto('audit').values(completeEntry).execute(),
    );
    return completeEntry;
  };
  const appendAll = async (entries: readonly PendingEntry[], lockWaitMs: number): Promise<AuditEntry[]> => {
    await chain.ready();
    const appended = await database.transaction(async () => {
      const heads = new Map<string, Head>();
      // Sorted to avoid deadlocks.
      for (const id of [...new Set(entries.map(({ entry }) => entry.organization_id))].sort()) {
        await database.lock(lockOf(id), lockWaitMs);
        // Read each time: another process may have written since.
        heads.set(id, (await withinOrganization(id, () => headOf(database, id))) ?? genesis);
      }
      const appended: AuditEntry[] = [];
      for (const one of entries) {
        const completeEntry = await append(one, heads.get(one.entry.organization_id)!);
        heads.set(completeEntry.organization_id, completeEntry);
        appended.push(completeEntry);
      }
      return appended;
    });
    // The database has the entries even if the file cannot be written.
    await file?.append(appended).catch(report);
    return appended;
  };
  const { record, recordSoon, flush } = openWriter(database, { append: appendAll, now, report });

  return {
    record,
    recordSoon,
    flush: () => flush(),
    async list(filter) {
      const { organizationId, from } = filter;
      await flush(organizationId);
      return withinOrganization(organizationId, async () => {
        const after = from === undefined ? 0 : await lastSeqBefore(database, organizationId, from);
        return entriesIn(database, filter, after).orderBy('seq', 'desc').limit(filter.limit).execute();
      });
    },
    async verify(organizationId, head) {
      await flush(organizationId);
      const verifyAgainst = (known: typeof head) =>
        withinOrganization(organizationId, () => verifyChain(database, chain, organizationId, { head: known }));
      if (head) return verifyAgainst(head);
      // Concurrent callers share one verification, which reads the whole log.
      let running = verifying.get(organizationId);
      if (!running) {
        running = verifyAgainst(undefined).finally(() => verifying.delete(organizationId));
        verifying.set(organizationId, running);
      }
      return running;
    },
    digestOf: (params) =>
      createHmac('sha256', keys.newest.derive('audit')).update(canonicalJson(params)).digest('base64url'),
    async *entries({ organizationId, from, to }) {
      await flush(organizationId);
      const within = <T>(work: () => T) => withinOrganization(organizationId, work);
      let after = from === undefined ? 0 : await within(() => lastSeqBefore(database, organizationId, from));
      for (;;) {
        const page = entriesIn(database, { organizationId, from, to }, after).orderBy('seq').limit(pageSize);
        const entries = await within(() => page.execute());
        yield* entries;
        if (entries.length < pageSize) return;
        after = entries.at(-1)!.seq;
      }
    },
    async prune(before) {
      await flush();
      let removed = 0;
      const organizations = database.query.selectFrom('organizations').select('id');
      for (const { id } of await acrossOrganizations(() => organizations.execute())) {
        removed += await withinOrganization(id, async () => {
          const newest = await headOf(database, id);
          // The newest entry is kept, because the next one links to it.
          const upTo = Math.min(await lastSeqBefore(database, id, before), (newest?.seq ?? 1) - 1);
          return pruneLog(database, chain, id, upTo);
        }).catch((error) => {
          report(error);
          return 0;
        });
      }
      return removed;
    },
    reopen: async () => file?.reopen(),
    async close() {
      await flush();
      await file?.close();
    },
  };
}

/** Writes entries in batches, in order within each organization. */
interface AuditWriter extends Pick<AuditLog, 'record' | 'recordSoon'> {
  /** Writes pending entries now: those of one organization, or all. */
  flush(organizationId?: string): Promise<void>;
}

/** What the writer needs. */
interface AuditWriterOptions {
  /**
   * Appends entries in one transaction and waits at most `lockWaitMs` milliseconds for the lock of each organization;
   * throws `LockTimeout` with a lock of `lockOf` after that.
   */
  readonly append: (entries: readonly PendingEntry[], lockWaitMs: number) => Promise<readonly AuditEntry[]>;
  readonly now: () => number;
  /** Called when entries without a waiting caller could not be written. */
  readonly report: (error: unknown) => void;
}

/**
 * The organizations' entries share transactions. If a process, perhaps a frozen one, holds the lock of a log for long,
 * that log's entries are written separately until they no longer have to wait.
 */
function openWriter(database: Database, { append, now, report }: AuditWriterOptions): AuditWriter {
  let pending: PendingEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  const held = new Map<string, PendingEntry[]>();
  let writingHeld: Promise<void> | undefined;

  /** Returns the name of the lock for which it waited too long, and otherwise tells the callers. */
  const tryAppend = async (entries: readonly PendingEntry[], lockWaitMs: number): Promise<string | undefined> => {
    try {
      const appended = await append(entries, lockWaitMs);
      for (const [index, { onWritten }] of entries.entries()) onWritten?.(appended[index]!);
    } catch (error) {
      if (error instanceof LockTimeout) return error.lock;
      for (const { onFailed } of entries) onFailed?.(error);
      if (entries.some(({ onFailed }) => !onFailed)) report(error);
    }
    return undefined;
  };
  /** Sets the entries of organizations aside whose lock is known to be held, and returns the others. */
  const setAside = (entries: readonly PendingEntry[]): PendingEntry[] =>
    entries.filter((one) => {
      const queue = held.get(one.entry.organization_id);
      queue?.push(one);
      return !queue;
    });
  /** Writes pending entries; those that arrive during a write share the next transaction. */
  const write = async (): Promise<void> => {
    while (pending.length > 0) {
      clearTimeout(timer);
      timer = undefined;
      let entries = pending.splice(0);
      while (entries.length > 0) {
        const lock = await tryAppend(entries, held.size > 0 ? nextLockWaitMs : maxLockWaitMs);
        const { organization_id: id } =
          entries.find(({ entry }) => lockOf(entry.organization_id) === lock)?.entry ?? {};
        if (id === undefined) break;
        held.set(id, []);
        entries = setAside(entries);
        pending = setAside(pending);
        writingHeld ??= writeHeld();
      }
    }
    writing = undefined;
  };
  // One at a time, so that waiting for many locks occupies only one connection.
  const writeHeld = async (): Promise<void> => {
    while (held.size > 0) {
      for (const [id, queue] of held) {
        const entries = queue.splice(0);
        if (await tryAppend(entries, nextLockWaitMs)) queue.unshift(...entries);
        else if (queue.length === 0) held.delete(id);
      }
    }
    writingHeld = undefined;
  };
  const flush = async (organizationId?: string): Promise<void> => {
    // Runs outside the caller's transaction, so a rollback does not remove the entries.
    if (pending.length > 0) writing ??= database.outsideTransaction(write);
    await writing;
    if (organizationId === undefined || held.has(organizationId)) await writingHeld;
  };
  const enqueue = (one: PendingEntry): void => {
    if (setAside([one]).length === 0) return;
    pending.push(one);
    if (one.onWritten || pending.length >= maxPending) void flush();
    else timer ??= setTimeout(() => void flush(), batchDelayMs).unref();
  };
  const timestamp = () => new Date(now()).toISOString();
  return {
    record: (entry) =>
      new Promise((onWritten, onFailed) => {
        enqueue({ entry, at: timestamp(), onWritten, onFailed });
      }),
    recordSoon: (entry) => enqueue({ entry, at: timestamp() }),
    flush,
  };
}

/** An organization's newest entry. */
const headOf = ({ query }: Database, organizationId: string): Promise<Head | undefined> =>
  query
    .selectFrom('audit')
    .select(['seq', 'digest'])
    .where('organization_id', '=', organizationId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();

function entriesIn(
  database: Database,
  { organizationId, workspaceId, connectorId, outcome, from, to, before }: Omit<AuditFilter, 'limit'>,
  after: number,
) {
  let entries = entriesOf(database, organizationId).where('seq', '>', after);
  if (workspaceId !== undefined) entries = entries.where('workspace_id', '=', workspaceId);
  if (connectorId !== undefined) entries = entries.where('connector_id', '=', connectorId);
  if (outcome === 'success') entries = entries.where('outcome', '=', outcome);
  if (outcome === 'failure') entries = entries.where('outcome', 'not in', ['success', 'begun']);
  if (from !== undefined) entries = entries.where('at', '>=', from);
  if (to !== undefined) entries = entries.where('at', '<', to);
  if (before !== undefined) entries = entries.where('seq', '<', before);
  return entries;
}

/** The last entry guaranteed to be older than the given time, so earlier ones need not be read. */
async function lastSeqBefore({ query }: Database, organizationId: string, from: string): Promise<number> {
  const older = await query
    .selectFrom('audit')
    .select('seq')
    .where('organization_id', '=', organizationId)
    .where('at', '<', new Date(Date.parse(from) - maxClockSkewMs).toISOString())
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return older?.seq ?? 0;
}
