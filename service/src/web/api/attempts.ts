import type { Client } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { httpError } from '../../domain/http-error.js';
import { networkOf } from '../../domain/limits/addresses.js';
import type { OpenBuckets } from '../../domain/limits/admission.js';

export interface Attempts {
  /** Counts a failure, or rejects the request if there have been too many recently. */
  recordFailure(clientId: string, address: string): Promise<void>;
}

/** Failures per minute: per client id and address, and per address. */
const limits = { pair: 10, address: 100 } as const;

/**
 * Slows down guessing. Correct secrets are neither counted nor rejected, even if someone else guesses from the same
 * address. Secrets have 256 random bits, so this protects the log and the database rather than the secret.
 */
export function countAttempts(openBuckets: OpenBuckets): Attempts {
  const pairs = openBuckets('failures per name', limits.pair / 60, limits.pair);
  const addresses = openBuckets('failures from an address', limits.address / 60, limits.address);
  return {
    async recordFailure(clientId, address) {
      const network = networkOf(address);
      for (const taking of [() => pairs.take(`${network} ${clientId}`), () => addresses.take(network)]) {
        const { allowed, waitMs } = await taking();
        if (allowed) continue;
        throw httpError(429, 'rate_limited', 'Too many attempts with an incorrect client_id or client_secret.', {
          retryable: true,
          retryAfterMs: waitMs,
        });
      }
    },
  };
}

/** The client that an incorrect secret was presented for. An unknown client takes just as many lookups. */
export const claimedClient = async ({ clients }: State, clientId: string): Promise<Client | undefined> =>
  (await clients.get(clientId)) ?? clients.get(clientId);
