import { createHash } from 'node:crypto';
import type { Sent } from 'agent-connectors';
import { expressionBuilder } from 'kysely';
import { acrossOrganizations, type Database, eachWithinConnector, fromNow } from './database.js';
import type { Processes } from './processes.js';
import { StateConflict } from './rows.js';
import type { SealedColumns, Sealing, TenantContext } from './sealing.js';
import type { Tables } from './tables.js';
import type { Ledger, LedgerEntry, LedgerKey } from './types.js';

/** The sealed part of an entry: requests and responses are tenant data. */
interface Content {
  readonly bodyHash: string;
  /** What may have been sent to the vendor; null if nothing. Missing in entries from earlier releases. */
  readonly sent?: Sent | null;
  readonly status?: number;
  readonly body?: string;
}

/** How long a key is remembered, in milliseconds. */
const ledgerMs = 24 * 60 * 60 * 1000;
/** Earlier releases did not record what was sent: assume that the request was sent and cannot be looked up. */
const unrecordedSend: Sent = { id: '', by: null };
/** Longest response stored for replay, in bytes. */
const maxReplayBytes = 1024 * 1024;

/** The ledger in the database. */
export function openLedger(database: Database, sealing: Sealing, processes: Processes): Ledger {
  const { query, now } = database;
  const forgotten = fromNow(database, -ledgerMs);
  const context = (organization: string, { connectorId: owner }: LedgerKey, id: string): TenantContext => ({
    ...{ organization, owner, field: ledgerField(id) },
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
  /** An entry that this process has started but not finished. */
  const ownEntry = (id: string) =>
    expressionBuilder<Tables, 'ledger'>().and({ id, done: 0, process_id: processes.ownId });

  /** Writes in progress in this process: a row that could not be finished must not block others. */
  const inProgress = new Map<string, object>();
  const isInProgress = async (processId: string, id: string) =>
    processId === processes.ownId ? inProgress.has(id) : processes.isAlive(processId);
  /** Updates an entry if this process still owns it. */
  const updateEntry = (key: LedgerKey, id: string, more: Partial<Content>, done: 0 | 1): Promise<boolean> =>
    database.transaction(async () => {
      const row = await find(id);
      if (!row || row.done === 1 || row.process_id !== processes.ownId) return false;
      const content = { ...(await open(key, id, row)), ...more };
      const { keyId, bytes } = await seal(row.organization, key, id, content);
      await query.updateTable('ledger').set({ done, key_id: keyId, sealed: bytes }).where('id', '=', id).execute();
      return true;
    });
  const endEntry = async (key: LedgerKey, end: (id: string) => Promise<unknown>): Promise<void> => {
    const id = idOf(key);
    // Until this is stored, the write is in progress and others must not resume it.
    await end(id).finally(() => inProgress.delete(id));
  };
  /** Looks up an earlier entry; an abandoned one is taken over by this process. */
  const findEntry = async (key: LedgerKey, id: string, bodyHash: string): Promise<LedgerEntry | undefined> => {
    const row = await find(id);
    if (!row) return undefined;
    const { bodyHash: before, status, body, sent = unrecordedSend } = await open(key, id, row);
    if (before !== bodyHash) return { state: 'other_body' };
    if (row.done === 1) return { state: 'done', status: status!, body: body! };
    if (await isInProgress(row.process_id, id)) return { state: 'in_flight' };
    await query.updateTable('ledger').set({ process_id: processes.ownId }).where('id', '=', id).execute();
    return { state: 'begun', ...(sent && { sent }) };
  };
  /** Inserts the row; of concurrent requests, only the first succeeds. */
  const insertEntry = async (key: LedgerKey, id: string, bodyHash: string): Promise<boolean> => {
    const connectors = query.selectFrom('connectors').select('organization_id').where('id', '=', key.connectorId);
    const connector = await connectors.forKeyShare('connectors').executeTakeFirst();
    if (!connector) throw new StateConflict('The connector was deleted.');
    const { keyId, bytes } = await seal(connector.organization_id, key, id, { bodyHash, sent: null });
    const entry = {
      connector_id: key.connectorId,
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
  const claimEntry = async (key: LedgerKey, id: string, bodyHash: string): Promise<LedgerEntry> => {
    for (;;) {
      const entry = await findEntry(key, id, bodyHash);
      if (entry) return entry;
      if (await insertEntry(key, id, bodyHash)) return { state: 'begun' };
    }
  };

  const writes = eachWithinConnector<Omit<Ledger, 'sweep'>>({
    async begin(key, bodyHash) {
      const id = idOf(key);
      const marker = {};
      try {
        return await database.transaction(async () => {
          const entry = await claimEntry(key, id, bodyHash);
          // Set before other processes can see the row.
          if (entry.state === 'begun') inProgress.set(id, marker);
          return entry;
        });
      } catch (error) {
        if (inProgress.get(id) === marker) inProgress.delete(id);
        throw error;
      }
    },
    async sending(key, sent) {
      if (await updateEntry(key, idOf(key), { sent }, 0)) return;
      throw new StateConflict('Another request is executing the write.');
    },
    finish: (key, status, body) => endEntry(key, (id) => updateEntry(key, id, replayableReply(status, body), 1)),
    release: (key) =>
      endEntry(key, (id) => query.updateTable('ledger').set({ process_id: '' }).where(ownEntry(id)).execute()),
    forget: (key) => endEntry(key, (id) => query.deleteFrom('ledger').where(ownEntry(id)).execute()),
  });
  return {
    ...writes,
    async sweep() {
      await acrossOrganizations(() => query.deleteFrom('ledger').where('begun_at', '<=', forgotten).execute());
    },
  };
}

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
