import type { RequestEvent } from '../call/options.js';
import type { Operation } from '../call/transport.js';
import type { HttpRequest } from './request.js';

/** Calls a hook, if there is one; a watcher that fails must not fail the call. */
export function tell<E>(hook: ((event: E) => void) | undefined, event: () => E): void {
  if (!hook) return;
  try {
    const done: unknown = hook(event());
    if (done instanceof Promise) done.catch(() => {});
  } catch {}
}

/** What hooks are told of one attempt; a query may hold what nobody should log. */
export const requestEvent = (
  { manifest, entity, action }: Operation,
  { method }: Pick<HttpRequest, 'method'>,
  url: string,
  attempt: number,
): RequestEvent => ({ connector: manifest.name, entity, action, method, url: url.split('?')[0]!, attempt });
