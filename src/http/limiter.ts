import { ConnectorError } from '../call/errors.js';
import type { Limits } from '../manifest/manifest.js';
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
  /** What `#foreseen` has found, until it changes. */
  #ahead: { live?: number[] | undefined; all?: number[] | undefined } = {};
  #closedUntil = 0;

  constructor(title: string, { windows = [], concurrent }: Limits = {}) {
    this.#places = concurrent === undefined ? undefined : new Concurrency(concurrent);
    this.#title = title;
    this.#windows = windows;
    this.#longest = Math.max(0, ...windows.map(({ requests }) => requests));
  }

  /** Waits for this request's turn; fails at once where that lies beyond the call's end. */
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

  /** Waits for a place at this address, and gives back what frees it. */
  place(address: string, lifetime: Lifetime, background = false): Promise<() => void> | undefined {
    return this.#places?.place(address, lifetime, background);
  }

  /** Takes in what the vendor says at `now`, by its own clock. */
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

  /** All who wait, in turn. */
  #inTurn(): Waiting[] {
    return [...this.#live, ...this.#background];
  }

  /** When those went out, or will, that one which comes now has before it. */
  #foreseen(background: boolean): number[] {
    // Kept, so that a long line is not gone through for each that joins it.
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
    let timer: ReturnType<typeof setTimeout> | undefined;
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
        // Each has a timer: in a worker, one for all would end with the request that set it.
        const look = () => {
          this.#release();
          const now = Date.now();
          if (line.has(waiting)) timer = setTimeout(look, this.#next(this.#sent, now) - now);
        };
        look();
      });
    });
    return waited.finally(() => clearTimeout(timer));
  }

  #drop(waiting: Waiting): void {
    this.#live.delete(waiting);
    this.#background.delete(waiting);
    this.#ahead = {};
  }

  /** Lets out those whose turn has come. */
  #release(): void {
    for (const line of [this.#live, this.#background]) {
      for (const waiting of line) {
        const now = Date.now();
        if (this.#next(this.#sent, now) > now) return;
        line.delete(waiting);
        // Timers are late, so what counts is when it leaves.
        this.#leave(now);
        waiting.go();
      }
    }
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
