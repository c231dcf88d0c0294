import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { SetupRow } from '../../data/state/setup-types.js';
import { returnOriginOf } from '../api/return-url.js';
import type { SetupDependencies } from './dependencies.js';

/** How long a result is valid after its session ends, in milliseconds. */
export const resultMs = 300_000;

const keyBytes = (key: string): Buffer => Buffer.from(key.slice(key.indexOf('_') + 1), 'base64');

/**
 * The return URL of a finished session. It contains the signed result, which never changes, or is the product's start
 * page once the result has expired. The session's creator also knows the setup URL, so a result with an account is only
 * given to the browser in which it was connected (`isTheirs`). Undefined if the client no longer has a key or no longer
 * allows the URL's origin.
 */
export async function resultAddress(
  { state, now, address }: Pick<SetupDependencies, 'state' | 'now' | 'address'>,
  { organizationId, clientId, connect, status, connectorId, expiresAt }: SetupRow,
  isTheirs: boolean,
): Promise<string | undefined> {
  if (!connect) return undefined;
  // The console gets the outcome directly from the service, so nothing is signed.
  if (!connect.brand)
    return address.url + connect.returnUrl + (connectorId === null ? '' : `/connectors/${connectorId}`);
  const { connectClients } = state;
  const keys = await connectClients.keys({ organizationId }, clientId);
  const origins = await connectClients.origins({ organizationId }, clientId);
  const origin = returnOriginOf(connect.returnUrl);
  if (keys.length === 0 || origin === undefined || !origins.includes(origin)) return undefined;
  const isConnected = status === 'done' || status === 'unconfirmed';
  // A session of a deleted workspace has no end time.
  const expires = status === 'unconfirmed' ? expiresAt : Math.min(now(), expiresAt) + resultMs;
  if (expires <= now() || (isConnected && !isTheirs)) return `${origin}/`;
  const result = {
    status: status === 'done' ? 'connected' : status,
    connector_id: isConnected ? (connectorId ?? '') : '',
    nonce: connect.nonce,
    expires: String(Math.floor(expires / 1000)),
    state: connect.state,
  };
  const text = ['connect.v1', ...Object.values(result)].join('\n');
  const signatures = keys.map((key) => createHmac('sha256', keyBytes(key)).update(text).digest('base64url'));
  const url = new URL(connect.returnUrl);
  for (const [name, value] of Object.entries({ ...result, signature: signatures.join('.') })) {
    if (value !== '') url.searchParams.set(name, value);
  }
  return url.href;
}

/** Verifies the signature of a session's result, which only the connecting browser received. */
export async function isSignatureOf(
  dependencies: Parameters<typeof resultAddress>[0],
  setup: SetupRow,
  signature: string,
): Promise<boolean> {
  const url = await resultAddress(dependencies, setup, true);
  const own = (url && new URL(url).searchParams.get('signature')?.split('.')) || [];
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const given = signature.split('.').map(digest);
  return own.some((one) => given.some((two) => timingSafeEqual(digest(one), two)));
}
