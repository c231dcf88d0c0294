/** The clock of a sandbox. */
export interface SandboxClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Advances the time without waiting. */
  advance(milliseconds: number): void;
}

/** A clock that can also be reset. */
export interface SettableClock extends SandboxClock {
  readonly start: number;
  offset: number;
}

/** Creates a sandbox clock on top of a time source. */
export function createClock(source: () => number = Date.now): SettableClock {
  const clock: SettableClock = {
    start: source(),
    offset: 0,
    now: () => source() + clock.offset,
    advance(milliseconds) {
      if (!Number.isFinite(milliseconds)) throw new RangeError('advance() needs a finite number of milliseconds');
      clock.offset += milliseconds;
    },
  };
  return clock;
}
