import { httpError } from '../../domain/http-error.js';

/** Counts failed attempts at a secret. */
export interface Attempts {
  /** Refuses when there were too many of late. */
  check(clientId: string, address: string): void;
  recordFailure(clientId: string, address: string): void;
}

const windowMs = 60_000;
/** Failures in one window: with one client id from one address, and from one address in all. */
const limits = { pair: 10, address: 100 } as const;
const maxCounted = 10_000;

/** Holds up whoever guesses secrets; those who know theirs are not counted. */
export function countAttempts(now: () => number): Attempts {
  const counts = new Map<string, number>();
  let windowStart = now();

  const rotateWindow = () => {
    if (now() - windowStart < windowMs && counts.size < maxCounted) return;
    counts.clear();
    windowStart = now();
  };
  const pairOf = (clientId: string, address: string) => `${address} ${clientId}`;
  return {
    check(clientId, address) {
      rotateWindow();
      const pair = counts.get(pairOf(clientId, address)) ?? 0;
      const all = counts.get(address) ?? 0;
      if (pair < limits.pair && all < limits.address) return;
      throw httpError(429, 'rate_limited', 'Too many attempts with a wrong client_id or client_secret.', {
        retryable: true,
        retryAfterMs: windowStart + windowMs - now(),
      });
    },
    recordFailure(clientId, address) {
      for (const key of [pairOf(clientId, address), address]) counts.set(key, (counts.get(key) ?? 0) + 1);
    },
  };
}
