import { ConnectorError } from '../call/errors.js';
import type { Limits } from '../manifest/manifest.js';
import { Concurrency } from './concurrency.js';
import type { Budget } from './fault.js';
import type { Lifetime } from './lifetime.js';

interface Waiter {
  readonly lifetime: Lifetime;
  readonly resolve: () => void;
  readonly reject: (error: ConnectorError) => void;
}

/** Spaces out the requests made with one credential, so that the vendor need not refuse them. */
export class Limiter {
  readonly #concurrency: Concurrency | undefined;
  readonly #windows: NonNullable<Limits['windows']>;
  readonly #historySize: number;
  readonly #title: string;
  /** When the last requests went out; oldest first. */
  readonly #sent: number[] = [];
  readonly #foreground = new Set<Waiter>();
  /** Those who let all others go first. */
  readonly #background = new Set<Waiter>();
  /** What `#projectedTimes` has found, until it changes. */
  #projected: { live?: number[] | undefined; all?: number[] | undefined } = {};
  #blockedUntil = 0;

  constructor(title: string, { windows = [], concurrent }: Limits = {}) {
    this.#concurrency = concurrent === undefined ? undefined : new Concurrency(concurrent);
    this.#title = title;
    this.#windows = windows;
    this.#historySize = Math.max(0, ...windows.map(({ requests }) => requests));
  }

  /** Waits for this request's turn; fails at once where that lies beyond the call's end. */
  waitForTurn(lifetime: Lifetime, background = false): Promise<void> | undefined {
    const now = Date.now();
    const behind = this.#foreground.size + (background ? this.#background.size : 0);
    const at = this.#nextSendTime(behind === 0 ? this.#sent : this.#projectedTimes(background), now);
    const wait = at - now;
    if (wait > lifetime.remaining()) throw this.#rateLimitError(wait);
    if (wait > 0 || behind > 0) return this.#enqueue(lifetime, at, background);
    this.#recordSent(now);
    return undefined;
  }

  /** Waits for a place at this address, and gives back what frees it. */
  acquireSlot(address: string, lifetime: Lifetime, background = false): Promise<() => void> | undefined {
    return this.#concurrency?.acquire(address, lifetime, background);
  }

  /** Takes in what the vendor says at `now`, by its own clock. */
  learn(budgets: readonly Budget[], now: number): void {
    for (const { remaining, resetsAt } of budgets) {
      if (remaining <= 0) this.blockUntil(Date.now() + resetsAt - now);
    }
  }

  /** Lets nothing out before this time. */
  blockUntil(time: number): void {
    if (!Number.isFinite(time) || time <= this.#blockedUntil) return;
    this.#blockedUntil = time;
    this.#projected = {};
    const wait = time - Date.now();
    for (const waiting of this.#waiters()) {
      if (wait <= waiting.lifetime.remaining()) continue;
      this.#drop(waiting);
      waiting.reject(this.#rateLimitError(wait));
    }
  }

  /** When the next request may go out that follows these. */
  #nextSendTime(sent: readonly number[], now: number): number {
    const free = this.#windows.map(({ requests, perMs }) => (sent.at(-requests) ?? Number.NEGATIVE_INFINITY) + perMs);
    return Math.max(now, this.#blockedUntil, ...free);
  }

  /** All who wait, in turn. */
  #waiters(): Waiter[] {
    return [...this.#foreground, ...this.#background];
  }

  /** When those went out, or will, that one which comes now has before it. */
  #projectedTimes(background: boolean): number[] {
    // Kept, so that a long line is not gone through for each that joins it.
    const scope = background ? 'all' : 'live';
    const known = this.#projected[scope];
    if (known) return known;
    const times = [...this.#sent];
    let at = Date.now();
    for (const _ of background ? this.#waiters() : this.#foreground) {
      at = this.#nextSendTime(times, at);
      times.push(at);
    }
    const projected = times.slice(-this.#historySize);
    this.#projected[scope] = projected;
    return projected;
  }

  #enqueue(lifetime: Lifetime, at: number, background: boolean): Promise<void> {
    const queue = background ? this.#background : this.#foreground;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waited = lifetime.within<void>((signal) => {
      return new Promise((resolve, reject) => {
        const waiting: Waiter = { lifetime, resolve, reject };
        const projected = this.#projectedTimes(background);
        projected.push(at);
        if (projected.length > this.#historySize) projected.shift();
        // Whoever is not in the background pushes back all who are.
        if (!background) this.#projected.all = undefined;
        queue.add(waiting);
        signal.addEventListener('abort', () => this.#drop(waiting), { once: true });
        // Each has a timer: in a worker, one for all would end with the request that set it.
        const poll = () => {
          this.#release();
          const now = Date.now();
          if (queue.has(waiting)) timer = setTimeout(poll, this.#nextSendTime(this.#sent, now) - now);
        };
        poll();
      });
    });
    return waited.finally(() => clearTimeout(timer));
  }

  #drop(waiting: Waiter): void {
    this.#foreground.delete(waiting);
    this.#background.delete(waiting);
    this.#projected = {};
  }

  /** Lets out those whose turn has come. */
  #release(): void {
    for (const queue of [this.#foreground, this.#background]) {
      for (const waiting of queue) {
        const now = Date.now();
        if (this.#nextSendTime(this.#sent, now) > now) return;
        queue.delete(waiting);
        // Timers are late, so what counts is when it leaves.
        this.#recordSent(now);
        waiting.resolve();
      }
    }
  }

  #recordSent(now: number): void {
    // One that goes at once may leave others behind, in the background.
    this.#projected = {};
    if (this.#historySize === 0) return;
    this.#sent.push(now);
    if (this.#sent.length > this.#historySize) this.#sent.shift();
  }

  #rateLimitError(waitMs: number): ConnectorError {
    const seconds = Math.ceil(waitMs / 1000);
    return new ConnectorError(
      'rate_limited',
      `${this.#title}'s rate limit is used up for another ${seconds} s, longer than this call may take.`,
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
 * The limiter of one credential: all connectors that use it wait in the same line.
 *
 * A `fetch` of the caller's own may reach a vendor of its own, as in tests, and so has lines of its own.
 */
export function limiterFor(
  key: string,
  fetch: typeof globalThis.fetch,
  title: string,
  limits: Limits | undefined,
): Limiter {
  const limiters: LimiterMap = limitersByFetch.get(fetch) ?? new Map();
  limitersByFetch.set(fetch, limiters);
  const known = limiters.get(key)?.deref();
  if (known) return known;
  const limiter = new Limiter(title, limits);
  limiters.set(key, new WeakRef(limiter));
  cleanupRegistry.register(limiter, { among: limiters, key });
  return limiter;
}
