import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { type Database, eachAcrossOrganizations, fromNow, newId } from './database.js';
import type { AppLimits, AppMetadata, OAuthApp, OAuthApps } from './oauth-types.js';
import { newSecret } from './secret.js';
import type { Tables } from './tables.js';

const day = 24 * 60 * 60_000;
/** How long an app without a grant stays registered. */
const unusedMs = day;
/** How long an app stays registered after its last grant was created or ended. */
const usedMs = 90 * day;

// Secrets are long and random, so a slow hash would only add delay.
const hashOf = (text: string) => createHash('sha256').update(text).digest();
const dummyHash = randomBytes(32);

const toApp = ({ id, metadata, created_at }: Selectable<Tables['oauth_apps']>): OAuthApp => ({
  ...(JSON.parse(metadata) as AppMetadata),
  id,
  createdAt: created_at,
});

/** Apps in the database; only hashes of secrets are stored. */
export function openOAuthApps(database: Database, limits: AppLimits): OAuthApps {
  const { query, now } = database;
  const unused = query
    .selectFrom('oauth_apps')
    .select('oauth_apps.id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('oauth_grants').select('oauth_grants.id').whereRef('oauth_grants.app_id', '=', 'oauth_apps.id'),
        ),
      ),
    );
  const sweep = async () => {
    await query
      .deleteFrom('oauth_apps')
      .where('id', 'in', unused.where('expires_at', '<=', now))
      .execute();
  };
  /** Deletes all but `max` of these apps, starting with those that expire first. */
  const evict = (apps: typeof unused, max: number) =>
    query
      .deleteFrom('oauth_apps')
      .where(
        'id',
        'in',
        apps.orderBy('expires_at', 'desc').orderBy('created_at', 'desc').orderBy('id').limit(1_000).offset(max),
      )
      .execute();
  const insert = (
    id: string,
    metadata: AppMetadata,
    row: { readonly secret_hash: Buffer | null; readonly network: string; readonly forMs: number },
  ) => {
    const expires_at = fromNow(database, row.forMs);
    const { name, redirectUris, authMethod } = metadata;
    const text = JSON.stringify({ name, redirectUris, authMethod });
    return query
      .insertInto('oauth_apps')
      .values({
        id,
        metadata: text,
        secret_hash: row.secret_hash,
        network: row.network,
        created_at: sql<number>`${now}`,
        expires_at,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ metadata: text, expires_at }))
      .returningAll()
      .executeTakeFirstOrThrow();
  };
  return eachAcrossOrganizations<OAuthApps>({
    register: (metadata, network) =>
      database.transaction(async () => {
        await database.lock('oauth apps');
        await sweep();
        const secret = metadata.authMethod === 'none' ? null : newSecret('oas');
        const secret_hash = secret === null ? null : hashOf(secret);
        const row = await insert(newId('oap'), metadata, { secret_hash, network, forMs: unusedMs });
        await evict(unused.where('network', '=', network), limits.ofNetwork);
        await evict(unused, limits.inAll);
        return { app: toApp(row), secret };
      }),
    async get(id) {
      const found = query.selectFrom('oauth_apps').selectAll().where('id', '=', id);
      // A registered app with a grant is kept beyond its expiry.
      const row = await (id.startsWith('https:') ? found.where('expires_at', '>', now) : found).executeTakeFirst();
      return row && toApp(row);
    },
    async hasSecret(id, secret) {
      const found = query.selectFrom('oauth_apps').select('secret_hash').where('id', '=', id);
      const hash = (await found.executeTakeFirst())?.secret_hash;
      return timingSafeEqual(hashOf(secret), hash ?? dummyHash);
    },
    async cache(id, metadata, forMs) {
      await insert(id, metadata, { secret_hash: null, network: '', forMs });
    },
    async keep(id) {
      const update = query.updateTable('oauth_apps').set({ expires_at: fromNow(database, usedMs) });
      await update.where('id', '=', id).where('network', '<>', '').execute();
    },
    sweep,
  });
}
