import { createHash } from 'node:crypto';
import type { Sent } from 'agent-connectors';
import type { Commits } from './commits.js';
import { acrossOrganizations, type Database, eachWithinConnector, randomText, withinOrganization } from './database.js';
import { forgottenBefore, type LedgerChange, type LedgerRow, type LedgerRows, ledgerContext } from './ledger-rows.js';
import type { Processes } from './processes.js';
import { StateConflict } from './rows.js';
import type { Sealing } from './sealing.js';
import type { Ledger, LedgerEntry, LedgerKey, StartedWrite } from './types.js';

/** The sealed part of an entry: requests and responses are tenant data. */
interface Content {
  readonly bodyHash: string;
  /** What may have been sent to the vendor; null if nothing. */
  readonly sent: Sent | null;
  readonly status?: number;
  readonly body?: string;
}

/** A write in progress. */
interface Progress {
  readonly id: string;
  readonly organization: string;
  readonly attempt: string;
  readonly bodyHash: string;
  /** Whether an earlier request began the write. */
  readonly isResumed: boolean;
  sent: Sent | null;
  /** When it was last known to execute the write, by the clock of `performance.now()`. */
  ownedAt: number;
  /** Whether its row has been inserted: none, maybe, or certainly. */
  row: 'none' | 'maybe' | 'stored';
}

/** Longest response stored for replay, in bytes. */
const maxReplayBytes = 1024 * 1024;

/** What the ledger needs. */
export interface LedgerDependencies {
  readonly sealing: Sealing;
  readonly processes: Processes;
  readonly rows: LedgerRows;
  readonly commits: Commits;
}

/**
 * The ledger in the database.
 *
 * A write is looked up when its request arrives, and stored when it is known what will be sent. Until then, only this
 * process knows that it has begun; if another process stores it first, nothing is sent.
 */
