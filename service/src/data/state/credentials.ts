import type { Database } from './database.js';
import type { Leases } from './leases.js';
import { StateConflict } from './rows.js';
import type { SealedColumns, Sealing } from './sealing.js';
import type { Credentials } from './types.js';

type Fields = Readonly<Record<string, string>>;

interface Columns extends SealedColumns {
  readonly field: string;
}

/** Seals fields of a connector and stores them; to be called in a transaction. */
export async function storeCredentials(
  database: Database,
  sealing: Sealing,
  connectorId: string,
  fields: Fields,
): Promise<void> {
  for (const [field, value] of Object.entries(fields)) {
    const { keyId, bytes } = await sealing.seal({ owner: connectorId, field }, value);
    await database.run(
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
    async load(connectorId) {
      const rows = await database.all<Columns>(
        'SELECT field, key_id, sealed FROM credentials WHERE connector_id = ?',
        connectorId,
      );
      if (rows.length === 0) return undefined;
      return Object.fromEntries(
        rows.map((row) => [row.field, sealing.open({ owner: connectorId, field: row.field }, row)]),
      );
    },
    save: (connectorId, fields) =>
      database.transaction(async () => {
        const connector = `SELECT 1 FROM connectors WHERE id = ?${database.dialect.kept('connectors')}`;
        if (!(await database.get(connector, connectorId))) {
          throw new StateConflict('The connector was deleted meanwhile, so its new credentials were not stored.');
        }
        await storeCredentials(database, sealing, connectorId, fields);
      }),
    alone: (connectorId, work) => leases.alone(connectorId, work),
  };
}
