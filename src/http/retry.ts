import pRetry from 'p-retry';
import { ConnectorError } from '../errors/connector-error.js';
import type { Lifetime } from './lifetime.js';

/** Maximum delay after a fault; if a vendor asks for a longer one, the call fails. */
const maxDelayMs = 30_000;

/** p-retry waits between one and two times `minTimeout`, and doubles that with each attempt. */
const backoff = { factor: 2, minTimeout: 250, maxTimeout: maxDelayMs, randomize: true } as const;

/** Initial delay after a rate limit that does not specify one; jitter adds up to 100%, and each retry doubles it. */
const rateLimitDelayMs = 1000;

/** Maximum for this delay, since quotas are per minute. */
const maxRateLimitDelayMs = 64_000;

/** Options for retried work. */
export interface RetryOptions {
  /** Maximum retries after a fault; unless 0, rate limits are retried for the lifetime of the call. */
  readonly retries: number;
  readonly lifetime: Lifetime;
  /** Whether this failure may be retried. */
  readonly isRetryable: (error: ConnectorError) => boolean;
  /** Called before each delay; `delayMs` is its minimum. */
  readonly onRetry: (retry: { attempt: number; delayMs: number; error: ConnectorError }) => void;
}

/** Retries work that failed once, if the failure may be transient, for the lifetime of the call. */
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
      ...backoff,
      retries: Number.POSITIVE_INFINITY,
      signal,
      // Otherwise p-retry would wait in addition to the vendor's delay.
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
    // p-retry drops a result that arrives as the call ends, which would make an executed write look like a failure.
    if (!result) throw error;
  } finally {
    unsubscribe();
  }
  return result!.value;
}

/** Milliseconds to wait after a rate limit that was preceded by `before` consecutive ones. */
function rateLimitWait(retryAfterMs: number | undefined, before: number): number {
  if (retryAfterMs !== undefined) {
    // A vendor that keeps returning 0 must be called less and less often.
    const isTooShort = before > 0 && retryAfterMs < backoff.minTimeout;
    return isTooShort ? Math.min(maxRateLimitDelayMs, backoff.minTimeout * 2 ** (before - 1)) : retryAfterMs;
  }
  return Math.min(maxRateLimitDelayMs, rateLimitDelayMs * 2 ** before * (1 + Math.random()));
}
