import { errors, jwtVerify, SignJWT } from 'jose';
import { type TokenScope, tokenScopes } from '../../data/state/rows.js';
import type { KeyRing } from '../../data/vault/keys.js';

/** What a token says: who asks, and where. */
export interface TokenClaims {
  readonly kind: 'app' | 'scoped';
  readonly clientId: string;
  /** The organisation that it was issued for. */
  readonly organizationId: string;
  /** The one workspace that a scoped token reaches. */
  readonly workspaceId?: string | undefined;
  /** What it may do; tokens of releases without scopes have none, and may do what their client may. */
  readonly scopes?: readonly TokenScope[] | undefined;
}

/** Issues tokens and reads those that it issued. */
export interface Tokens {
  /** A token is good for `expiresIn` seconds, or for what its kind is good for, which is also the most. */
  issue(claims: TokenClaims, expiresIn?: number): Promise<{ readonly token: string; readonly expiresIn: number }>;
  /** Nothing for a token that is altered, expired, or not of this service. */
  verify(token: string): Promise<TokenClaims | undefined>;
}

const issuer = 'agent-connectors';
/** Seconds that a token is good for at most. */
export const lifetimes = { app: 900, scoped: 1200 } as const;

/** Signs tokens with a key derived from the newest of the ring, and takes those of its other keys until they expire. */
export function createTokens(keys: KeyRing, now: () => number = Date.now): Tokens {
  return {
    async issue({ kind, clientId, organizationId, workspaceId, scopes }, wanted) {
      const expiresIn = Math.min(wanted ?? lifetimes[kind], lifetimes[kind]);
      const issuedAt = Math.floor(now() / 1000);
      const optional = { ...(workspaceId !== undefined && { ws: workspaceId }), ...(scopes && { scopes }) };
      const token = await new SignJWT({ typ: kind, org: organizationId, ...optional })
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
  };
}

function signingKey(keys: KeyRing, id: string | undefined) {
  const key = keys.find(id ?? '');
  if (!key) throw new errors.JWKSNoMatchingKey();
  return key.derive('tokens');
}

function claimsOf({ typ, sub, org, ws, scopes }: Record<string, unknown>): TokenClaims | undefined {
  if (typeof sub !== 'string' || typeof org !== 'string') return undefined;
  if (scopes !== undefined && !Array.isArray(scopes)) return undefined;
  const granted = scopes && { scopes: tokenScopes.filter((scope) => scopes.includes(scope)) };
  if (typ === 'app') return { kind: 'app', clientId: sub, organizationId: org, ...granted };
  if (typ !== 'scoped' || typeof ws !== 'string') return undefined;
  return { kind: 'scoped', clientId: sub, organizationId: org, workspaceId: ws, ...granted };
}
