import type { Database } from './database.js';
import type { Leases } from './leases.js';
import type { SealedColumns, Sealing } from './sealing.js';
import { type Credentials, StateConflict } from './types.js';

type Fields = Readonly<Record<string, string>>;

interface Columns extends SealedColumns {
  readonly field: string;
}

/** Seals fields of a connector and stores them; to be called in a transaction. */
export function storeCredentials(database: Database, sealing: Sealing, connectorId: string, fields: Fields): void {
  for (const [field, value] of Object.entries(fields)) {
    const { keyId, bytes } = sealing.seal({ owner: connectorId, field }, value);
    database.run(
      `INSERT INTO credentials (connector_id, field, key_id, sealed) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (connector_id, field) DO UPDATE SET key_id = ?3, sealed = ?4`,
      connectorId,
      field,
      keyId,
      bytes,
    );
  }
}

/** The credentials in the database. */
export function openCredentials(database: Database, sealing: Sealing, leases: Leases): Credentials {
  return {
    load(connectorId) {
      const rows = database.all<Columns>(
        'SELECT field, key_id, sealed FROM credentials WHERE connector_id = ?',
        connectorId,
      );
      if (rows.length === 0) return undefined;
      return Object.fromEntries(
        rows.map((row) => [row.field, sealing.open({ owner: connectorId, field: row.field }, row)]),
      );
    },
    save(connectorId, fields) {
      database.transaction(() => {
        if (!database.get('SELECT 1 FROM connectors WHERE id = ?', connectorId)) {
          throw new StateConflict('The connector was deleted meanwhile, so its new credentials were not stored.');
        }
        storeCredentials(database, sealing, connectorId, fields);
      });
    },
    alone: (connectorId, work) => leases.alone(connectorId, work),
  };
}
