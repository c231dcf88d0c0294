import { ConnectorError } from '../errors/connector-error.js';
import { Buckets, type Costs, countQueued, projectedReadyAt, readyAt, take } from './buckets.js';
import { Concurrency } from './concurrency.js';
import { type Budget, maxPauseMs } from './fault.js';
import { type Lifetime, steadyNow } from './lifetime.js';

/** A vendor's rate limits, and how its responses report what is left. */
export interface Limits {
  /** At most `requests` in any `perMs` milliseconds. */
  readonly windows?:
    | ReadonlyArray<{
        /** Requests per window. */
        readonly requests: number;
        /** Length of the window in milliseconds. */
        readonly perMs: number;
      }>
    | undefined;
  /** Maximum concurrent requests to one address. */
  readonly concurrent?: number | undefined;
  /** Daily limit, if the vendor does not report it in its responses; informational only. */
  readonly perDay?: number | undefined;
  /** Maximum retries after faults, whatever the caller requests. */
  readonly retries?: number | undefined;
  /** Parses budgets from a response's headers: the connector knows their meaning, the engine enforces them. */
  readonly learn?: ((reply: { readonly headers: Headers }) => readonly Budget[]) | undefined;
}

/** Rate limits for one credential, shared by several processes. */
export interface SharedLimits {
  /** Milliseconds until a request can be sent; if 0, it can be sent now and is counted in all of these windows. */
  take(windows: NonNullable<Limits['windows']>): number | Promise<number>;
  /** Stops all processes from sending for this many milliseconds. */
  pause(ms: number): void;
}

/** Ends a request's turn once its response has arrived or never will. */
export type EndTurn = () => void;

interface Waiter {
  readonly lifetime: Lifetime;
  readonly costs: Costs;
  readonly background: boolean;
  readonly resolve: (endTurn: EndTurn) => void;
  readonly reject: (error: ConnectorError) => void;
}

/** Spaces out the requests of one credential, so that the vendor does not reject them. */
export class Limiter {
  readonly #concurrency: Concurrency | undefined;
  readonly #windows: NonNullable<Limits['windows']>;
  readonly #historySize: number;
  readonly #buckets = new Buckets();
  readonly #title: string;
  readonly #shared: SharedLimits | undefined;
  /** When the last requests were sent, oldest first. */
  readonly #sent: number[] = [];
  readonly #foreground = new Set<Waiter>();
  /** Waiters that yield to all others. */
  readonly #background = new Set<Waiter>();
  /** Cached results of `#projectedTimes`. */
  #projected: { live?: number[] | undefined; all?: number[] | undefined } = {};
  #blockedUntil = 0;

  constructor(title: string, { windows = [], concurrent }: Limits = {}, shared?: SharedLimits) {
    this.#concurrency = concurrent === undefined ? undefined : new Concurrency(concurrent);
    this.#title = title;
    this.#shared = shared;
    this.#windows = windows;
    this.#historySize = Math.max(0, ...windows.map(({ requests }) => requests));
  }

  /**
   * Waits for a turn to send a request of this kind; fails immediately if the turn would come after the call's
   * deadline.
   */
  waitForTurn(kind: string, lifetime: Lifetime, background = false): Promise<EndTurn> | EndTurn {
    const turn = this.#ownTurn(kind, lifetime, background);
    return this.#shared ? this.#sharedTurn(this.#shared, turn, kind, lifetime, background) : turn;
  }

