import { createHash } from 'node:crypto';
import type { Resource } from '../../data/state/oauth-types.js';
import type { Client, ConnectorRow, Person, Scope, TokenScope } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import type { TokenClaims, Tokens } from '../../domain/accounts/tokens.js';
import { fieldError, httpError, notFoundError } from '../../domain/http-error.js';

/** The authenticated caller. */
export interface Caller {
  readonly client: Client;
  readonly kind: 'app' | 'scoped';
  /** The OAuth grant of the token. */
  readonly grantId?: string | undefined;
  readonly scopes: readonly TokenScope[];
  /** The user whose access determines which records can be read; null for no limit. */
  readonly asUser: Person | null;
  /** Undefined if the client has several organizations and did not specify one. */
  readonly scope: Scope | undefined;
}

/** Authenticates a request by its headers; a grant's token is valid for one resource only. */
export type Authenticate = (headers: Headers, resource?: Resource) => Promise<Caller>;

interface VerifiedToken {
  readonly claims: TokenClaims;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Maximum number of cached verified tokens. */
const maxVerifiedTokens = 10_000;

/** Verifies tokens; a deleted client's tokens are rejected immediately despite the cache. */
export function authenticator(
  state: State,
  tokens: Tokens,
  now: () => number,
  baseOf: (headers: Headers) => string,
): Authenticate {
  const verifiedTokens = new Map<string, VerifiedToken>();

  const verify = async (token: string): Promise<TokenClaims> => {
    // Keyed by digest so that tokens are not kept in memory.
    const digest = createHash('sha256').update(token).digest('base64');
    const cached = verifiedTokens.get(digest);
    if (cached && cached.expiresAt * 1000 > now()) return cached.claims;
    verifiedTokens.delete(digest);
    const claims = await tokens.verify(token);
    if (!claims) throw new TokenError('The token is invalid or expired.');
    verifiedTokens.set(digest, { claims, expiresAt: expiryOf(token) });
    if (verifiedTokens.size > maxVerifiedTokens) verifiedTokens.delete(verifiedTokens.keys().next().value!);
    return claims;
  };

  const identify = async (token: string, requestedId: string | null, resource: Resource): Promise<Caller> => {
    const claims = await verify(token);
    const client = await state.clients.get(claims.clientId);
    if (!client) throw new TokenError('The client behind this token has been deleted.');
    const { kind, organizationId, grantId } = claims;
    if (kind !== 'grant') {
      const asUser = client.asUser ?? claims.asUser ?? null;
      const granted = client.scopes.filter((own) => claims.scopes?.includes(own) ?? true);
      const scopes = boundScopes(granted, asUser);
      return { client, kind, scopes, asUser, scope: scopeOf(client, claims, requestedId) };
    }
    if (claims.resource !== resource)
      throw new TokenError('The token was issued for another resource on this service.');
    const grant = await state.grants.use(organizationId, grantId!);
    if (!grant) throw new TokenError('The grant behind this token has been revoked.');
    const { workspaceId, connectorIds } = grant;
    const scope = scopeOf(client, { ...claims, kind: 'scoped', workspaceId }, requestedId);
    const { asUser } = client;
    const granted = client.scopes.filter((own) => grant.scopes.includes(own));
    const scopes = boundScopes(granted, asUser);
    return {
      client,
      kind: 'scoped',
      grantId: grant.id,
      scopes,
      asUser,
      scope: { ...scope!, ...(connectorIds && { connectorIds }) },
    };
  };

  return async (headers, resource = 'api') => {
    const token = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];
    // Tells clients how to sign in (RFC 9728, section 5.1).
    const challenge = () =>
      `Bearer resource_metadata="${baseOf(headers)}/.well-known/oauth-protected-resource/${resource}"`;
    if (token === undefined) {
      throw unauthorizedError('The request has no token. Send Authorization: Bearer <token>.', challenge());
    }
    return identify(token, headers.get('x-organization-id'), resource).catch((error: unknown) => {
      if (!(error instanceof TokenError)) throw error;
      throw unauthorizedError(error.message, `${challenge()}, error="invalid_token"`);
    });
  };
}

/** Tokens bound to a user are read-only. */
export const boundScopes = (scopes: readonly TokenScope[], asUser: Person | null): readonly TokenScope[] =>
  asUser ? scopes.filter((scope) => scope === 'read') : scopes;

/** Why a token is rejected. */
class TokenError extends Error {}

/** Expiry of a verified token. */
function expiryOf(token: string): number {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const { exp } = claims as { exp?: unknown };
  return typeof exp === 'number' ? exp : 0;
}

function scopeOf(client: Client, claims: TokenClaims, requestedId: string | null): Scope | undefined {
  const organizationIds = client.organizationIds;
  if (claims.kind === 'scoped') {
    const { organizationId, workspaceId } = claims;
    if (!organizationIds.includes(organizationId))
      throw new TokenError("The client no longer belongs to this token's organization.");
    if (requestedId !== null && requestedId !== organizationId) throw organizationDenied();
    return { organizationId, workspaceId };
  }
  if (requestedId !== null) {
    if (!organizationIds.includes(requestedId)) throw organizationDenied();
    return { organizationId: requestedId };
  }
  return organizationIds.length === 1 ? { organizationId: organizationIds[0]! } : undefined;
}

/** Rejects callers that act on behalf of a user. */
export function requireUnbound({ asUser }: Pick<Caller, 'asUser'>): void {
  if (!asUser) return;
  throw httpError(403, 'forbidden', 'This token is bound to a user: it can only search and read records.');
}

/** The organization and workspace of a request; a client with several organizations must specify one. */
export async function requireScope({ scope, client }: Caller, state: State): Promise<Scope> {
  if (scope) return scope;
  const clientOrganizations = await state.organizations.list(client.organizationIds);
  const organizations = clientOrganizations.map(({ id, name }) => ({ id, name }));
  const list = organizations.map(({ id, name }) => `${id} (${name})`).join(', ');
  const message = 'must be one of the client’s organizations';
  throw httpError(400, 'invalid_params', `The X-Organization-Id header ${message}: ${list || 'none'}.`, {
    errors: [fieldError('X-Organization-Id', message, 'required', { organizations })],
  });
}

const organizationDenied = () =>
  httpError(403, 'forbidden', "X-Organization-Id is not one of this token's organizations.", {
    errors: [fieldError('X-Organization-Id', "is not one of this token's organizations")],
  });

const unauthorizedError = (message: string, challenge: string) =>
  httpError(401, 'unauthorized', message, {
    hint: 'Get a token, valid for 15 minutes, from POST /api/v1/account/applications/token.',
    headers: { 'www-authenticate': challenge },
  });

/** The connector in a path, if the caller is allowed to see it. */
export async function requireConnector({
  params: { id = '' },
  scope,
  services: { state },
}: {
  readonly params: Readonly<Record<string, string>>;
  readonly scope: Scope;
  readonly services: { readonly state: State };
}): Promise<ConnectorRow> {
  const row = await state.connectors.get(scope, id);
  if (!row) throw notFoundError(`connector '${id.slice(0, 100)}'`);
  return row;
}

/** Whether the caller is the Python client that this API is compatible with, which uses snake_case search fields. */
export const isPeerClient = ({ headers }: Request): boolean => headers.get('x-adp-agent-sdk') === 'airbyte-agent-sdk';
