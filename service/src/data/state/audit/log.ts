import { createHmac } from 'node:crypto';
import { canonicalJson } from '../../../common/canonical.js';
import type { KeyRing } from '../../vault/keys.js';
import { acrossOrganizations, type Database, sanitizeValue, withinOrganization } from '../database.js';
import type { Sealing } from '../sealing.js';
import { genesis, type Head, openChain } from './chain.js';
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

/** How long to delay audit entries for reads so that they share a transaction, in milliseconds. */
const batchDelayMs = 50;
/** Number of pending entries that triggers an immediate write. */
const maxPending = 500;
/** Maximum clock difference between two processes, in milliseconds. */
const maxClockSkewMs = 60 * 60 * 1000;

/** A pending entry and its waiting caller. */
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
  let pending: PendingEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
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
  const appendAll = async (entries: readonly PendingEntry[]): Promise<AuditEntry[]> => {
    await chain.ready();
    return database.transaction(async () => {
      const heads = new Map<string, Head>();
      // Sorted to avoid deadlocks.
      for (const id of [...new Set(entries.map(({ entry }) => entry.organization_id))].sort()) {
        await database.lock(`audit ${id}`);
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
  };
  /** Writes pending entries; those that arrive during a write share the next transaction. */
  const write = async (): Promise<void> => {
    while (pending.length > 0) {
      clearTimeout(timer);
      timer = undefined;
      const entries = pending;
      pending = [];
      try {
        const appended = await appendAll(entries);
        // The database has the entry even if the file cannot be written.
        await file?.append(appended).catch(report);
        for (const [index, { onWritten }] of entries.entries()) onWritten?.(appended[index]!);
      } catch (error) {
        for (const { onFailed } of entries) onFailed?.(error);
        if (entries.some(({ onFailed }) => !onFailed)) report(error);
      }
    }
    writing = undefined;
  };
  const flush = async (): Promise<void> => {
    // Runs outside the caller's transaction, so a rollback does not remove the entries.
    if (pending.length > 0) writing ??= database.outsideTransaction(write);
    await writing;
  };
  const timestamp = () => new Date(now()).toISOString();
  const enqueue = (one: PendingEntry): void => {
    pending.push(one);
    if (one.onWritten || pending.length >= maxPending) void flush();
    else timer ??= setTimeout(() => void flush(), batchDelayMs).unref();
  };

  return {
    record: (entry) =>
      new Promise((onWritten, onFailed) => {
        enqueue({ entry, at: timestamp(), onWritten, onFailed });
      }),
    recordSoon: (entry) => enqueue({ entry, at: timestamp() }),
    flush,
    async list(filter) {
      await flush();
      const { organizationId, from } = filter;
      return withinOrganization(organizationId, async () => {
        const after = from === undefined ? 0 : await lastSeqBefore(database, organizationId, from);
        return entriesIn(database, filter, after).orderBy('seq', 'desc').limit(filter.limit).execute();
      });
    },
    async verify(organizationId, head) {
      await flush();
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
      await flush();
      const within = <T>(work: () => T) => withinOrganization(organizationId, work);
      let after = from === undefined ? 0 : await within(() => lastSeqBefore(database, organizationId, from));
      for (;;) {
        const page = entriesIn(database, { organizationId, from, to }, after).orderBy('seq').limit(maxPending);
        const entries = await within(() => page.execute());
        yield* entries;
        if (entries.length < maxPending) return;
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
