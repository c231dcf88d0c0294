import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Database, newId } from './database.js';
import { type Client, StateConflict } from './rows.js';
import type { Clients } from './types.js';

interface Columns {
  readonly id: string;
  readonly name: string;
  readonly secret_hash: Uint8Array;
  readonly created_at: string;
}

// The secret is random and long, so a slow hash would only slow the service down.
const hashOf = (secret: string) => createHash('sha256').update(secret).digest();
const dummyHash = randomBytes(32);

/** The clients in the database; of a secret it has the hash alone. */
export function openClients(database: Database, now: () => number): Clients {
  const { forKeyShare } = database.dialect;
  const organizationsOf = async (id: string) => {
    const rows = await database.all<{ organization_id: string }>(
      'SELECT organization_id FROM client_organizations WHERE client_id = ? ORDER BY position',
      id,
    );
    return rows.map((row) => row.organization_id);
  };
  const read = async ({ id, name, created_at }: Columns): Promise<Client> => ({
    id,
    name,
    organizationIds: await organizationsOf(id),
    createdAt: created_at,
  });
  const rowOf = (id: string) => database.get<Columns>('SELECT * FROM clients WHERE id = ?', id);

  return {
    create: (name, organizationIds) =>
      database.transaction(async () => {
        const client = { id: newId('cli'), name, organizationIds, createdAt: new Date(now()).toISOString() };
        const secret = `acs_${randomBytes(32).toString('base64url')}`;
        await database.run(
          'INSERT INTO clients (id, name, secret_hash, created_at) VALUES (?, ?, ?, ?)',
          client.id,
          name,
          hashOf(secret),
          client.createdAt,
        );
        for (const [position, organizationId] of organizationIds.entries()) {
          const organization = `SELECT 1 FROM organizations WHERE id = ?${forKeyShare('organizations')}`;
          if (!(await database.get(organization, organizationId))) {
            throw new StateConflict(`There is no organization ${organizationId}.`);
          }
          await database.run(
            'INSERT INTO client_organizations (client_id, position, organization_id) VALUES (?, ?, ?)',
            client.id,
            position,
            organizationId,
          );
        }
        return { client, secret };
      }),
    async verify(id, secret) {
      const row = await rowOf(id);
      const matches = timingSafeEqual(hashOf(secret), row?.secret_hash ?? dummyHash);
      return row && matches ? read(row) : undefined;
    },
    async get(id) {
      const row = await rowOf(id);
      return row && read(row);
    },
    async list() {
      return Promise.all((await database.all<Columns>('SELECT * FROM clients ORDER BY created_at, id')).map(read));
    },
    async delete(id) {
      return (await database.run('DELETE FROM clients WHERE id = ?', id)) > 0;
    },
  };
}
