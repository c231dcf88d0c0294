import { createHash } from 'node:crypto';
import type { Client, ConnectorRow, Scope } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import type { TokenClaims, Tokens } from '../../domain/accounts/tokens.js';
import { absent, fieldError, refusal } from '../../domain/refusal.js';

/** Who asks. */
export interface Caller {
  readonly client: Client;
  readonly kind: TokenClaims['kind'];
  /** Absent where the client has several organisations and named none. */
  readonly scope: Scope | undefined;
}

/** Finds out who asks, from a request's headers. */
export type Authenticate = (headers: Headers) => Promise<Caller>;

interface Verified {
  readonly claims: TokenClaims;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** So many tokens are remembered as verified. */
const mostVerified = 10_000;

/** Reads tokens; a deleted client's are refused at once, whatever is remembered of them. */
export function authenticator(state: State, tokens: Tokens, now: () => number): Authenticate {
  const verified = new Map<string, Verified>();

  const verify = async (token: string): Promise<TokenClaims> => {
    // A digest, so that no token is kept.
    const digest = createHash('sha256').update(token).digest('base64');
    const known = verified.get(digest);
    if (known && known.expiresAt * 1000 > now()) return known.claims;
    verified.delete(digest);
    const claims = await tokens.verify(token);
    if (!claims) throw unauthorized('The token is not valid, or no longer.');
    verified.set(digest, { claims, expiresAt: expiryOf(token) });
    if (verified.size > mostVerified) verified.delete(verified.keys().next().value!);
    return claims;
  };

  return async (headers) => {
    const token = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];
    if (token === undefined) throw unauthorized('The request needs a token: Authorization: Bearer <token>.');
    const claims = await verify(token);
    const client = await state.clients.get(claims.clientId);
    if (!client) throw unauthorized('The client of this token does not exist any more.');
    return { client, kind: claims.kind, scope: scopeOf(client, claims, headers.get('x-organization-id')) };
  };
}

/** When a token that has been verified expires. */
function expiryOf(token: string): number {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const { exp } = claims as { exp?: unknown };
  return typeof exp === 'number' ? exp : 0;
}

function scopeOf(client: Client, claims: TokenClaims, named: string | null): Scope | undefined {
  const own = client.organizationIds;
  if (claims.kind === 'scoped') {
    const { organizationId, workspaceId } = claims;
    if (!own.includes(organizationId)) throw unauthorized('The client has left the organization of this token.');
    if (named !== null && named !== organizationId) throw foreign();
    return { organizationId, workspaceId };
  }
  if (named !== null) {
    if (!own.includes(named)) throw foreign();
    return { organizationId: named };
  }
  return own.length === 1 ? { organizationId: own[0]! } : undefined;
}

/** The organisation and workspace that a request is for; a client that has several must name one. */
export async function scopeNamed({ scope, client }: Caller, state: State): Promise<Scope> {
  if (scope) return scope;
  const own = await state.organizations.list(client.organizationIds);
  const organizations = own.map(({ id, name }) => ({ id, name }));
  const list = organizations.map(({ id, name }) => `${id} (${name})`).join(', ');
  const message = 'must name one of the organizations that the client has';
  throw refusal(400, 'invalid_params', `The header X-Organization-Id ${message}: ${list || 'none'}.`, {
    errors: [fieldError('X-Organization-Id', message, 'required', { organizations })],
  });
}

const foreign = () =>
  refusal(403, 'forbidden', 'X-Organization-Id names an organization that this token does not reach.', {
    errors: [fieldError('X-Organization-Id', 'is not an organization of this token')],
  });

const unauthorized = (message: string) =>
  refusal(401, 'unauthorized', message, {
    hint: 'POST /api/v1/account/applications/token gives a token for 15 minutes.',
    headers: { 'www-authenticate': 'Bearer' },
  });

/** The connector that a path names, as far as this caller may see it. */
export async function connectorIn({
  params: { id = '' },
  scope,
  services: { state },
}: {
  readonly params: Readonly<Record<string, string>>;
  readonly scope: Scope;
  readonly services: { readonly state: State };
}): Promise<ConnectorRow> {
  const row = await state.connectors.get(scope, id);
  if (!row) throw absent(`connector '${id.slice(0, 100)}'`);
  return row;
}
