import { ConnectorError } from '../call/errors.js';
import type { Lifetime } from './lifetime.js';

/** The longest wait between two attempts; a vendor that asks for more is not waited for. */
const maxDelayMs = 30_000;

/** p-retry waits from `minTimeout` to twice as long, and doubles that with each attempt. */
const backoff = { factor: 2, minTimeout: 250, maxTimeout: maxDelayMs, randomize: true } as const;

/** What one retried piece of work needs to know. */
export interface RetryOptions {
  readonly retries: number;
  readonly lifetime: Lifetime;
  /** Whether the work may be done again after this failure. */
  readonly isRetryable: (error: ConnectorError) => boolean;
  /** Told before each wait; `delayMs` is the shortest that it can be. */
  readonly onRetry: (retry: { attempt: number; delayMs: number; error: ConnectorError }) => void;
}

let load: Promise<typeof import('p-retry')> | undefined;

/** Repeats work that failed for a passing reason, as long as the call lives. */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retries, lifetime, isRetryable, onRetry } = options;
  load ??= import('p-retry');
  const { default: pRetry } = await load;
  const { signal, unsubscribe } = lifetime.watch();
  let result: { readonly value: T } | undefined;
  const attempt = async () => {
    result = { value: await work() };
  };
  try {
    await pRetry(attempt, {
      ...{ ...backoff, retries, signal },
      // Else p-retry would wait as well as the vendor asks for.
      shouldConsumeRetry: ({ error }) => (error as ConnectorError).retryAfterMs === undefined,
      async shouldRetry({ error, attemptNumber, retriesConsumed }) {
        if (!ConnectorError.is(error) || attemptNumber > retries || !isRetryable(error)) return false;
        const shortest = Math.min(maxDelayMs, backoff.minTimeout * backoff.factor ** retriesConsumed);
        const { retryAfterMs } = error;
        const delayMs = retryAfterMs ?? shortest;
        if (delayMs > maxDelayMs || delayMs >= lifetime.remaining()) return false;
        onRetry({ attempt: attemptNumber, delayMs, error });
        if (retryAfterMs !== undefined) await lifetime.sleep(retryAfterMs);
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
