import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from './database.js';
import { newId } from './identifiers.js';
import { type Client, type Clients, StateConflict } from './types.js';

interface Columns {
  readonly id: string;
  readonly name: string;
  readonly secret_hash: Uint8Array;
  readonly created_at: string;
}

// The secret is random and long, so a slow hash would only slow the service down.
const hashOf = (secret: string) => createHash('sha256').update(secret).digest();
const nobody = randomBytes(32);

/** The clients in the database; of a secret it has the hash alone. */
export function openClients(database: Database, now: () => number): Clients {
  const organizationsOf = (id: string) =>
    database
      .all<{ organization_id: string }>(
        'SELECT organization_id FROM client_organizations WHERE client_id = ? ORDER BY position',
        id,
      )
      .map((row) => row.organization_id);
  const read = ({ id, name, created_at }: Columns): Client => ({
    id,
    name,
    organizationIds: organizationsOf(id),
    createdAt: created_at,
  });
  const rowOf = (id: string) => database.get<Columns>('SELECT * FROM clients WHERE id = ?', id);

  return {
    create: (name, organizationIds) =>
      database.transaction(() => {
        const client = { id: newId('cli'), name, organizationIds, createdAt: new Date(now()).toISOString() };
        const secret = `acs_${randomBytes(32).toString('base64url')}`;
        database.run(
          'INSERT INTO clients (id, name, secret_hash, created_at) VALUES (?, ?, ?, ?)',
          client.id,
          name,
          hashOf(secret),
          client.createdAt,
        );
        for (const [position, organizationId] of organizationIds.entries()) {
          if (!database.get('SELECT 1 FROM organizations WHERE id = ?', organizationId)) {
            throw new StateConflict(`There is no organization ${organizationId}.`);
          }
          database.run(
            'INSERT INTO client_organizations (client_id, position, organization_id) VALUES (?, ?, ?)',
            client.id,
            position,
            organizationId,
          );
        }
        return { client, secret };
      }),
    verify(id, secret) {
      const row = rowOf(id);
      const matches = timingSafeEqual(hashOf(secret), row?.secret_hash ?? nobody);
      return row && matches ? read(row) : undefined;
    },
    get(id) {
      const row = rowOf(id);
      return row && read(row);
    },
    list: () => database.all<Columns>('SELECT * FROM clients ORDER BY created_at, id').map(read),
    delete: (id) => database.run('DELETE FROM clients WHERE id = ?', id) > 0,
  };
}
