import { type Database, eachAcrossOrganizations } from './database.js';

/** A token that has been issued; the token itself is not stored. Times in milliseconds since 1970. */
export interface AccessTokenRow {
  readonly id: string;
  readonly clientId: string;
  readonly organizationId: string;
  /** The only workspace that it can access; null for a client token. */
  readonly workspaceId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Last use, to the minute; null if never. */
  readonly usedAt: number | null;
}

/** Tokens that have been issued and have not expired. */
export interface AccessTokens {
  add(token: Omit<AccessTokenRow, 'usedAt'>): Promise<void>;
  recordUse(id: string, usedAt: number): Promise<void>;
  /** Tokens that can be used, newest first: a client's, or all of an organization's. */
  list(filter: { readonly organizationId: string; readonly clientId?: string | undefined }): Promise<AccessTokenRow[]>;
  get(id: string): Promise<AccessTokenRow | undefined>;
  /** False if there is no such token, or it has been revoked. */
  revoke(id: string): Promise<boolean>;
  /** Deletes expired tokens. */
  sweep(): Promise<void>;
}

/** Maximum length of a list. */
const maxListed = 1_000;

/** Tokens in the database. */
export function openAccessTokens(database: Database, now: () => number): AccessTokens {
  const { query } = database;
  const selectUsable = () =>
    query
      .selectFrom('access_tokens')
      .select([
        'id',
        'client_id as clientId',
        'organization_id as organizationId',
        'workspace_id as workspaceId',
        'created_at as createdAt',
        'expires_at as expiresAt',
        'used_at as usedAt',
      ])
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now());
  // Like clients, tokens are looked up before the organization is known.
  return eachAcrossOrganizations<AccessTokens>({
    async add({ id, clientId, organizationId, workspaceId, createdAt, expiresAt }) {
      const owner = { client_id: clientId, organization_id: organizationId, workspace_id: workspaceId };
      const times = { created_at: createdAt, expires_at: expiresAt };
      await query
        .insertInto('access_tokens')
        .values({ id, ...owner, ...times })
        .execute();
    },
    async recordUse(id, usedAt) {
      await query.updateTable('access_tokens').set({ used_at: usedAt }).where('id', '=', id).execute();
    },
    async list({ organizationId, clientId }) {
      let tokens = selectUsable().where('organization_id', '=', organizationId);
      if (clientId !== undefined) tokens = tokens.where('client_id', '=', clientId);
      return tokens.orderBy('created_at', 'desc').orderBy('id').limit(maxListed).execute();
    },
    get: (id) => selectUsable().where('id', '=', id).executeTakeFirst(),
    async revoke(id) {
      const revocation = query.updateTable('access_tokens').set({ revoked_at: now() }).where('id', '=', id);
      return (await revocation.where('revoked_at', 'is', null).executeTakeFirstOrThrow()).numUpdatedRows > 0n;
    },
    async sweep() {
      await query.deleteFrom('access_tokens').where('expires_at', '<=', now()).execute();
    },
  });
}
