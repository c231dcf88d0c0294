import { createHash } from 'node:crypto';
import type { Database } from './database.js';
import type { Processes } from './processes.js';
import type { SealedColumns, Sealing } from './sealing.js';
import { type Ledger, type LedgerKey, StateConflict } from './types.js';

interface Columns extends SealedColumns {
  readonly process_id: string;
  readonly done: number;
}

/** What of a write is sealed: requests and answers are tenants' data. */
interface Content {
  readonly bodyHash: string;
  readonly status?: number;
  readonly body?: string;
}

/** How long a key is remembered, in milliseconds. */
const ledgerMs = 24 * 60 * 60 * 1000;
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

  return {
    begin: (key, bodyHash) =>
      database.transaction(() => {
        const id = idOf(key);
        const row = find(id);
        if (row) {
          const { bodyHash: before, status, body } = open(key, id, row);
          if (before !== bodyHash) return { state: 'other_body' };
          if (row.done === 0) return { state: 'in_flight', abandoned: !processes.alive(row.process_id) };
          return { state: 'done', status: status!, body: body! };
        }
        if (!database.get('SELECT 1 FROM connectors WHERE id = ?', key.connectorId)) {
          throw new StateConflict('The connector was deleted meanwhile.');
        }
        const { keyId, bytes } = seal(key, id, { bodyHash });
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
      }),
    finish(key, status, body) {
      database.transaction(() => {
        const id = idOf(key);
        const row = find(id);
        if (!row || row.done === 1) return;
        const { bodyHash } = open(key, id, row);
        const { keyId, bytes } = seal(key, id, { bodyHash, ...kept(status, body) });
        database.run('UPDATE ledger SET done = 1, key_id = ?, sealed = ? WHERE id = ?', keyId, bytes, id);
      });
    },
    forget(key) {
      database.run('DELETE FROM ledger WHERE id = ? AND done = 0', idOf(key));
    },
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
