import { ConnectorError } from '../errors.js';
import type { Limits } from '../manifest.js';
import { Concurrency } from './concurrency.js';
import type { Budget } from './fault.js';
import type { Lifetime } from './lifetime.js';

interface Waiting {
  readonly lifetime: Lifetime;
  readonly go: () => void;
  readonly refuse: (error: ConnectorError) => void;
}

/** Spaces out the requests made with one credential, so that the vendor need not refuse them. */
export class Limiter {
  readonly #places: Concurrency | undefined;
  readonly #windows: NonNullable<Limits['windows']>;
  readonly #longest: number;
  readonly #title: string;
  /** When the last requests went out; oldest first. */
  readonly #sent: number[] = [];
  readonly #live = new Set<Waiting>();
  /** Those who let all others go first. */
  readonly #background = new Set<Waiting>();
  /** What `#foreseen` has found, until it changes: a long line is not gone through for each that joins it. */
  #ahead: { live?: number[] | undefined; all?: number[] | undefined } = {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closedUntil = 0;

  constructor(title: string, { windows = [], concurrent }: Limits = {}) {
    this.#places = concurrent === undefined ? undefined : new Concurrency(concurrent);
    this.#title = title;
    this.#windows = windows;
    this.#longest = Math.max(0, ...windows.map(({ requests }) => requests));
  }

  /** Waits for this request's turn, in the background behind all others; fails at once when that lies beyond the call's end. */
  turn(lifetime: Lifetime, background = false): Promise<void> | undefined {
    const now = Date.now();
    const behind = this.#live.size + (background ? this.#background.size : 0);
    const at = this.#next(behind === 0 ? this.#sent : this.#foreseen(background), now);
    const wait = at - now;
    if (wait > lifetime.remaining()) throw this.#full(wait);
    if (wait > 0 || behind > 0) return this.#queue(lifetime, at, background);
    this.#leave(now);
    return undefined;
  }

  /** Waits until fewer are under way to this address than may be; gives back what ends this one. */
  place(address: string, lifetime: Lifetime, background = false): Promise<() => void> | undefined {
    return this.#places?.place(address, lifetime, background);
  }

  /** Takes in what the vendor says is left, at `now` by its own clock. */
  learn(budgets: readonly Budget[], now: number): void {
    for (const { remaining, resetsAt } of budgets) {
      if (remaining <= 0) this.closeUntil(Date.now() + resetsAt - now);
    }
  }

  /** Lets nothing out before this time. */
  closeUntil(time: number): void {
    if (!Number.isFinite(time) || time <= this.#closedUntil) return;
    this.#closedUntil = time;
    this.#ahead = {};
    const wait = time - Date.now();
    for (const waiting of this.#inTurn()) {
      if (wait <= waiting.lifetime.remaining()) continue;
      this.#drop(waiting);
      waiting.refuse(this.#full(wait));
    }
  }

  /** When the next request may go out that follows these. */
  #next(sent: readonly number[], now: number): number {
    const free = this.#windows.map(({ requests, perMs }) => (sent.at(-requests) ?? Number.NEGATIVE_INFINITY) + perMs);
    return Math.max(now, this.#closedUntil, ...free);
  }

  /** All who wait, the first to go first. */
  #inTurn(): Waiting[] {
    return [...this.#live, ...this.#background];
  }

  /** When the last of those went out, or will, that a request has before it which comes now. */
  #foreseen(background: boolean): number[] {
    const which = background ? 'all' : 'live';
    const known = this.#ahead[which];
    if (known) return known;
    const times = [...this.#sent];
    let at = Date.now();
    for (const _ of background ? this.#inTurn() : this.#live) {
      at = this.#next(times, at);
      times.push(at);
    }
    const ahead = times.slice(-this.#longest);
    this.#ahead[which] = ahead;
    return ahead;
  }

  #queue(lifetime: Lifetime, at: number, background: boolean): Promise<void> {
    const line = background ? this.#background : this.#live;
    let timer: ReturnType<typeof setTimeout>;
    const waited = lifetime.within<void>(Number.POSITIVE_INFINITY, (signal) => {
      return new Promise((go, refuse) => {
        const waiting: Waiting = { lifetime, go, refuse };
        const ahead = this.#foreseen(background);
        ahead.push(at);
        if (ahead.length > this.#longest) ahead.shift();
        // Whoever is not in the background pushes back all who are.
        if (!background) this.#ahead.all = undefined;
        line.add(waiting);
        signal.addEventListener('abort', () => this.#drop(waiting), { once: true });
        this.#schedule();
        // In a worker the common timer ends with the request that set it, so each who waits looks as well.
        const look = (time: number) => {
          timer = setTimeout(() => {
            this.#release();
            if (line.has(waiting)) look(this.#next(this.#sent, Date.now()));
          }, time - Date.now());
        };
        look(at);
      });
    });
    return waited.finally(() => clearTimeout(timer));
  }

  #drop(waiting: Waiting): void {
    if (!this.#live.delete(waiting)) this.#background.delete(waiting);
    this.#ahead = {};
    if (this.#live.size + this.#background.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#live.size + this.#background.size === 0) return;
    const now = Date.now();
    this.#timer = setTimeout(() => this.#release(), this.#next(this.#sent, now) - now);
  }

  /** Lets out those whose turn has come; late timers count, so the times are those of leaving. */
  #release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const waiting of this.#inTurn()) {
      const now = Date.now();
      if (this.#next(this.#sent, now) > now) break;
      if (!this.#live.delete(waiting)) this.#background.delete(waiting);
      this.#leave(now);
      waiting.go();
    }
    this.#ahead = {};
    this.#schedule();
  }

  #leave(now: number): void {
    // One that goes at once may leave others behind, in the background.
    this.#ahead = {};
    if (this.#longest === 0) return;
    this.#sent.push(now);
    if (this.#sent.length > this.#longest) this.#sent.shift();
  }

  #full(waitMs: number): ConnectorError {
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

type Shared = Map<string, WeakRef<Limiter>>;

const shared = new WeakMap<typeof globalThis.fetch, Shared>();
const forgotten = new FinalizationRegistry<{ among: Shared; key: string }>(({ among, key }) => {
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
  const among: Shared = shared.get(fetch) ?? new Map();
  shared.set(fetch, among);
  const known = among.get(key)?.deref();
  if (known) return known;
  const made = new Limiter(title, limits);
  among.set(key, new WeakRef(made));
  forgotten.register(made, { among, key });
  return made;
}
