import type { KeyRing } from '../vault/keys.js';
import type { Database } from './database.js';
import { ledgerField } from './ledger.js';
import { openDatabase, type StateLocation } from './location.js';
import { migrate } from './migrate.js';
import { resealPlans } from './plans.js';
import { countOtherKeyProcesses, processTimeoutMs } from './processes.js';
import { openSealing, type Sealing } from './sealing.js';
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
    for (const reseal of [resealCredentials, resealLedger, resealSetups, resealPlans]) {
      // One transaction a batch: short enough that a running service hardly waits.
      const resealBatch = () => database.transaction(() => reseal(database, sealing, keys.newest.id, batchSize));
      for (let resealed = await resealBatch(); resealed > 0; resealed = await resealBatch()) count += resealed;
    }
    await deleteUnusedKeys(database, keys.newest.id);
    return count;
  } finally {
    // What the old key opened would otherwise stand in the log until it is written over.
    await database.close();
  }
}

const deleteUnusedKeys = ({ query }: Database, newest: string) =>
  query
    .deleteFrom('keys')
    .where('id', '<>', newest)
    .where('id', 'not in', ({ selectFrom }) => selectFrom('credentials').select('key_id'))
    .where('id', 'not in', ({ selectFrom }) => selectFrom('ledger').select('key_id'))
    .where('id', 'not in', ({ selectFrom }) => selectFrom('plans').select('key_id'))
    .where('id', 'not in', ({ selectFrom }) => selectFrom('setups').select('key_id').where('key_id', 'is not', null))
    .execute();

async function resealCredentials(database: Database, sealing: Sealing, newest: string, limit: number): Promise<number> {
  const { query } = database;
  const rows = await query
    .selectFrom('credentials')
    .selectAll()
    .where('key_id', '<>', newest)
    .limit(limit)
    .forNoKeyUpdate('credentials')
    .execute();
  for (const row of rows) {
    const context = { owner: row.connector_id, field: row.field };
    const { keyId, bytes } = await sealing.seal(context, sealing.open(context, row));
    await query
      .updateTable('credentials')
      .set({ key_id: keyId, sealed: bytes })
      .where('connector_id', '=', row.connector_id)
      .where('field', '=', row.field)
      .execute();
  }
  return rows.length;
}

async function resealLedger(database: Database, sealing: Sealing, newest: string, limit: number): Promise<number> {
  const { query } = database;
  const rows = await query
    .selectFrom('ledger')
    .selectAll()
    .where('key_id', '<>', newest)
    .limit(limit)
    .forNoKeyUpdate('ledger')
    .execute();
  for (const row of rows) {
    const context = { owner: row.connector_id, field: ledgerField(row.id) };
    const { keyId, bytes } = await sealing.seal(context, sealing.open(context, row));
    await query.updateTable('ledger').set({ key_id: keyId, sealed: bytes }).where('id', '=', row.id).execute();
  }
  return rows.length;
}
