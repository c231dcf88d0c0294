import { createHmac } from 'node:crypto';
import { maxScopedTokenSeconds } from 'agent-connectors/wire';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Resource } from '../../data/state/oauth-types.js';
import { type Person, type TokenScope, tokenScopes } from '../../data/state/rows.js';
import type { Key, KeyRing } from '../../data/vault/keys.js';

/** Claims of a token. */
export interface TokenClaims {
  readonly kind: 'app' | 'scoped' | 'grant';
  readonly clientId: string;
  /** The organization the token was issued for. */
  readonly organizationId: string;
  /** The only workspace that a scoped token can access. */
  readonly workspaceId?: string | undefined;
  /** The token's scopes; tokens issued before scopes existed have their client's scopes. */
  readonly scopes?: readonly TokenScope[] | undefined;
  /** The user that an app or scoped token is bound to. */
  readonly asUser?: Person | null | undefined;
  /** The token's OAuth grant; permissions are looked up there. */
  readonly grantId?: string | undefined;
  /** The token's id; undefined for a grant's token, and one from an earlier release. */
  readonly tokenId?: string | undefined;
  /** The client's token generation when it was issued. */
  readonly generation?: number | undefined;
  /** The API that a grant's token is valid for. */
  readonly resource?: Resource | undefined;
}

/** Issues and verifies tokens. */
export interface Tokens {
  /** A token is valid for `expiresIn` seconds, up to the maximum lifetime for its kind, which is the default. */
  issue(claims: TokenClaims, expiresIn?: number): Promise<{ readonly token: string; readonly expiresIn: number }>;
  /** Undefined if the token was altered, has expired, or was issued by another service. */
  verify(token: string): Promise<TokenClaims | undefined>;
  /** The successors of a refresh token, one per key of the ring; the first is the one to issue. */
  nextRefreshTokens(token: string): readonly [string, ...string[]];
}

const issuer = 'agent-connectors';
/**
 * Maximum lifetime of each kind of token, in seconds. A grant is checked on every request, so revoking it does not
 * wait for its tokens to expire: a longer lifetime spares clients refreshes, which some of them get wrong.
 */
const lifetimes = { app: 900, scoped: maxScopedTokenSeconds, grant: 3600 } as const;

/** Types of tokens that are bound to a user, so that code which does not read the binding rejects them. */
const boundTypes = { app: 'bound-app', scoped: 'bound-scoped', grant: 'bound-grant' } as const;

/** Signs tokens with a key derived from the ring's newest key; older keys' tokens stay valid until they expire. */
export function createTokens(keys: KeyRing, now: () => number = Date.now): Tokens {
  return {
    async issue(claims, requested) {
      const { kind, clientId, organizationId, workspaceId, scopes, asUser, grantId, resource } = claims;
      const { tokenId, generation } = claims;
      const expiresIn = Math.min(requested ?? lifetimes[kind], lifetimes[kind]);
      const issuedAt = Math.floor(now() / 1000);
      const optional = { ...(workspaceId !== undefined && { ws: workspaceId }), ...(scopes && { scopes }) };
      const ended = { ...(tokenId !== undefined && { jti: tokenId }), ...(generation && { gen: generation }) };
      const granted = grantId !== undefined && { grt: grantId, res: resource };
      const bound = asUser && { as_user: asUser.email, as_groups: asUser.groups };
      const typ = asUser ? boundTypes[kind] : kind;
      const token = await new SignJWT({ typ, org: organizationId, ...optional, ...granted, ...bound, ...ended })
        .setProtectedHeader({ alg: 'HS256', kid: keys.newest.id })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setSubject(clientId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + expiresIn)
        .sign(keys.newest.derive('tokens'));
      return { token, expiresIn };
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, ({ kid }) => signingKey(keys, kid), {
          algorithms: ['HS256'],
          issuer,
          audience: issuer,
          requiredClaims: ['exp', 'sub'],
          currentDate: new Date(now()),
        });
        return claimsOf(payload);
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
    nextRefreshTokens(token) {
      const nextWith = (key: Key) => {
        const secret = createHmac('sha256', key.derive('refresh tokens')).update(token).digest('base64url');
        return `${token.split('.')[0]}.${secret}`;
      };
      return [nextWith(keys.newest), ...keys.all.filter((key) => key !== keys.newest).map(nextWith)];
    },
  };
}

function signingKey(keys: KeyRing, id: string | undefined) {
  const key = keys.find(id ?? '');
  if (!key) throw new errors.JWKSNoMatchingKey();
  return key.derive('tokens');
}

function claimsOf(payload: Record<string, unknown>): TokenClaims | undefined {
  const { typ, sub, org, ws, scopes, grt, res, jti, gen } = payload;
  if (typeof sub !== 'string' || typeof org !== 'string') return undefined;
  if (scopes !== undefined && !Array.isArray(scopes)) return undefined;
  const isBound = typ === boundTypes.app || typ === boundTypes.scoped;
  const asUser = isBound ? personOf(payload) : null;
  if (asUser === undefined) return undefined;
  const granted = {
    ...(scopes && { scopes: tokenScopes.filter((scope) => scopes.includes(scope)) }),
    asUser,
    ...(typeof jti === 'string' && { tokenId: jti }),
    ...(typeof gen === 'number' && { generation: gen }),
  };
  if (typ === 'app' || typ === boundTypes.app) {
    return { kind: 'app', clientId: sub, organizationId: org, ...granted };
  }
  if (typ === 'grant' && typeof grt === 'string' && (res === 'mcp' || res === 'api')) {
    return { kind: 'grant', clientId: sub, organizationId: org, grantId: grt, resource: res };
  }
  if ((typ !== 'scoped' && typ !== boundTypes.scoped) || typeof ws !== 'string') return undefined;
  return { kind: 'scoped', clientId: sub, organizationId: org, workspaceId: ws, ...granted };
}

function personOf({ as_user: email, as_groups: groups }: Record<string, unknown>): Person | undefined {
  return typeof email === 'string' && Array.isArray(groups) ? { email, groups } : undefined;
}
