import { createHash } from 'node:crypto';
import type { Sent } from 'agent-connectors';
import type { Database } from './database.js';
import type { Processes } from './processes.js';
import type { SealedColumns, Sealing } from './sealing.js';
import { type Ledger, type LedgerEntry, type LedgerKey, StateConflict } from './types.js';

interface Columns extends SealedColumns {
  readonly process_id: string;
  readonly done: number;
}

/** What of a write is sealed: requests and answers are tenants' data. */
interface Content {
  readonly bodyHash: string;
  /** What the vendor may have been sent; null for nothing, and left out by earlier releases, which did not note it. */
  readonly sent?: Sent | null;
  readonly status?: number;
  readonly body?: string;
}

/** How long a key is remembered, in milliseconds. */
const ledgerMs = 24 * 60 * 60 * 1000;
/** Earlier releases did not note what was sent: it may have been, and there is nothing to look for. */
const unnoted: Sent = { id: '', by: null };
/** The longest answer that is kept for a replay, in bytes. */
const longestKept = 1024 * 1024;

/** The ledger in the database. */
export function openLedger(database: Database, sealing: Sealing, processes: Processes, now: () => number): Ledger {
  const find = (id: string) =>
    database.get<Columns>(
      'SELECT process_id, done, key_id, sealed FROM ledger WHERE id = ? AND begun_at > ?',
      id,
      now() - ledgerMs,
    );
  const open = ({ connectorId }: LedgerKey, id: string, row: Columns): Content =>
    JSON.parse(sealing.open({ owner: connectorId, field: ledgerField(id) }, row));
  const seal = ({ connectorId }: LedgerKey, id: string, content: Content) =>
    sealing.seal({ owner: connectorId, field: ledgerField(id) }, JSON.stringify(content));

  /** Writes that this process carries out now: where a row could not be ended, nobody must wait for it. */
  const busy = new Set<string>();
  const isCarriedOut = (processId: string, id: string) =>
    processId === processes.own ? busy.has(id) : processes.alive(processId);
  /** Changes what is noted of a write, as long as it is this process's. */
  const note = (key: LedgerKey, id: string, more: Partial<Content>, done: 0 | 1): boolean =>
    database.transaction(() => {
      const row = find(id);
      if (!row || row.done === 1 || row.process_id !== processes.own) return false;
      const { keyId, bytes } = seal(key, id, { ...open(key, id, row), ...more });
      database.run('UPDATE ledger SET done = ?, key_id = ?, sealed = ? WHERE id = ?', done, keyId, bytes, id);
      return true;
    });
  const ending = (key: LedgerKey, end: (id: string) => void) => {
    const id = idOf(key);
    busy.delete(id);
    end(id);
  };
  const take = (key: LedgerKey, id: string, bodyHash: string): LedgerEntry => {
    const row = find(id);
    if (row) {
      const { bodyHash: before, status, body, sent = unnoted } = open(key, id, row);
      if (before !== bodyHash) return { state: 'other_body' };
      if (row.done === 1) return { state: 'done', status: status!, body: body! };
      if (isCarriedOut(row.process_id, id)) return { state: 'in_flight' };
      database.run('UPDATE ledger SET process_id = ? WHERE id = ?', processes.own, id);
      return { state: 'begun', ...(sent && { sent }) };
    }
    if (!database.get('SELECT 1 FROM connectors WHERE id = ?', key.connectorId)) {
      throw new StateConflict('The connector was deleted meanwhile.');
    }
    const { keyId, bytes } = seal(key, id, { bodyHash, sent: null });
    database.run(
      `INSERT OR REPLACE INTO ledger (id, connector_id, process_id, begun_at, key_id, sealed)
       VALUES (?, ?, ?, ?, ?, ?)`,
      id,
      key.connectorId,
      processes.own,
      now(),
      keyId,
      bytes,
    );
    return { state: 'begun' };
  };

  return {
    begin(key, bodyHash) {
      const id = idOf(key);
      const entry = database.transaction(() => take(key, id, bodyHash));
      if (entry.state === 'begun') busy.add(id);
      return entry;
    },
    sending(key, sent) {
      if (!note(key, idOf(key), { sent }, 0)) throw new StateConflict('The write is carried out elsewhere.');
    },
    finish: (key, status, body) => ending(key, (id) => void note(key, id, kept(status, body), 1)),
    release: (key) =>
      ending(key, (id) => {
        database.run(
          `UPDATE ledger SET process_id = '' WHERE id = ? AND done = 0 AND process_id = ?`,
          id,
          processes.own,
        );
      }),
    forget: (key) =>
      ending(key, (id) => {
        database.run('DELETE FROM ledger WHERE id = ? AND done = 0 AND process_id = ?', id, processes.own);
      }),
    sweep() {
      database.run('DELETE FROM ledger WHERE begun_at <= ?', now() - ledgerMs);
    },
  };
}

/** The place of a ledger row, by its id, so that a rotation finds it too. */
export const ledgerField = (id: string): string => `ledger ${id}`;

// A digest, since a key may be made of a tenant's data.
const idOf = ({ clientId, connectorId, entity, action, key }: LedgerKey) =>
  createHash('sha256')
    .update(JSON.stringify([clientId, connectorId, entity, action, key]))
    .digest('base64url');

/** An answer that is too large is replaced by one that says that the write was done. */
function kept(status: number, body: string) {
  const size = Buffer.byteLength(body);
  if (size <= longestKept) return { status, body };
  const message =
    `This write was carried out before and answered with status ${status}; ` +
    `the answer (${size} bytes) was too large to keep for a replay.`;
  const hint = 'Do not send it again: look up what it changed.';
  const error = { message, code: 'too_large', errors: [], hint, retryable: false, request_id: null, vendor: null };
  return { status: 413, body: JSON.stringify(error) };
}
