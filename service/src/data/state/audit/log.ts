import { createHash, createHmac } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalJson } from '../../../common/canonical.js';
import type { KeyRing } from '../../vault/keys.js';
import { type Database, sanitizeValue } from '../database.js';
import type { AuditEntry, AuditFilter, AuditLog, AuditVerdict, NewAuditEntry } from './types.js';

/** What the log is made with. */
export interface AuditOptions {
  readonly keys: KeyRing;
  readonly now: () => number;
  /** Told when entries that could wait could not be written. */
  readonly report: (error: unknown) => void;
}

/** Milliseconds that entries of reads wait for others to share a transaction with. */
const batchDelayMs = 50;
/** So many are written at once without waiting. */
const maxPending = 500;
/** So many entries are checked before others have their turn. */
const pageSize = 200;
/** Milliseconds that the clocks of two processes may differ by. */
const maxClockSkewMs = 60 * 60 * 1000;

/** The fields that a digest covers, in this order for ever: another would make all that was written look altered. */
const digestedFields = [
  'organization_id',
  'seq',
  'at',
  'event',
  'workspace_id',
  'connector_id',
  'connector_type',
  'client_id',
  'via',
  'entity',
  'action',
  'effect',
  'params_digest',
  'intent',
  'outcome',
  'begun_as',
  'duration_ms',
  'request_id',
  'previous',
] as const satisfies ReadonlyArray<keyof AuditEntry>;

/** Fields that entries have not always had: left out where there is nothing in them, as it was before. */
const optionalFields = ({ address, subject }: Omit<AuditEntry, 'digest'>): (string | null)[] =>
  subject === null ? (address === null ? [] : [address]) : [address, subject];

/** The columns of an entry, as they are stored. */
const auditColumns = [...digestedFields, 'address', 'subject', 'digest'] as const;

/** An entry that waits to be written, and who waits for it. */
interface PendingEntry {
  readonly entry: NewAuditEntry;
  readonly at: string;
  readonly onWritten?: ((entry: AuditEntry) => void) | undefined;
  readonly onFailed?: ((error: unknown) => void) | undefined;
}

/** The log in the database. */
export function openAudit(database: Database, { keys, now, report }: AuditOptions): AuditLog {
  let pending: PendingEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  const verifying = new Map<string, Promise<AuditVerdict>>();

  const append = async ({ entry, at }: PendingEntry, last: Head): Promise<AuditEntry> => {
    // Before its digest, which is of what can be read again.
    const storedFields = Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, sanitizeValue(value)]));
    const linked = { ...(storedFields as unknown as NewAuditEntry), at, seq: last.seq + 1, previous: last.digest };
    const completeEntry: AuditEntry = { ...linked, digest: entryDigest(linked) };
    await database.query.insertInto('audit').values(completeEntry).execute();
    return completeEntry;
  };
  const appendAll = (entries: readonly PendingEntry[]): Promise<AuditEntry[]> =>
    database.transaction(async () => {
      const heads = new Map<string, Head>();
      // In one order, so that no two wait for each other.
      for (const id of [...new Set(entries.map(({ entry }) => entry.organization_id))].sort()) {
        await database.lock(`audit ${id}`);
        // Asked each time: another process may have written since.
        heads.set(id, (await headOf(database, id)) ?? { seq: 0, digest: genesisDigest });
      }
      const appended: AuditEntry[] = [];
      for (const one of entries) {
        const completeEntry = await append(one, heads.get(one.entry.organization_id)!);
        heads.set(completeEntry.organization_id, completeEntry);
        appended.push(completeEntry);
      }
      return appended;
    });
  /** Writes what waits, in one transaction what has come while the one before was written. */
  const write = async (): Promise<void> => {
    while (pending.length > 0) {
      clearTimeout(timer);
      timer = undefined;
      const entries = pending;
      pending = [];
      try {
        const appended = await appendAll(entries);
        for (const [index, { onWritten }] of entries.entries()) onWritten?.(appended[index]!);
      } catch (error) {
        for (const { onFailed } of entries) onFailed?.(error);
        if (entries.some(({ onFailed }) => !onFailed)) report(error);
      }
    }
    writing = undefined;
  };
  const flush = async (): Promise<void> => {
    // Whatever brought it about: it is no part of a transaction of the caller's, nor undone with one.
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
      const after = from === undefined ? 0 : await lastSeqBefore(database, organizationId, from);
      return entriesIn(database, filter, after).orderBy('seq', 'desc').limit(filter.limit).execute();
    },
    async verify(organizationId, head) {
      await flush();
      if (head) return verifyChain(database, organizationId, head);
      // Whoever asks meanwhile waits for the same check: it reads all of the log.
      let running = verifying.get(organizationId);
      if (!running) {
        running = verifyChain(database, organizationId, undefined).finally(() => verifying.delete(organizationId));
        verifying.set(organizationId, running);
      }
      return running;
    },
    digestOf: (params) =>
      createHmac('sha256', keys.newest.derive('audit')).update(canonicalJson(params)).digest('base64url'),
    close: flush,
  };
}

