import type { Lifetime } from './lifetime.js';

/** Running and waiting requests to one address. */
interface AddressState {
  active: number;
  /** Number of running background requests. */
  activeBackground: number;
  readonly waiting: Set<() => void>;
  readonly waitingBackground: Set<() => void>;
}

/** Limits concurrent requests to one address and queues the rest. */
export class Concurrency {
  readonly #maxActive: number;
  /** If there are several slots, background requests leave one free. */
  readonly #maxBackground: number;
  readonly #addresses = new Map<string, AddressState>();

  constructor(maxActive: number | undefined) {
    this.#maxActive = maxActive ?? Number.POSITIVE_INFINITY;
    this.#maxBackground = Math.max(1, this.#maxActive - 1);
  }

  /** Waits for a slot, with background requests served last, and returns a function that frees it. */
  async acquire(address: string, lifetime: Lifetime, background = false): Promise<() => void> {
    const state = this.#addresses.get(address) ?? {
      active: 0,
      activeBackground: 0,
      waiting: new Set(),
      waitingBackground: new Set(),
    };
    this.#addresses.set(address, state);
    const release = () => {
      state.active--;
      if (background) state.activeBackground--;
      // Hand the slot over immediately, so that a new request cannot take it.
      this.#wakeNext(state);
      if (state.active === 0) this.#addresses.delete(address);
    };
    if (this.#tryAcquire(state, background)) return release;
    let acquired = false;
    const queue = background ? state.waitingBackground : state.waiting;
    const wait = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          acquired = true;
          resolve();
        };
        queue.add(wake);
        signal.addEventListener('abort', () => queue.delete(wake), { once: true });
      });
    try {
      await lifetime.within(wait);
    } catch (error) {
      // A call may end between receiving a slot and using it.
      if (acquired) release();
      throw error;
    }
    return release;
  }

  #tryAcquire(at: AddressState, background: boolean): boolean {
    if (at.active >= this.#maxActive || (background && at.activeBackground >= this.#maxBackground)) return false;
    at.active++;
    if (background) at.activeBackground++;
    return true;
  }

  #wakeNext(at: AddressState): void {
    const [waiting] = at.waiting;
    const [waitingBackground] = at.waitingBackground;
    if (waiting) {
      if (!this.#tryAcquire(at, false)) return;
      at.waiting.delete(waiting);
      waiting();
    } else if (waitingBackground) {
      if (!this.#tryAcquire(at, true)) return;
      at.waitingBackground.delete(waitingBackground);
      waitingBackground();
    }
  }
}
