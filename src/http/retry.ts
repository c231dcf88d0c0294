import { ConnectorError } from '../call/errors.js';
import type { Lifetime } from './lifetime.js';

/** The longest wait between two attempts; a vendor that asks for more is not waited for. */
const maxDelayMs = 30_000;
const baseDelayMs = 500;

/** What one retried piece of work needs to know. */
export interface RetryOptions {
  readonly retries: number;
  readonly lifetime: Lifetime;
  /** Whether the work may be done again after this failure. */
  readonly isRetryable: (error: ConnectorError) => boolean;
  readonly onRetry: (retry: { attempt: number; delayMs: number; error: ConnectorError }) => void;
}

/** Full jitter: anything up to a bound that doubles with each attempt. */
const backoffMs = (attempt: number): number =>
  Math.round(Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1)));

let load: Promise<typeof import('p-retry')> | undefined;

/** Repeats work that failed for a passing reason, as long as the call lives. */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retries, lifetime, isRetryable, onRetry } = options;
  load ??= import('p-retry');
  const { default: pRetry } = await load;
  return pRetry(work, {
    retries,
    // p-retry counts and repeats; the wait is ours, since the vendor's own word on it comes first.
    minTimeout: 0,
    shouldRetry: async ({ error, attemptNumber }) => {
      if (!ConnectorError.is(error) || !isRetryable(error)) return false;
      const delayMs = error.retryAfterMs ?? backoffMs(attemptNumber);
      if (delayMs > maxDelayMs || delayMs >= lifetime.remaining()) return false;
      onRetry({ attempt: attemptNumber, delayMs, error });
      await lifetime.sleep(delayMs);
      return true;
    },
  });
}
