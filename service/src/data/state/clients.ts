import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Selectable } from 'kysely';
import { eachAcrossOrganizations } from './access.js';
import { type Database, newId } from './database.js';
import { type Client, StateConflict, type TokenScope, tokenScopes } from './rows.js';
import type { Tables } from './tables.js';
import type { Clients } from './types.js';

// The secret is random and long, so a slow hash would only slow the service down.
const hashOf = (secret: string) => createHash('sha256').update(secret).digest();
const dummyHash = randomBytes(32);

function scopesOf(stored: string | null): readonly TokenScope[] {
  if (stored === null) return tokenScopes;
  const names: readonly string[] = JSON.parse(stored);
  return tokenScopes.filter((scope) => names.includes(scope));
}

/** The clients in the database; of a secret it has the hash alone. */
export function openClients(database: Database, now: () => number): Clients {
  const { query } = database;
  const organizationsOf = async (id: string) => {
    const organizations = query
      .selectFrom('client_organizations')
      .select('organization_id')
      .where('client_id', '=', id);
    return (await organizations.orderBy('position').execute()).map((row) => row.organization_id);
  };
  const read = async ({ id, name, created_at, scopes }: Selectable<Tables['clients']>): Promise<Client> => ({
    id,
    name,
    organizationIds: await organizationsOf(id),
    scopes: scopesOf(scopes),
    createdAt: created_at,
  });
  const selectAll = query.selectFrom('clients').selectAll();
  const rowOf = (id: string) => selectAll.where('id', '=', id).executeTakeFirst();

  // A client may be of several organizations, and is looked up before any of them is known.
  return eachAcrossOrganizations<Clients>({
    create: (name, organizationIds, scopes) =>
      database.transaction(async () => {
        const stored = scopes ? JSON.stringify(scopes) : null;
        const createdAt = new Date(now()).toISOString();
        const client = { id: newId('cli'), name, organizationIds, scopes: scopesOf(stored), createdAt };
        const secret = `acs_${randomBytes(32).toString('base64url')}`;
        await query
          .insertInto('clients')
          .values({ id: client.id, name, secret_hash: hashOf(secret), created_at: createdAt, scopes: stored })
          .execute();
        for (const [position, organizationId] of organizationIds.entries()) {
          const organization = query.selectFrom('organizations').select('id').where('id', '=', organizationId);
          if (!(await organization.forKeyShare('organizations').executeTakeFirst())) {
            throw new StateConflict(`There is no organization ${organizationId}.`);
          }
          await query
            .insertInto('client_organizations')
            .values({ client_id: client.id, position, organization_id: organizationId })
            .execute();
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
      return Promise.all((await selectAll.orderBy('created_at').orderBy('id').execute()).map(read));
    },
    async delete(id) {
      const deletion = query.deleteFrom('clients').where('id', '=', id);
      return (await deletion.executeTakeFirstOrThrow()).numDeletedRows > 0n;
    },
  });
}
