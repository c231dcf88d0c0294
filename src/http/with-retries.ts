import { ConnectorError } from '../errors/connector-error.js';
import type { RetryOptions } from './retry.js';

let load: Promise<typeof import('./retry.js')> | undefined;

/** Runs work and retries it after transient failures, for the lifetime of the call. */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (options.retries <= 0 || !ConnectorError.is(error) || options.lifetime.remaining() === 0) throw error;
    // Few calls fail, so the retry code is loaded on first use.
    load ??= import('./retry.js');
    return await (await load).repeat(work, error, options);
  }
}
