import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HandleSigner } from 'agent-connectors/tools';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { Key, KeyRing } from '../../data/vault/keys.js';

const lifetimeMs = 24 * 60 * 60_000;
const signatureLength = 16;

/**
 * Signs handles with the service's key, so that they work in every process and after a restart. Each belongs to one
 * principal and connector, and expires after a day.
 */
export function handleSigner(
  { keys, now }: { readonly keys: KeyRing; readonly now: () => number },
  principal: string,
  rows: ReadonlyMap<string, ConnectorRow>,
): HandleSigner {
  const signatureOf = (key: Key, handle: string, connector: string, expires: string) =>
    createHmac('sha256', key.derive('handles'))
      .update(JSON.stringify([handle, principal, rows.get(connector)?.id, expires]))
      .digest()
      .subarray(0, signatureLength);
  return {
    sign(handle, connector) {
      const expires = Math.ceil((now() + lifetimeMs) / 1_000).toString(36);
      return `${expires}.${signatureOf(keys.newest, handle, connector, expires).toString('base64url')}`;
    },
    verify(handle, connector, signature) {
      const [expires = '', encoded = ''] = signature.split('.');
      const given = Buffer.from(encoded, 'base64url');
      const isOver = !(Number.parseInt(expires, 36) * 1_000 > now());
      if (given.length !== signatureLength || isOver || !rows.has(connector)) return false;
      return keys.all.some((key) => timingSafeEqual(given, signatureOf(key, handle, connector, expires)));
    },
  };
}
