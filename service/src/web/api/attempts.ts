import type { Client } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { httpError } from '../../domain/http-error.js';
import { networkOf } from '../../domain/limits/addresses.js';
import type { OpenBuckets } from '../../domain/limits/admission.js';

/** Counts wrong secrets. */
export interface Attempts {
  /** Counts one, or refuses it where there were too many of late. */
  recordFailure(clientId: string, address: string): Promise<void>;
}

/** Failures a minute: with one client id from one address, and from one address in all. */
const limits = { pair: 10, address: 100 } as const;

/**
 * Holds up whoever guesses secrets. A right one is never counted nor refused, whoever else guesses from its address:
 * secrets are 256 random bits, so that a count guards the log and the database, and not the secret.
 */
export function countAttempts(openBuckets: OpenBuckets): Attempts {
  const pairs = openBuckets('failures of a name', limits.pair / 60, limits.pair);
  const addresses = openBuckets('failures from an address', limits.address / 60, limits.address);
  return {
    async recordFailure(clientId, address) {
      const network = networkOf(address);
      for (const taking of [() => pairs.take(`${network} ${clientId}`), () => addresses.take(network)]) {
        const { allowed, waitMs } = await taking();
        if (allowed) continue;
        throw httpError(429, 'rate_limited', 'Too many attempts with a wrong client_id or client_secret.', {
          retryable: true,
          retryAfterMs: waitMs,
        });
      }
    },
  };
}

/** Who a wrong secret was shown for. Where there is no such client, as many look-ups take as long. */
export const claimedClient = async ({ clients }: State, clientId: string): Promise<Client | undefined> =>
  (await clients.get(clientId)) ?? clients.get(clientId);
