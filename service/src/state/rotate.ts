import type { KeyRing } from '../vault/keys.js';
import { type Database, openDatabase } from './database.js';
import { ledgerField } from './ledger.js';
import { migrate } from './migrate.js';
import { sealingWithOther, silenceMs } from './processes.js';
import { openSealing, type SealedColumns, type Sealing } from './sealing.js';
import { resealSetups } from './setups.js';

/** What to seal anew, and with which keys. */
export interface Rotation {
  readonly folder: string;
  /** The newest is the one to seal with; the others open what is there. */
  readonly keys: KeyRing;
  /** Called when nothing stands in the way, before the newest key is used for the first time. */
  readonly ready?: (() => void) | undefined;
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

const batch = 100;

/** Seals everything with the newest key and counts the values; one that was broken off is taken up where it ended. */
export function rotate({ folder, keys, ready, now = Date.now }: Rotation): number {
  const database = openDatabase(folder);
  try {
    migrate(database, now);
    if (sealingWithOther(database, keys.newest.id, now) > 0) {
      throw new Error(
        'A service on this data folder seals with another key: stop it, ' +
          'or restart it with the new key and the old one. ' +
          `(One that was killed counts for ${silenceMs / 1000} seconds.)`,
      );
    }
    ready?.();
    const sealing = openSealing(database, keys);
    const count =
      untilNone(() => credentials(database, sealing, keys.newest.id)) +
      untilNone(() => ledger(database, sealing, keys.newest.id)) +
      untilNone(() => database.transaction(() => resealSetups(database, sealing, keys.newest.id, batch)));
    database.run(
      `DELETE FROM keys WHERE id <> ?
         AND id NOT IN (SELECT key_id FROM credentials) AND id NOT IN (SELECT key_id FROM ledger)
         AND id NOT IN (SELECT key_id FROM setups WHERE key_id IS NOT NULL)`,
      keys.newest.id,
    );
    // What the old key opened would otherwise stand in the log until it is written over.
    database.get('PRAGMA wal_checkpoint(TRUNCATE)');
    return count;
  } finally {
    database.close();
  }
}

function untilNone(work: () => number): number {
  let total = 0;
  for (let count = work(); count > 0; count = work()) total += count;
  return total;
}

/** One transaction a batch: short enough that a running service hardly waits. */
const credentials = (database: Database, sealing: Sealing, newest: string): number =>
  database.transaction(() => {
    const rows = database.all<CredentialColumns>(
      'SELECT connector_id, field, key_id, sealed FROM credentials WHERE key_id <> ? LIMIT ?',
      newest,
      batch,
    );
    for (const row of rows) {
      const place = { owner: row.connector_id, field: row.field };
      const { keyId, bytes } = sealing.seal(place, sealing.open(place, row));
      database.run(
        'UPDATE credentials SET key_id = ?, sealed = ? WHERE connector_id = ? AND field = ?',
        keyId,
        bytes,
        row.connector_id,
        row.field,
      );
    }
    return rows.length;
  });

const ledger = (database: Database, sealing: Sealing, newest: string): number =>
  database.transaction(() => {
    const rows = database.all<LedgerColumns>(
      'SELECT id, connector_id, key_id, sealed FROM ledger WHERE key_id <> ? LIMIT ?',
      newest,
      batch,
    );
    for (const row of rows) {
      const place = { owner: row.connector_id, field: ledgerField(row.id) };
      const { keyId, bytes } = sealing.seal(place, sealing.open(place, row));
      database.run('UPDATE ledger SET key_id = ?, sealed = ? WHERE id = ?', keyId, bytes, row.id);
    }
    return rows.length;
  });
