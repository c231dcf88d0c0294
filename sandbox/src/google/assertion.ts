import { type ServiceAccount, tokenAddress } from './service-account.js';
import { testPublicKey } from './test-key.js';

/** Claims of an assertion. */
export interface Claims {
  iss?: unknown;
  sub?: unknown;
  aud?: unknown;
  iat?: unknown;
  exp?: unknown;
  scope?: unknown;
  target_audience?: unknown;
}

/** A parsed assertion. */
export interface Assertion {
  header: { alg?: unknown; kid?: unknown };
  claims: Claims;
  signed: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
}

const hour = 3600;
/** Allowed clock skew in seconds. */
const skew = 300;

/** Parses a JWT; undefined if it is malformed. */
export function parseAssertion(text: string): Assertion | undefined {
  const parts = text.split('.');
  const [header = '', claims = '', signature = ''] = parts;
  if (parts.length !== 3) return undefined;
  try {
    const read = (part: string) => JSON.parse(new TextDecoder().decode(bytesOf(part)));
    const assertion = {
      header: read(header),
      claims: read(claims),
      signed: new TextEncoder().encode(`${header}.${claims}`),
      signature: bytesOf(signature),
    };
    return isObject(assertion.header) && isObject(assertion.claims) ? assertion : undefined;
  } catch {
    return undefined;
  }
}

/** Verifies the signature with the account's key. */
export async function hasValidSignature(
  { header, signed, signature }: Assertion,
  account: ServiceAccount,
): Promise<boolean> {
  if (header.alg !== 'RS256') return false;
  if (header.kid !== undefined && header.kid !== account.private_key_id) return false;
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('jwk', testPublicKey, algorithm, false, ['verify']);
  return crypto.subtle.verify(algorithm, key, signature, signed);
}

/** Describes an error in an assertion's audience or times, in Google's words. */
export function claimsErrorOf({ aud, iat, exp }: Claims, now: number): string | undefined {
  if (aud !== tokenAddress) return 'Invalid JWT: Failed audience check.';
  const isShort =
    typeof iat === 'number' && typeof exp === 'number' && exp - iat <= hour && exp >= iat && iat <= now + skew;
  if (isShort && exp > now - skew) return undefined;
  return 'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.';
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
