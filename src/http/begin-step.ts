import { ConnectorError } from '../call/errors.js';
import type { Operation } from '../call/transport.js';
import type { Lifetime } from './lifetime.js';
import type { HttpRequest } from './request.js';

/** Backoff for steps that outlast an outage: starts at one to two seconds and doubles with each interruption. */
const backoffMs = (breaks: number) => Math.min(32_000, (1 + Math.random()) * 1_000 * 2 ** (breaks - 1));

/** Runs before a request of an upload: waits after an interruption, and reports the start of an upload. */
export async function beginStep(
  { backoff, resume }: HttpRequest,
  { options }: Operation,
  lifetime: Lifetime,
): Promise<void> {
  if (backoff) await lifetime.sleep(backoff.retryAfterMs ?? backoffMs(backoff.breaks));
  if (resume === undefined) return;
  try {
    await options.onUploadBegun?.({ resume });
  } catch (cause) {
    throw new ConnectorError('aborted', 'onUploadBegun failed, so no content was sent.', { cause });
  }
}