/** The newest entry of an organisation, as far as the next one has to know it. */
type Head = Pick<AuditEntry, 'seq' | 'digest'>;

const headOf = ({ query }: Database, organizationId: string): Promise<Head | undefined> =>
  query
    .selectFrom('audit')
    .select(['seq', 'digest'])
    .where('organization_id', '=', organizationId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();

const entriesOf = ({ query }: Database, organizationId: string) =>
  query.selectFrom('audit').select(auditColumns).where('organization_id', '=', organizationId);

function entriesIn(
  database: Database,
  { organizationId, workspaceId, connectorId, from, before }: AuditFilter,
  after: number,
) {
  let entries = entriesOf(database, organizationId).where('seq', '>', after);
  if (workspaceId !== undefined) entries = entries.where('workspace_id', '=', workspaceId);
  if (connectorId !== undefined) entries = entries.where('connector_id', '=', connectorId);
  if (from !== undefined) entries = entries.where('at', '>=', from);
  if (before !== undefined) entries = entries.where('seq', '<', before);
  return entries;
}

/** The last entry that is certainly older than a moment: what the log has before it need not be read. */
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

async function verifyChain(
  database: Database,
  organizationId: string,
  head: AuditVerdict['head'] | undefined,
): Promise<AuditVerdict> {
  let before = { seq: 0, digest: genesisDigest };
  let broken: AuditVerdict['broken'] = null;
  const verdict = () => ({
    organization_id: organizationId,
    entries: before.seq,
    head: before.seq === 0 ? null : before,
    broken,
  });
  for (;;) {
    const later = entriesOf(database, organizationId).where('seq', '>', before.seq);
    const entries = await later.orderBy('seq').limit(pageSize).execute();
    for (const entry of entries) {
      const reason =
        chainFault(entry, before) ?? (differsFromHead(entry, head) ? 'is not the one that was noted' : undefined);
      if (reason !== undefined) {
        broken = { seq: before.seq + 1, reason };
        return verdict();
      }
      before = { seq: entry.seq, digest: entry.digest };
    }
    if (entries.length < pageSize) break;
    await nextTurn();
  }
  if (head && head.seq > before.seq) broken = { seq: before.seq + 1, reason: 'is missing' };
  return verdict();
}

const differsFromHead = ({ seq, digest }: AuditEntry, head: AuditVerdict['head'] | undefined): boolean =>
  head?.seq === seq && head.digest !== digest;

/** What stands before the first entry. */
const genesisDigest = '0'.repeat(64);

/** The digest of an entry together with all before it: SHA-256, in hexadecimal. */
const entryDigest = (entry: Omit<AuditEntry, 'digest'>): string =>
  createHash('sha256')
    .update(JSON.stringify([...digestedFields.map((name) => entry[name]), ...optionalFields(entry)]))
    .digest('hex');

/** Says what is wrong with an entry that follows another, if anything is. */
function chainFault(entry: AuditEntry, before: Pick<AuditEntry, 'seq' | 'digest'>): string | undefined {
  if (entry.seq !== before.seq + 1) return 'is missing';
  if (entry.previous !== before.digest) return 'does not follow from the entry before it';
  return entryDigest(entry) === entry.digest ? undefined : 'has been altered';
}
