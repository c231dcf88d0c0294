import type { Lifetime } from './lifetime.js';

/** Keeps the requests that are under way to one address at once below a number; the others wait in line. */
export class Concurrency {
  readonly #most: number;
  /** By address: how many are under way, and who waits. */
  readonly #addresses = new Map<string, { busy: number; readonly line: Set<() => void> }>();

  constructor(most: number | undefined) {
    this.#most = most ?? Number.POSITIVE_INFINITY;
  }

  /** Waits for a place and gives back what frees it. */
  async place(address: string, lifetime: Lifetime): Promise<() => void> {
    const at = this.#addresses.get(address) ?? { busy: 0, line: new Set() };
    this.#addresses.set(address, at);
    const free = () => {
      const [next] = at.line;
      if (next) {
        // The place is handed on, so that a newcomer cannot slip in between.
        at.line.delete(next);
        next();
        return;
      }
      at.busy--;
      if (at.busy === 0) this.#addresses.delete(address);
    };
    if (at.busy < this.#most) {
      at.busy++;
      return free;
    }
    let handed = false;
    const wait = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const go = () => {
          handed = true;
          resolve();
        };
        at.line.add(go);
        signal.addEventListener('abort', () => at.line.delete(go), { once: true });
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
}
