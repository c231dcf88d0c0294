import { ConnectorError } from '../errors.js';
import type { Limits } from '../manifest.js';
import type { Budget } from './fault.js';
import type { Lifetime } from './lifetime.js';

/** Spaces out the requests made with one credential, so that the vendor need not refuse them. */
export class Limiter {
  readonly #windows: NonNullable<Limits['windows']>;
  readonly #longest: number;
  readonly #title: string;
  /** When each recent request went out or will; oldest first. */
  readonly #slots: number[] = [];
  #closedUntil = 0;

  constructor(title: string, { windows = [] }: Limits = {}) {
    this.#title = title;
    this.#windows = windows;
    this.#longest = Math.max(0, ...windows.map(({ requests }) => requests));
  }

  /** Waits for this request's turn; fails at once when that lies beyond the call's end. */
  turn(lifetime: Lifetime): Promise<void> | undefined {
    const now = Date.now();
    const at = this.#next(now);
    const wait = at - now;
    if (wait > lifetime.remaining()) throw this.#full(wait);
    this.#book(at);
    return wait > 0 ? this.#await(at, lifetime) : undefined;
  }

  /** Takes in what the vendor says is left, at `now` by its own clock. */
  learn(budgets: readonly Budget[], now: number): void {
    for (const { remaining, resetsAt } of budgets) {
      if (remaining <= 0) this.closeUntil(Date.now() + resetsAt - now);
    }
  }

  /** Lets nothing out before this time. */
  closeUntil(time: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, time);
  }

  #next(now: number): number {
    const free = this.#windows.map(
      ({ requests, perMs }) => (this.#slots.at(-requests) ?? Number.NEGATIVE_INFINITY) + perMs,
    );
    return Math.max(now, this.#closedUntil, ...free);
  }

  #book(at: number): void {
    if (this.#longest === 0) return;
    this.#slots.push(at);
    if (this.#slots.length > this.#longest) this.#slots.shift();
  }

  async #await(at: number, lifetime: Lifetime): Promise<void> {
    await lifetime.sleep(at - Date.now());
    // The vendor may have closed the door meanwhile.
    const wait = this.#closedUntil - Date.now();
    if (wait > lifetime.remaining()) throw this.#full(wait);
    if (wait > 0) await this.#await(this.#closedUntil, lifetime);
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