export function openLedger(database: Database, { sealing, processes, rows, commits }: LedgerDependencies): Ledger {
  const { query } = database;
  const forgotten = forgottenBefore(database);
  /** The newest write in progress in this process, by id. */
  const inProgress = new Map<string, Progress>();
  /** Requests in progress in this process: a row that could not be finished must not block others. */
  const attempts = new Set<string>();
  const progressOf = new WeakMap<StartedWrite, Progress>();
  const start = (write: StartedWrite, progress: Progress): LedgerEntry => {
    inProgress.set(progress.id, progress);
    attempts.add(progress.attempt);
    progressOf.set(write, progress);
    const { isResumed, sent } = progress;
    return { state: 'begun', write, isResumed, ...(sent && { sent }) };
  };
  const stop = (progress: Progress) => {
    attempts.delete(progress.attempt);
    if (inProgress.get(progress.id) === progress) inProgress.delete(progress.id);
  };
  // Until the change is stored, the write is in progress and others must not resume it.
  const end = async <T>(write: StartedWrite, change: (progress: Progress) => Promise<T>): Promise<T> => {
    const progress = progressOf.get(write)!;
    try {
      const result = await change(progress);
      // From now on, it is never inserted again.
      progress.row = 'stored';
      return result;
    } finally {
      stop(progress);
    }
  };
  const changeOf = ({ connectorId }: StartedWrite, progress: Progress, reply?: ReplayableReply): LedgerChange => {
    const { id, attempt, bodyHash, sent, row } = progress;
    const content: Content = { bodyHash, sent, ...reply };
    const done = reply ? 1 : 0;
    return { id, connectorId, attempt, done, content: JSON.stringify(content), isNew: row !== 'stored' };
  };

  /** The row of a write that this request still executes. */
  const own = { process_id: processes.ownId, done: 0 };
  const isOwn = async ({ id, attempt }: Progress): Promise<boolean> => {
    const row = query.selectFrom('ledger').select('id').where('id', '=', id).where('begun_at', '>', forgotten);
    const condition = row.where(({ and }) => and({ attempt, ...own })).forNoKeyUpdate('ledger');
    return (await condition.executeTakeFirst()) !== undefined;
  };
  /** Makes this request execute a write that another one has begun and not ended; undefined if that one is in progress. */
  const takeOver = (write: StartedWrite, progress: Progress, before: LedgerRow): Promise<LedgerEntry | undefined> =>
    database.transaction(async () => {
      const { id, attempt } = progress;
      const ofWrite = { id, attempt: before.attempt, process_id: before.process_id, done: 0 };
      const row = query
        .selectFrom('ledger')
        .select('id')
        .where(({ and }) => and(ofWrite))
        .forNoKeyUpdate('ledger');
      // Looked up while the row is locked: a process that is alive again could otherwise send it at the same time.
      if (!(await row.executeTakeFirst()) || (await isInProgress(before))) return undefined;
      await query.updateTable('ledger').set({ attempt, process_id: processes.ownId }).where('id', '=', id).execute();
      // Set before other processes can see the row.
      return start(write, progress);
    });
  const isInProgress = async ({ process_id, attempt }: LedgerRow) =>
    process_id === processes.ownId ? attempts.has(attempt) : processes.isAlive(process_id);

  const writes = eachWithinConnector<Omit<Ledger, 'sweep'>>({
    async begin(key, bodyHash) {
      const id = idOf(key);
      const write = { ...key, attempt: randomText(22) };
      for (;;) {
        const ownedAt = performance.now();
        // If its row had been stored by now and is not found, another request has taken it over and forgotten it.
        const isStored = inProgress.get(id)?.row === 'stored';
        const { organization, row } = await rows.find(key.connectorId, id);
        const progress: Progress = {
          id,
          organization,
          attempt: write.attempt,
          bodyHash,
          isResumed: false,
          sent: null,
          ownedAt,
          row: 'none',
        };
        const current = inProgress.get(id);
        if (!row) {
          if (!current || isStored) return start(write, progress);
          return { state: current.bodyHash === bodyHash ? 'in_flight' : 'other_body' };
        }
        const context = ledgerContext(organization, key.connectorId, id);
        const { bodyHash: before, sent, status, body } = JSON.parse(await sealing.open(context, row)) as Content;
        if (before !== bodyHash) return { state: 'other_body' };
        if (row.done === 1) return { state: 'done', status: status!, body: body! };
        const isAlive = row.process_id === processes.ownId ? attempts.has(row.attempt) : row.isAlive;
        if (isAlive) return { state: 'in_flight' };
        const taken: Progress = { ...progress, isResumed: true, sent, row: 'stored' };
        const resumed = await takeOver(write, taken, row).catch((error) => {
          stop(taken);
          throw error;
        });
        if (resumed) return resumed;
      }
    },
    async sending(write, sent, opening) {
      const progress = progressOf.get(write)!;
      progress.sent = sent;
      const ledger = changeOf(write, progress);
      if (ledger.isNew) progress.row = 'maybe';
      const ownedAt = performance.now();
      const { id, organization: organizationId } = progress;
      const { entries, isOwn } = await commits.commit({ organizationId, ledger, opening });
      if (!isOwn) {
        if (!ledger.isNew) throw takenOver();
        await rows.find(write.connectorId, id);
        throw new StateConflict('This write is already in progress.');
      }
      progress.row = 'stored';
      progress.ownedAt = ownedAt;
      return entries[0]?.seq;
    },
    async confirm(write) {
      const progress = progressOf.get(write)!;
      if (inProgress.get(progress.id) === progress && progress.ownedAt >= processes.aliveSince()) return;
      await processes.reportAlive();
      const ownedAt = performance.now();
      // Reading the row can take as long as the wait before it.
      if (!(await isOwn(progress)) || ownedAt < processes.aliveSince()) throw takenOver();
      progress.ownedAt = ownedAt;
    },
    hold: (write) =>
      database.transaction(async () => {
        const progress = progressOf.get(write)!;
        const { organization, attempt, isResumed } = progress;
        // Inserted even if it is stored, because that transaction may have been rolled back.
        const change = { ...changeOf(write, progress), isNew: !isResumed };
        progress.row = 'stored';
        const stored = await withinOrganization(organization, () => rows.store(organization, [change]));
        if (!stored.has(attempt)) throw takenOver();
      }),
    finish: (write, status, body, more) =>
      end(write, async (progress) => {
        const ledger = changeOf(write, progress, replayableReply(status, body));
        await commits.commit({ ...more, organizationId: progress.organization, ledger });
      }),
    release: (write) =>
      end(write, async ({ id, attempt, row }) => {
        if (row === 'none') return;
        const released = query.updateTable('ledger').set({ process_id: '' }).where('id', '=', id);
        await released.where(({ and }) => and({ attempt, ...own })).execute();
      }),
    forget: (write) =>
      end(write, async ({ id, attempt, row }) => {
        if (row === 'none') return true;
        const removed = query.deleteFrom('ledger').where('id', '=', id);
        const { numDeletedRows } = await removed.where(({ and }) => and({ attempt, ...own })).executeTakeFirstOrThrow();
        return numDeletedRows > 0n;
      }),
  });
  return {
    ...writes,
    async sweep() {
      await acrossOrganizations(() => query.deleteFrom('ledger').where('begun_at', '<=', forgotten).execute());
    },
  };
}

const takenOver = (): StateConflict =>
  new StateConflict('The service was unresponsive for too long: another request may be executing the write.');

// A digest, since a key may contain tenant data.
const idOf = ({ clientId, connectorId, entity, action, key }: LedgerKey) =>
  createHash('sha256')
    .update(JSON.stringify([clientId, connectorId, entity, action, key]))
    .digest('base64url');

/** A response as stored for replay. */
type ReplayableReply = Required<Pick<Content, 'status' | 'body'>>;

/** Replaces a response too large to store with one that says the write succeeded. */
function replayableReply(status: number, body: string): ReplayableReply {
  const size = Buffer.byteLength(body);
  if (size <= maxReplayBytes) return { status, body };
  const message =
    `This write was already executed with status ${status}; ` +
    `the response (${size} bytes) was too large to store for replay.`;
  const hint = 'Do not retry. Check what the write changed.';
  const error = { message, code: 'too_large', errors: [], hint, retryable: false, request_id: null, vendor: null };
  return { status: 413, body: JSON.stringify(error) };
}