  /** Waits until other processes leave room for the request. */
  async #sharedTurn(
    shared: SharedLimits,
    turn: Promise<EndTurn> | EndTurn,
    ...request: [kind: string, lifetime: Lifetime, background: boolean]
  ): Promise<EndTurn> {
    for (let own = turn; ; own = this.#ownTurn(...request)) {
      const endTurn = await own;
      const wait = await shared.take(this.#windows);
      if (wait <= 0) return endTurn;
      endTurn();
      this.#sendNothingUntil(steadyNow() + wait);
    }
  }

  #ownTurn(kind: string, lifetime: Lifetime, background: boolean): Promise<EndTurn> | EndTurn {
    const now = steadyNow();
    const costs = this.#buckets.costsOf(kind);
    const behind = this.#foreground.size + (background ? this.#background.size : 0);
    const at = this.#nextSendTime(behind === 0 ? this.#sent : this.#projectedTimes(background), now);
    const wait = Math.max(at, projectedReadyAt(costs, background, now)) - now;
    if (wait > lifetime.remaining()) throw this.#rateLimitError(wait);
    if (wait > 0 || behind > 0) return this.#enqueue(lifetime, costs, at, background);
    return this.#recordSent(costs, now);
  }

  /** Waits for a slot at this address, and returns a function that frees it. */
  acquireSlot(address: string, lifetime: Lifetime, background = false): Promise<() => void> | undefined {
    return this.#concurrency?.acquire(address, lifetime, background);
  }

  /** Updates the limits from a response to a request of this kind; `now` is the vendor's time. */
  learn(kind: string, budgets: readonly Budget[], now: number): void {
    for (const budget of budgets) {
      const { remaining, resetsAt, refillMs } = budget;
      if (refillMs !== undefined) this.#buckets.learn(kind, budget, steadyNow());
      else if (remaining <= 0) this.block(resetsAt - now);
    }
    if (this.#foreground.size + this.#background.size > 0) this.#release();
  }

  /**
   * Milliseconds until the buckets can cover a request of this kind; undefined if they already can or there are no
   * known buckets.
   */
  refillWait(kind: string): number | undefined {
    const now = steadyNow();
    return readyAt(this.#buckets.costsOf(kind), now) - now || undefined;
  }

  /** Blocks requests for this many milliseconds, but at most a day, here and in other processes. */
  block(requestedMs: number): void {
    const ms = Math.min(requestedMs, maxPauseMs);
    if (Number.isFinite(ms)) this.#shared?.pause(ms);
    this.#sendNothingUntil(steadyNow() + ms);
  }

  #sendNothingUntil(time: number): void {
    if (!Number.isFinite(time) || time <= this.#blockedUntil) return;
    this.#blockedUntil = time;
    this.#projected = {};
    const wait = time - steadyNow();
    for (const waiting of this.#waiters()) {
      if (wait > waiting.lifetime.remaining()) this.#refuse(waiting, wait);
    }
  }

  /** When the next request can be sent, given when earlier ones were sent. */
  #nextSendTime(sent: readonly number[], now: number): number {
    const free = this.#windows.map(({ requests, perMs }) => (sent.at(-requests) ?? Number.NEGATIVE_INFINITY) + perMs);
    return Math.max(now, this.#blockedUntil, ...free);
  }

  /** All waiters, in order. */
  #waiters(): Waiter[] {
    return [...this.#foreground, ...this.#background];
  }

  /** Actual and projected send times of the requests ahead of a new one. */
  #projectedTimes(background: boolean): number[] {
    // Cached, so that a long queue is not scanned for each new call.
    const scope = background ? 'all' : 'live';
    const known = this.#projected[scope];
    if (known) return known;
    const times = [...this.#sent];
    let at = steadyNow();
    for (const _ of background ? this.#waiters() : this.#foreground) {
      at = this.#nextSendTime(times, at);
      times.push(at);
    }
    const projected = times.slice(-this.#historySize);
    this.#projected[scope] = projected;
    return projected;
  }

  async #enqueue(lifetime: Lifetime, costs: Costs, at: number, background: boolean): Promise<EndTurn> {
    const queue = background ? this.#background : this.#foreground;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let endTurn: EndTurn | undefined;
    const wait = (signal: AbortSignal) =>
      new Promise<EndTurn>((resolve, reject) => {
        const waiting: Waiter = {
          lifetime,
          costs,
          background,
          reject,
          resolve(granted) {
            endTurn = granted;
            resolve(granted);
          },
        };
        const projected = this.#projectedTimes(background);
        projected.push(at);
        if (projected.length > this.#historySize) projected.shift();
        // A foreground request delays all background ones.
        if (!background) this.#projected.all = undefined;
        queue.add(waiting);
        countQueued(costs, background, 1);
        signal.addEventListener('abort', () => this.#drop(waiting), { once: true });
        // Each waiter has its own timer: in a worker, a shared timer would end with the request that set it.
        const poll = () => {
          const next = this.#release();
          if (!queue.has(waiting)) return;
          const now = steadyNow();
          const ready = readyAt(costs, now);
          if (ready - now <= lifetime.remaining()) timer = setTimeout(poll, Math.max(next, ready) - now);
          else this.#refuse(waiting, ready - now);
        };
        poll();
      });
    try {
      return await lifetime.within(wait);
    } catch (error) {
      // A call may end between receiving its turn and using it.
      endTurn?.();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #refuse(waiting: Waiter, waitMs: number): void {
    this.#drop(waiting);
    waiting.reject(this.#rateLimitError(waitMs));
  }

  #drop(waiting: Waiter): void {
    const { costs, background } = waiting;
    if (this.#foreground.delete(waiting) || this.#background.delete(waiting)) countQueued(costs, background, -1);
    this.#projected = {};
  }

  /** Releases waiters whose turn has come; returns when the next one is due. */
  #release(): number {
    let next = Number.POSITIVE_INFINITY;
    const short = new Set<unknown>();
    for (const waiting of this.#waiters()) {
      const now = steadyNow();
      const at = this.#nextSendTime(this.#sent, now);
      if (at > now) return Math.min(next, at);
      const missing = waiting.costs.filter((cost) => short.has(cost[0]) || readyAt([cost], now) > now);
      if (missing.length > 0) {
        next = Math.min(next, Math.max(now + 1, readyAt(missing, now)));
        // A shared bucket delays every request; an endpoint's bucket delays only its own requests.
        if (missing.some(([{ endpoint }]) => !endpoint)) return next;
        for (const [bucket] of missing) short.add(bucket);
        continue;
      }
      this.#drop(waiting);
      // Timers can fire late, so record the actual time.
      waiting.resolve(this.#recordSent(waiting.costs, now));
    }
    return next;
  }

  #recordSent(costs: Costs, now: number): EndTurn {
    // A request sent immediately may overtake waiting background requests.
    this.#projected = {};
    if (this.#historySize > 0) {
      this.#sent.push(now);
      if (this.#sent.length > this.#historySize) this.#sent.shift();
    }
    return take(costs, now);
  }

  #rateLimitError(waitMs: number): ConnectorError {
    const seconds = Math.ceil(waitMs / 1000);
    return new ConnectorError(
      'rate_limited',
      `${this.#title}'s rate limit resets in ${seconds} s, which exceeds the time left for this call.`,
      {
        retryAfterMs: Math.ceil(waitMs),
      },
    );
  }
}

type LimiterMap = Map<string, WeakRef<Limiter>>;

const limitersByFetch = new WeakMap<typeof globalThis.fetch, LimiterMap>();
const cleanupRegistry = new FinalizationRegistry<{ among: LimiterMap; key: string }>(({ among, key }) => {
  if (!among.get(key)?.deref()) among.delete(key);
});

/**
 * The limiter for one credential, shared by all connectors that use it.
 *
 * A custom `fetch` may reach a different server, for example in tests, so it has its own limiters.
 */
export function limiterFor(
  key: string,
  fetch: typeof globalThis.fetch,
  title: string,
  limits: Limits | undefined,
  shared?: SharedLimits,
): Limiter {
  const limiters: LimiterMap = limitersByFetch.get(fetch) ?? new Map();
  limitersByFetch.set(fetch, limiters);
  const known = limiters.get(key)?.deref();
  if (known) return known;
  const limiter = new Limiter(title, limits, shared);
  limiters.set(key, new WeakRef(limiter));
  cleanupRegistry.register(limiter, { among: limiters, key });
  return limiter;
}
