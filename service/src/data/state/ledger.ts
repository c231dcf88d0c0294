import { createHash } from 'node:crypto';
import type { Sent } from 'agent-connectors';
import { acrossOrganizations, type Database, eachWithinConnector, fromNow, randomText } from './database.js';
import type { Processes } from './processes.js';
import { StateConflict } from './rows.js';
import type { SealedColumns, Sealing, TenantContext } from './sealing.js';
import type { Ledger, LedgerEntry, LedgerKey, StartedWrite } from './types.js';

/** The sealed part of an entry: requests and responses are tenant data. */
interface Content {
  readonly bodyHash: string;
  /** Id of the request that executes the write. */
  readonly attempt: string;
  /** What may have been sent to the vendor; null if nothing. */
  readonly sent: Sent | null;
  readonly status?: number;
  readonly body?: string;
}

/** An entry of the request that executes the write. */
interface OwnEntry {
  readonly organization: string;
  readonly content: Content;
}

/** A request in progress. */
interface Progress {
  readonly attempt: string;
  /** When it was last known to execute the write, by the clock of `performance.now()`. */
  readonly ownedAt: number;
}

/** How long a key is remembered, in milliseconds. */
const ledgerMs = 24 * 60 * 60 * 1000;
/** Longest response stored for replay, in bytes. */
const maxReplayBytes = 1024 * 1024;

