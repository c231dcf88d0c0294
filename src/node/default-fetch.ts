import { httpFetch } from './http-fetch.js';

/**
 * The `fetch` on Node: `node:https`, which takes less than half the CPU time of the global `fetch`. The global one is
 * used if it does more than Node's own: if it has been replaced, or sends through a proxy or another dispatcher.
 */
export const defaultFetch: typeof globalThis.fetch = (input, init) =>
  isOwn(globalThis.fetch) && !usesDispatcher() && !usesProxyVariables()
    ? httpFetch(input as string, init)
    : globalThis.fetch(input, init);

let recognized: unknown;

/**
 * Recognizes Node's own function by its source, since a program may replace it before it imports this one; an unknown
 * one counts as replaced.
 */
function isOwn(fetch: unknown): boolean {
  if (fetch === recognized) return true;
  if (
    !/^function fetch\(input, init = undefined\) \{[\s\S]*\b(fetchImpl|lazyUndici\(\)\.fetch)\(input, init\)/.test(
      `${fetch}`,
    )
  ) {
    return false;
  }
  recognized = fetch;
  return true;
}

/** Where undici keeps the dispatcher of the global `fetch`, which `setGlobalDispatcher` replaces. */
const dispatcherKey = Symbol.for('undici.globalDispatcher.1');

let ownDispatcher: unknown;

/** Whether the dispatcher is not the one that Node creates for itself; only that one's class is anonymous. */
function usesDispatcher(): boolean {
  const dispatcher = (globalThis as { [dispatcherKey]?: object })[dispatcherKey];
  if (dispatcher === undefined || dispatcher === ownDispatcher) return false;
  const { name } = dispatcher.constructor;
  if (name !== 'Agent' || !`${dispatcher.constructor}`.startsWith('class extends DispatcherBase')) return true;
  ownDispatcher = dispatcher;
  return false;
}

/** Whether Node was told to use the proxies in its environment. */
const usesProxyVariables = (): boolean => !!process.env.NODE_USE_ENV_PROXY || proxyFlag;

const proxyFlag = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) =>
  text.includes('--use-env-proxy'),
);
