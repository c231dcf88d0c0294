import type { Lifetime } from './lifetime.js';

/** Who is under way to one address, and who waits. */
interface Address {
  busy: number;
  /** How many of those under way let others go first. */
  background: number;
  readonly live: Set<() => void>;
  readonly behind: Set<() => void>;
}

/** Keeps the requests that are under way to one address at once below a number; the others wait in line. */
export class Concurrency {
  readonly #most: number;
  /** One place is never taken in the background, where there are two. */
  readonly #mostBehind: number;
  readonly #addresses = new Map<string, Address>();

  constructor(most: number | undefined) {
    this.#most = most ?? Number.POSITIVE_INFINITY;
    this.#mostBehind = Math.max(1, this.#most - 1);
  }

  /** Waits for a place, in the background behind all others, and gives back what frees it. */
  async place(address: string, lifetime: Lifetime, background = false): Promise<() => void> {
    const at = this.#addresses.get(address) ?? { busy: 0, background: 0, live: new Set(), behind: new Set() };
    this.#addresses.set(address, at);
    const free = () => {
      at.busy--;
      if (background) at.background--;
      // The place is handed on at once, so that a newcomer cannot slip in between.
      this.#handOn(at);
      if (at.busy === 0) this.#addresses.delete(address);
    };
    if (this.#take(at, background)) return free;
    let handed = false;
    const line = background ? at.behind : at.live;
    const wait = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const go = () => {
          handed = true;
          resolve();
        };
        line.add(go);
        signal.addEventListener('abort', () => line.delete(go), { once: true });
      });
    try {
      await lifetime.within(Number.POSITIVE_INFINITY, wait);
    } catch (error) {
      // A call may end in the moment between being handed a place and taking it.
      if (handed) free();
      throw error;
    }
    return free;
  }

  #take(at: Address, background: boolean): boolean {
    if (at.busy >= this.#most || (background && at.background >= this.#mostBehind)) return false;
    at.busy++;
    if (background) at.background++;
    return true;
  }

  #handOn(at: Address): void {
    const [live] = at.live;
    const [behind] = at.behind;
    if (live) {
      if (!this.#take(at, false)) return;
      at.live.delete(live);
      live();
    } else if (behind) {
      if (!this.#take(at, true)) return;
      at.behind.delete(behind);
      behind();
    }
  }
}
