import pRetry from 'p-retry';
import { ConnectorError } from '../call/errors.js';
import type { Lifetime } from './lifetime.js';

/** The longest wait after a fault; a vendor that asks for more is not waited for. */
const maxDelayMs = 30_000;

/** p-retry waits from `minTimeout` to twice as long, and doubles that with each attempt. */
const backoff = { factor: 2, minTimeout: 250, maxTimeout: maxDelayMs, randomize: true } as const;

/** First wait for a rate limit that does not say how long it lasts; jitter makes it up to twice as long, and it doubles. */
const rateLimitDelayMs = 1000;

/** The longest of these waits: quotas are counted by the minute. */
const maxRateLimitDelayMs = 64_000;

/** What one retried piece of work needs to know. */
export interface RetryOptions {
  /** How often the work is repeated after a fault; unless that is 0, after rate limits as long as the call lives. */
  readonly retries: number;
  readonly lifetime: Lifetime;
  /** Whether the work may be done again after this failure. */
  readonly isRetryable: (error: ConnectorError) => boolean;
  /** Told before each wait; `delayMs` is the shortest that it can be. */
  readonly onRetry: (retry: { attempt: number; delayMs: number; error: ConnectorError }) => void;
}

/** Repeats work after its first failure, where that may pass, as long as the call lives. */
export async function repeat<T>(
  work: () => Promise<T>,
  firstFailure: ConnectorError,
  options: RetryOptions,
): Promise<T> {
  const { retries, lifetime, isRetryable, onRetry } = options;
  const { signal, unsubscribe } = lifetime.watch();
  let result: { readonly value: T } | undefined;
  let faults = 0;
  let rateLimits = 0;
  const attempt = async (number: number) => {
    if (number === 1) throw firstFailure;
    result = { value: await work() };
  };
  const isRateLimit = (error: Error) => (error as ConnectorError).code === 'rate_limited';
  try {
    await pRetry(attempt, {
      ...{ ...backoff, retries: Number.POSITIVE_INFINITY, signal },
      // Else p-retry would wait as well as the vendor asks for.
      shouldConsumeRetry: ({ error }) => !isRateLimit(error) && (error as ConnectorError).retryAfterMs === undefined,
      async shouldRetry({ error, attemptNumber, retriesConsumed }) {
        if (!ConnectorError.is(error) || !isRetryable(error)) return false;
        const isLimit = isRateLimit(error);
        if (!isLimit && ++faults > retries) return false;
        const { retryAfterMs } = error;
        const shortest = Math.min(maxDelayMs, backoff.minTimeout * backoff.factor ** retriesConsumed);
        const delayMs = isLimit ? rateLimitWait(retryAfterMs, rateLimits++) : (retryAfterMs ?? shortest);
        if ((!isLimit && delayMs > maxDelayMs) || delayMs >= lifetime.remaining()) return false;
        onRetry({ attempt: attemptNumber, delayMs, error });
        if (isLimit || retryAfterMs !== undefined) await lifetime.sleep(delayMs);
        return true;
      },
    });
  } catch (error) {
    // p-retry drops a result that arrives as the call ends: a write would seem not to have been done.
    if (!result) throw error;
  } finally {
    unsubscribe();
  }
  return result!.value;
}

/** Milliseconds to wait for a rate limit after `before` others in a row. */
function rateLimitWait(retryAfterMs: number | undefined, before: number): number {
  // Whoever says 0 again and again must not be asked without a pause.
  if (retryAfterMs !== undefined) return before === 0 ? retryAfterMs : Math.max(backoff.minTimeout, retryAfterMs);
  return Math.min(maxRateLimitDelayMs, rateLimitDelayMs * 2 ** before * (1 + Math.random()));
}
