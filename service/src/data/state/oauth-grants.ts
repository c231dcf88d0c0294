import { createHash, randomBytes } from 'node:crypto';
import { expressionBuilder, sql } from 'kysely';
import { lockOrganization } from './accounts.js';
import {
  acrossOrganizations,
  type Database,
  eachAcrossOrganizations,
  eachWithinOrganization,
  fromNow,
  newId,
} from './database.js';
import type { Grant, Grants, Redemption, Resource } from './oauth-types.js';
import { type Scope, StateConflict, tokenScopes } from './rows.js';
import { newSecret } from './secret.js';
import type { Tables } from './tables.js';

/** Lifetime of a grant without a refresh, in milliseconds. */
const grantMs = 30 * 24 * 60 * 60_000;
/**
 * How long a replaced refresh token still returns its successor, since several connections of one app may refresh at
 * the same time. Until then, the successor is not replaced either: late requests always get the current token.
 */
const overlapMs = 30_000;
/** Maximum grants per organization. */
const maxGrants = 1_000;
/** Minimum interval for recording the last use. */
const useEveryMs = 60_000;

// Codes and tokens are long and random, so a slow hash would only add delay.
const hashOf = (text: string) => createHash('sha256').update(text).digest();
const random = () => randomBytes(32).toString('base64url');

const selectGrants = ({ query }: Database) =>
  query
    .selectFrom('oauth_grants')
    .innerJoin('workspaces', 'workspaces.id', 'oauth_grants.workspace_id')
    .selectAll('oauth_grants')
    .select('workspaces.name as workspace_name');

type Row = Awaited<ReturnType<ReturnType<typeof selectGrants>['executeTakeFirstOrThrow']>>;

// Every tenant query is built on this, so none can omit it.
const visibleIn = ({ organizationId, workspaceId }: Scope, clientId: string | undefined) =>
  expressionBuilder<Tables, 'oauth_grants'>().and({
    'oauth_grants.organization_id': organizationId,
    ...(workspaceId !== undefined && { 'oauth_grants.workspace_id': workspaceId }),
    ...(clientId !== undefined && { 'oauth_grants.client_id': clientId }),
  });

/** The family of a refresh token, which identifies its grant across rotations. */
const familyOf = (token: string): string => token.split('.')[0] ?? '';

