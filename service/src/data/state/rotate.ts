import type { KeyRing } from '../vault/keys.js';
import type { Database } from './database.js';
import { ledgerField } from './ledger.js';
import { openDatabase, type StateLocation } from './location.js';
import { migrate } from './migrate.js';
import { countOtherKeyProcesses, processTimeoutMs } from './processes.js';
import { openSealing, type SealedColumns, type Sealing } from './sealing.js';
import { resealSetups } from './setups.js';

/** What to seal anew, and with which keys. */
export interface Rotation extends StateLocation {
  readonly database?: Database | undefined;
  /** The newest is the one to seal with; the others open what is there. */
  readonly keys: KeyRing;
  /** Called when nothing stands in the way, before the newest key is used for the first time. */
  readonly onReady?: (() => void) | undefined;
  readonly now?: (() => number) | undefined;
}

interface CredentialColumns extends SealedColumns {
  readonly connector_id: string;
  readonly field: string;
}

interface LedgerColumns extends SealedColumns {
  readonly connector_id: string;
  readonly id: string;
}

const batchSize = 100;

/** Seals everything with the newest key and counts the values; one that was broken off is taken up where it ended. */
export async function rotate(rotation: Rotation): Promise<number> {
  const { keys, onReady, now = Date.now } = rotation;
  const database = rotation.database ?? (await openDatabase(rotation, rotation.now));
  try {
    await migrate(database, now);
    if ((await countOtherKeyProcesses(database, keys.newest.id)) > 0) {
      throw new Error(
        'A service on this data seals with another key: stop it, ' +
          'or restart it with the new key and the old one. ' +
          `(One that was killed counts for ${processTimeoutMs / 1000} seconds.)`,
      );
    }
    onReady?.();
    const sealing = await openSealing(database, keys);
    let count = 0;
    for (const reseal of [resealCredentials, resealLedger, resealSetups]) {
      // One transaction a batch: short enough that a running service hardly waits.
      const resealBatch = () => database.transaction(() => reseal(database, sealing, keys.newest.id, batchSize));
      for (let resealed = await resealBatch(); resealed > 0; resealed = await resealBatch()) count += resealed;
    }
    await database.run(
      `DELETE FROM keys WHERE id <> ?
         AND id NOT IN (SELECT key_id FROM credentials) AND id NOT IN (SELECT key_id FROM ledger)
         AND id NOT IN (SELECT key_id FROM setups WHERE key_id IS NOT NULL)`,
      keys.newest.id,
    );
    return count;
  } finally {
    // What the old key opened would otherwise stand in the log until it is written over.
    await database.close();
  }
}

async function resealCredentials(database: Database, sealing: Sealing, newest: string, limit: number): Promise<number> {
  const rows = await database.all<CredentialColumns>(
    `SELECT connector_id, field, key_id, sealed FROM credentials WHERE key_id <> ? LIMIT ?${database.dialect.forUpdate('credentials')}`,
    newest,
    limit,
  );
  for (const row of rows) {
    const context = { owner: row.connector_id, field: row.field };
    const { keyId, bytes } = await sealing.seal(context, sealing.open(context, row));
    await database.run(
      'UPDATE credentials SET key_id = ?, sealed = ? WHERE connector_id = ? AND field = ?',
      keyId,
      bytes,
      row.connector_id,
      row.field,
    );
  }
  return rows.length;
}

async function resealLedger(database: Database, sealing: Sealing, newest: string, limit: number): Promise<number> {
  const rows = await database.all<LedgerColumns>(
    `SELECT id, connector_id, key_id, sealed FROM ledger WHERE key_id <> ? LIMIT ?${database.dialect.forUpdate('ledger')}`,
    newest,
    limit,
  );
  for (const row of rows) {
    const context = { owner: row.connector_id, field: ledgerField(row.id) };
    const { keyId, bytes } = await sealing.seal(context, sealing.open(context, row));
    await database.run('UPDATE ledger SET key_id = ?, sealed = ? WHERE id = ?', keyId, bytes, row.id);
  }
  return rows.length;
}
