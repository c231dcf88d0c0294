import type { Client } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { httpError } from '../../domain/http-error.js';
import { networkOf } from '../../domain/limits/addresses.js';

/** Counts wrong secrets. */
export interface Attempts {
  /** Counts one, or refuses it where there were too many of late. */
  recordFailure(clientId: string, address: string): void;
}

const windowMs = 60_000;
/** Failures in one window: with one client id from one address, and from one address in all. */
const limits = { pair: 10, address: 100 } as const;
const maxCounted = 10_000;

/**
 * Holds up whoever guesses secrets. A right one is never counted nor refused, whoever else guesses from its address:
 * secrets are 256 random bits, so that a count guards the log and the database, and not the secret.
 */
export function countAttempts(now: () => number): Attempts {
  const counts = new Map<string, number>();
  let windowStart = now();

  const rotateWindow = () => {
    if (now() - windowStart < windowMs) return;
    counts.clear();
    windowStart = now();
  };
  /** The count of a name; the one asked for longest ago goes when there are more than are kept. */
  const countOf = (key: string): number => {
    const count = counts.get(key) ?? 0;
    counts.delete(key);
    counts.set(key, count);
    if (counts.size > maxCounted) counts.delete(counts.keys().next().value!);
    return count;
  };
  return {
    recordFailure(clientId, address) {
      rotateWindow();
      const network = networkOf(address);
      const keys = [`${network} ${clientId}`, network] as const;
      const [pair, all] = keys.map(countOf) as [number, number];
      if (pair >= limits.pair || all >= limits.address) {
        throw httpError(429, 'rate_limited', 'Too many attempts with a wrong client_id or client_secret.', {
          retryable: true,
          retryAfterMs: windowStart + windowMs - now(),
        });
      }
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    },
  };
}

/** Who a wrong secret was shown for. Where there is no such client, as many look-ups take as long. */
export const claimedClient = async ({ clients }: State, clientId: string): Promise<Client | undefined> =>
  (await clients.get(clientId)) ?? clients.get(clientId);