/** Grants in the database; only digests of codes and refresh tokens are stored. */
export function openGrants(database: Database): Grants {
  const { query, now } = database;
  const isLive = sql<boolean>`oauth_grants.expires_at > ${now}`;
  const remove = (id: string) => query.deleteFrom('oauth_grants').where('id', '=', id).execute();
  const sweep = async () => {
    await query.deleteFrom('oauth_grants').where('expires_at', '<=', now).execute();
  };
  const end = async (outcome: 'replayed' | 'refused', row: Row): Promise<Redemption> => {
    await remove(row.id);
    return { outcome, grant: toGrant(row) };
  };

  const ofTenants = eachWithinOrganization<Pick<Grants, 'create' | 'use' | 'list' | 'revoke'>>({
    create: (scope, grant, codeMs = 60_000) =>
      database.transaction(async () => {
        const { organizationId } = scope;
        await lockOrganization(database, organizationId).execute();
        await query
          .deleteFrom('oauth_grants')
          .where(visibleIn({ organizationId }, undefined))
          .where('expires_at', '<=', now)
          .execute();
        const owned = query.selectFrom('oauth_grants').where('organization_id', '=', organizationId);
        const { count } = await owned.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
        if (Number(count) >= maxGrants) {
          throw new StateConflict(`The organization has ${maxGrants} connected apps. Revoke unused apps.`);
        }
        const id = newId('grt');
        const code = random();
        await query
          .insertInto('oauth_grants')
          .values({
            id,
            organization_id: organizationId,
            workspace_id: grant.workspaceId,
            client_id: grant.clientId,
            app_id: grant.appId,
            app_name: grant.appName,
            redirect_uri: grant.redirectUri,
            resource: grant.resource,
            scopes: JSON.stringify(grant.scopes),
            challenge: grant.challenge,
            connectors: grant.connectorIds && JSON.stringify(grant.connectorIds),
            code_hash: hashOf(code),
            code_until: fromNow(database, codeMs),
            created_at: sql<number>`${now}`,
            expires_at: fromNow(database, codeMs),
          })
          .execute();
        return { id, code };
      }),
    async use(organizationId, id) {
      const row = await selectGrants(database)
        .select(sql<boolean>`coalesce(used_at, 0) <= ${fromNow(database, -useEveryMs)}`.as('is_stale'))
        .where(visibleIn({ organizationId }, undefined))
        .where('oauth_grants.id', '=', id)
        .where('refresh_hash', 'is not', null)
        .where(isLive)
        .executeTakeFirst();
      if (row?.is_stale) {
        await query
          .updateTable('oauth_grants')
          .set({ used_at: sql`${now}` })
          .where('id', '=', id)
          .execute();
      }
      return row && toGrant(row);
    },
    async list(scope, clientId) {
      const rows = await selectGrants(database)
        .where(visibleIn(scope, clientId))
        .where('refresh_hash', 'is not', null)
        .where(isLive)
        .orderBy('oauth_grants.created_at', 'desc')
        .orderBy('oauth_grants.id')
        .execute();
      return rows.map(toGrant);
    },
    revoke: (scope, id, clientId) =>
      database.transaction(async () => {
        const found = selectGrants(database).where(visibleIn(scope, clientId)).where('oauth_grants.id', '=', id);
        const row = await found.forNoKeyUpdate('oauth_grants').executeTakeFirst();
        if (row) await remove(id);
        return row && toGrant(row);
      }),
  });
  // A code or token identifies its grant in any organization.
  const bySecret = eachAcrossOrganizations<Pick<Grants, 'redeemCode' | 'refresh' | 'byRefreshToken'>>({
    redeemCode: (code, fits) =>
      database.transaction(async () => {
        const found = selectGrants(database)
          .select(sql<boolean>`code_until <= ${now}`.as('is_over'))
          .where('code_hash', '=', hashOf(code));
        const row = await found.forNoKeyUpdate('oauth_grants').executeTakeFirst();
        if (!row) return undefined;
        if (row.refresh_hash !== null) return end('replayed', row);
        if (row.is_over || !fits(toGrant(row))) return end('refused', row);
        const family = newSecret('ort');
        const refreshToken = `${family}.${random()}`;
        await query
          .updateTable('oauth_grants')
          .set({
            family_hash: hashOf(family),
            refresh_hash: hashOf(refreshToken),
            used_at: sql`${now}`,
            expires_at: fromNow(database, grantMs),
          })
          .where('id', '=', row.id)
          .execute();
        return { outcome: 'redeemed', grant: toGrant(row), refreshToken };
      }),
    refresh: (token, fits, next) =>
      database.transaction(async () => {
        const found = selectGrants(database)
          .select(sql<boolean>`coalesce(rotated_at, 0) > ${fromNow(database, -overlapMs)}`.as('overlaps'))
          .where('family_hash', '=', hashOf(familyOf(token)))
          .where(isLive);
        const row = await found.forNoKeyUpdate('oauth_grants').executeTakeFirst();
        if (!row) return undefined;
        const grant = toGrant(row);
        if (!fits(grant)) return { outcome: 'refused', grant };
        const hash = hashOf(token);
        const candidates = next(token);
        const isCurrent = row.refresh_hash !== null && hash.equals(row.refresh_hash);
        const isPrevious = row.previous_hash !== null && hash.equals(row.previous_hash);
        if (isCurrent && row.overlaps) return { outcome: 'redeemed', grant, refreshToken: token };
        if (!isCurrent) {
          // The successor may have been derived from a key that has been rotated since.
          const successor = candidates.find((one) => row.refresh_hash && hashOf(one).equals(row.refresh_hash));
          if (!(isPrevious && row.overlaps && successor)) return end('replayed', row);
          return { outcome: 'redeemed', grant, refreshToken: successor };
        }
        const [refreshToken] = candidates;
        await query
          .updateTable('oauth_grants')
          .set({
            previous_hash: hash,
            refresh_hash: hashOf(refreshToken),
            rotated_at: sql`${now}`,
            used_at: sql`${now}`,
            expires_at: fromNow(database, grantMs),
          })
          .where('id', '=', row.id)
          .execute();
        return { outcome: 'redeemed', grant, refreshToken };
      }),
    async byRefreshToken(token) {
      const found = selectGrants(database)
        .where('family_hash', '=', hashOf(familyOf(token)))
        .where(isLive);
      const row = await found.executeTakeFirst();
      return row && toGrant(row);
    },
  });
  return { ...ofTenants, ...bySecret, sweep: () => acrossOrganizations(sweep) };
}

const toGrant = (row: Row): Grant => ({
  id: row.id,
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  clientId: row.client_id,
  appId: row.app_id,
  appName: row.app_name,
  redirectUri: row.redirect_uri,
  challenge: row.challenge,
  resource: row.resource as Resource,
  scopes: tokenScopes.filter((scope) => JSON.parse(row.scopes).includes(scope)),
  connectorIds: row.connectors === null ? null : JSON.parse(row.connectors),
  createdAt: Number(row.created_at),
  usedAt: row.used_at,
  expiresAt: row.expires_at,
});
