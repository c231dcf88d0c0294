import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Selectable } from 'kysely';
import { type Database, eachAcrossOrganizations, fromNow, newId } from './database.js';
import { type Client, StateConflict, type TokenScope, tokenScopes } from './rows.js';
import { newSecret } from './secret.js';
import type { Tables } from './tables.js';
import type { Clients } from './types.js';

// The secret is long and random, so a slow hash would only add delay.
const hashOf = (secret: string) => createHash('sha256').update(secret).digest();
const dummyHash = randomBytes(32);

function scopesOf(stored: string | null): readonly TokenScope[] {
  if (stored === null) return tokenScopes;
  const names: readonly string[] = JSON.parse(stored);
  return tokenScopes.filter((scope) => names.includes(scope));
}

/** Clients in the database; only hashes of secrets are stored. */
export function openClients(database: Database, now: () => number): Clients {
  const { query } = database;
  const organizationsOf = async (id: string) => {
    const organizations = query
      .selectFrom('client_organizations')
      .select('organization_id')
      .where('client_id', '=', id);
    return (await organizations.orderBy('position').execute()).map((row) => row.organization_id);
  };
  const revokedOf = async (id: string) => {
    const revoked = query.selectFrom('access_tokens').select('id').where('client_id', '=', id);
    const rows = await revoked.where('revoked_at', 'is not', null).where('expires_at', '>', now()).execute();
    return rows.map((row) => row.id);
  };
  const read = async (row: Selectable<Tables['clients']>): Promise<Client> => {
    const { id, name, created_at, scopes, as_user, token_generation } = row;
    return {
      id,
      name,
      organizationIds: await organizationsOf(id),
      scopes: scopesOf(scopes),
      asUser: as_user === null ? null : JSON.parse(as_user),
      tokenGeneration: token_generation,
      revokedTokens: await revokedOf(id),
      createdAt: created_at,
    };
  };
  const selectAll = query.selectFrom('clients').selectAll();
  const rowOf = (id: string) => selectAll.where('id', '=', id).executeTakeFirst();

  // A client can belong to several organizations and is looked up before any of them is known.
  return eachAcrossOrganizations<Clients>({
    create: (name, organizationIds, scopes, asUser = null) =>
      database.transaction(async () => {
        const stored = scopes ? JSON.stringify(scopes) : null;
        const createdAt = new Date(now()).toISOString();
        const tokens = { tokenGeneration: 0, revokedTokens: [] };
        const granted = { organizationIds, scopes: scopesOf(stored), asUser };
        const client = { id: newId('cli'), name, ...granted, ...tokens, createdAt };
        const secret = newSecret('acs');
        const bound = asUser && { as_user: JSON.stringify(asUser) };
        await query
          .insertInto('clients')
          .values({ id: client.id, name, secret_hash: hashOf(secret), created_at: createdAt, scopes: stored, ...bound })
          .execute();
        for (const [position, organizationId] of organizationIds.entries()) {
          const organization = query.selectFrom('organizations').select('id').where('id', '=', organizationId);
          if (!(await organization.forKeyShare('organizations').executeTakeFirst())) {
            throw new StateConflict(`Organization ${organizationId} not found.`);
          }
          await query
            .insertInto('client_organizations')
            .values({ client_id: client.id, position, organization_id: organizationId })
            .execute();
        }
        return { client, secret };
      }),
    async verify(id, secret) {
      const row = await selectAll
        .select((eb) => eb('previous_secret_until', '>', database.now).as('overlaps'))
        .where('id', '=', id)
        .executeTakeFirst();
      const hash = hashOf(secret);
      const isNew = timingSafeEqual(hash, row?.secret_hash ?? dummyHash);
      const isPrevious = timingSafeEqual(hash, (row?.overlaps && row.previous_secret_hash) || dummyHash);
      return row && (isNew || isPrevious) ? read(row) : undefined;
    },
    async get(id) {
      const row = await rowOf(id);
      return row && read(row);
    },
    async list() {
      return Promise.all((await selectAll.orderBy('created_at').orderBy('id').execute()).map(read));
    },
    async setScopes(id, scopes) {
      const update = query.updateTable('clients').set({ scopes: JSON.stringify(scopes) });
      return (await update.where('id', '=', id).executeTakeFirstOrThrow()).numUpdatedRows > 0n;
    },
    async setUser(id, asUser) {
      const update = query.updateTable('clients').set({ as_user: JSON.stringify(asUser) });
      return (await update.where('id', '=', id).executeTakeFirstOrThrow()).numUpdatedRows > 0n;
    },
    rollSecret: (id, overlapMs, endsTokens = overlapMs === 0) =>
      database.transaction(async () => {
        const secret = newSecret('acs');
        const overlaps = overlapMs > 0;
        const row = await query
          .updateTable('clients')
          .set((eb) => ({
            previous_secret_hash: overlaps ? eb.ref('secret_hash') : null,
            previous_secret_until: overlaps ? fromNow(database, overlapMs) : null,
            secret_hash: hashOf(secret),
            token_generation: eb('token_generation', '+', endsTokens ? 1 : 0),
          }))
          .where('id', '=', id)
          .returning('previous_secret_until')
          .executeTakeFirst();
        if (!row) return undefined;
        // Existing sessions expire no later than the previous secret.
        const until = row.previous_secret_until;
        for (const table of ['console_sessions', 'console_links'] as const) {
          await (until === null || endsTokens
            ? query.deleteFrom(table).where('client_id', '=', id)
            : query
                .updateTable(table)
                .set({ expires_at: until })
                .where('client_id', '=', id)
                .where('expires_at', '>', until)
          ).execute();
        }
        // A secret revoked immediately may have been stolen, so grants made with it are revoked too.
        if (until === null || endsTokens) await query.deleteFrom('oauth_grants').where('client_id', '=', id).execute();
        return { secret, previousUntil: row.previous_secret_until };
      }),
    async delete(id) {
      const deletion = query.deleteFrom('clients').where('id', '=', id);
      return (await deletion.executeTakeFirstOrThrow()).numDeletedRows > 0n;
    },
  });
}