/** The ledger in the database. */
export function openLedger(database: Database, sealing: Sealing, processes: Processes): Ledger {
  const { query, now } = database;
  const forgotten = fromNow(database, -ledgerMs);
  const context = (organization: string, { connectorId: owner }: LedgerKey, id: string): TenantContext => ({
    organization,
    owner,
    field: ledgerField(id),
  });
  const open = async (key: LedgerKey, id: string, row: SealedColumns & { organization: string }): Promise<Content> =>
    JSON.parse(await sealing.open(context(row.organization, key, id), row));
  const seal = (organization: string, key: LedgerKey, id: string, content: Content) =>
    sealing.seal(context(organization, key, id), JSON.stringify(content));
  const find = (id: string) =>
    query
      .selectFrom('ledger')
      .innerJoin('connectors', 'connectors.id', 'ledger.connector_id')
      .select(['process_id', 'done', 'key_id', 'sealed', 'organization_id as organization'])
      .where('ledger.id', '=', id)
      .where('begun_at', '>', forgotten)
      .forNoKeyUpdate('ledger')
      .executeTakeFirst();
  /** The entry if this request still executes it; locked. */
  const findOwn = async (write: StartedWrite, id: string): Promise<OwnEntry | undefined> => {
    const row = await find(id);
    if (!row || row.done === 1 || row.process_id !== processes.ownId) return undefined;
    const content = await open(write, id, row);
    return content.attempt === write.attempt ? { organization: row.organization, content } : undefined;
  };

  /** Requests in progress in this process, by entry: a row that could not be finished must not block others. */
  const inProgress = new Map<string, Progress>();
  const isInProgress = async (processId: string, id: string, attempt: string | undefined) =>
    processId === processes.ownId ? inProgress.get(id)?.attempt === attempt : processes.isAlive(processId);
  const stopProgress = (id: string, attempt: string) => {
    if (inProgress.get(id)?.attempt === attempt) inProgress.delete(id);
  };
  /** Changes an entry if this request still executes it; otherwise returns false. */
  const changeEntry = (
    write: StartedWrite,
    change: (id: string, own: OwnEntry) => Promise<unknown>,
  ): Promise<boolean> =>
    database.transaction(async () => {
      const id = idOf(write);
      const own = await findOwn(write, id);
      if (own) await change(id, own);
      return own !== undefined;
    });
  const updateEntry = (write: StartedWrite, more: Partial<Content>, done: 0 | 1): Promise<boolean> =>
    changeEntry(write, async (id, { organization, content }) => {
      const { keyId, bytes } = await seal(organization, write, id, { ...content, ...more });
      await query.updateTable('ledger').set({ done, key_id: keyId, sealed: bytes }).where('id', '=', id).execute();
    });
  // Until the change is stored, the write is in progress and others must not resume it.
  const end = (write: StartedWrite, change: Promise<boolean>): Promise<boolean> =>
    change.finally(() => stopProgress(idOf(write), write.attempt));
  /** Looks up an earlier entry; an abandoned one is taken over by this request. */
  const findEntry = async (write: StartedWrite, id: string, bodyHash: string): Promise<LedgerEntry | undefined> => {
    const row = await find(id);
    if (!row) return undefined;
    const content = await open(write, id, row);
    const { bodyHash: before, attempt, status, body, sent } = content;
    if (before !== bodyHash) return { state: 'other_body' };
    if (row.done === 1) return { state: 'done', status: status!, body: body! };
    if (await isInProgress(row.process_id, id, attempt)) return { state: 'in_flight' };
    const { keyId, bytes } = await seal(row.organization, write, id, { ...content, sent, attempt: write.attempt });
    const owned = { process_id: processes.ownId, key_id: keyId, sealed: bytes };
    await query.updateTable('ledger').set(owned).where('id', '=', id).execute();
    return { state: 'begun', write, isResumed: true, ...(sent && { sent }) };
  };
  /** Inserts the row; of concurrent requests, only the first succeeds. */
  const insertEntry = async (write: StartedWrite, id: string, bodyHash: string): Promise<boolean> => {
    const { connectorId, attempt } = write;
    const connectors = query.selectFrom('connectors').select('organization_id').where('id', '=', connectorId);
    const connector = await connectors.forKeyShare('connectors').executeTakeFirst();
    if (!connector) throw new StateConflict('The connector was deleted.');
    const { keyId, bytes } = await seal(connector.organization_id, write, id, { bodyHash, attempt, sent: null });
    const entry = {
      connector_id: connectorId,
      process_id: processes.ownId,
      begun_at: now,
      done: 0,
      key_id: keyId,
      sealed: bytes,
    };
    const { numInsertedOrUpdatedRows } = await query
      .insertInto('ledger')
      .values({ id, ...entry })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(entry).where('ledger.begun_at', '<=', forgotten))
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  };
  const claimEntry = async (write: StartedWrite, id: string, bodyHash: string): Promise<LedgerEntry> => {
    for (;;) {
      const entry = await findEntry(write, id, bodyHash);
      if (entry) return entry;
      if (await insertEntry(write, id, bodyHash)) return { state: 'begun', write, isResumed: false };
    }
  };

  const writes = eachWithinConnector<Omit<Ledger, 'sweep'>>({
    async begin(key, bodyHash) {
      const id = idOf(key);
      const write = { ...key, attempt: randomText(22) };
      const ownedAt = performance.now();
      try {
        return await database.transaction(async () => {
          const entry = await claimEntry(write, id, bodyHash);
          // Set before other processes can see the row.
          if (entry.state === 'begun') inProgress.set(id, { attempt: write.attempt, ownedAt });
          return entry;
        });
      } catch (error) {
        stopProgress(id, write.attempt);
        throw error;
      }
    },
    async sending(write, sent) {
      if (!(await updateEntry(write, { sent }, 0))) throw takenOver();
    },
    async confirm(write) {
      const id = idOf(write);
      const { attempt } = write;
      const known = inProgress.get(id);
      if (known?.attempt === attempt && known.ownedAt >= processes.aliveSince()) return;
      await processes.reportAlive();
      const ownedAt = performance.now();
      const isOwn = await changeEntry(write, async () => inProgress.set(id, { attempt, ownedAt }));
      // Reading the row can take as long as the wait before it.
      if (!isOwn || ownedAt < processes.aliveSince()) throw takenOver();
    },
    async hold(write) {
      if (!(await changeEntry(write, async () => {}))) throw takenOver();
    },
    async finish(write, status, body) {
      await end(write, updateEntry(write, replayableReply(status, body), 1));
    },
    async release(write) {
      const released = query.updateTable('ledger').set({ process_id: '' });
      await end(
        write,
        changeEntry(write, (id) => released.where('id', '=', id).execute()),
      );
    },
    forget: (write) =>
      end(
        write,
        changeEntry(write, (id) => query.deleteFrom('ledger').where('id', '=', id).execute()),
      ),
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

/** Seal context for a ledger row, derived from its id so that key rotation can compute it too. */
export const ledgerField = (id: string): string => `ledger ${id}`;

// A digest, since a key may contain tenant data.
const idOf = ({ clientId, connectorId, entity, action, key }: LedgerKey) =>
  createHash('sha256')
    .update(JSON.stringify([clientId, connectorId, entity, action, key]))
    .digest('base64url');

/** Replaces a response too large to store with one that says the write succeeded. */
function replayableReply(status: number, body: string) {
  const size = Buffer.byteLength(body);
  if (size <= maxReplayBytes) return { status, body };
  const message =
    `This write was already executed with status ${status}; ` +
    `the response (${size} bytes) was too large to store for replay.`;
  const hint = 'Do not retry. Check what the write changed.';
  const error = { message, code: 'too_large', errors: [], hint, retryable: false, request_id: null, vendor: null };
  return { status: 413, body: JSON.stringify(error) };
}
