import { channel } from 'node:diagnostics_channel';
import { httpFetch } from './http-fetch.js';

/**
 * The `fetch` on Node: `node:https`, which takes less than half the CPU time of the global `fetch`. The global one is
 * used if it does more than Node's own: if it has been replaced, is traced, or sends through a proxy or another dispatcher.
 */
export const defaultFetch: typeof globalThis.fetch = (input, init) =>
  isOwn(globalThis.fetch) && !requestsOfFetch.hasSubscribers && !usesDispatcher() && !usesProxyVariables()
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

/** Whether the dispatcher does more than the one that Node and undici create for themselves, an Agent without options. */
function usesDispatcher(): boolean {
  const dispatcher = (globalThis as { [dispatcherKey]?: { dispatch?: unknown } })[dispatcherKey];
  if (dispatcher === undefined || dispatcher === ownDispatcher) return false;
  const { name, prototype } = dispatcher.constructor;
  const key = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === 'options');
  // Interceptors replace `dispatch`.
  if (name !== 'Agent' || dispatcher.dispatch !== prototype.dispatch || key === undefined) return true;
  const options: object = (dispatcher as unknown as Record<symbol, object>)[key]!;
  if (Object.values(options).some((value) => value !== undefined && value !== Number.POSITIVE_INFINITY)) return true;
  ownDispatcher = dispatcher;
  return false;
}

/** Observed by tools that trace the global `fetch`. */
const requestsOfFetch = channel('undici:request:create');

/** Whether Node was told to use the proxies in its environment. */
const usesProxyVariables = (): boolean => !!process.env.NODE_USE_ENV_PROXY || proxyFlag;

const proxyFlag = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) =>
  text.includes('--use-env-proxy'),
);
