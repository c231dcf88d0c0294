/** The time a sandbox lives in. */
export interface SandboxClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Moves the time on without waiting. */
  advance(milliseconds: number): void;
}

/** A clock that can also be set back to where it started. */
export interface SettableClock extends SandboxClock {
  readonly start: number;
  offset: number;
}

/** Makes the clock of one sandbox over the time source it was given. */
export function createClock(source: () => number = Date.now): SettableClock {
  const clock: SettableClock = {
    start: source(),
    offset: 0,
    now: () => source() + clock.offset,
    advance(milliseconds) {
      if (!Number.isFinite(milliseconds)) throw new RangeError('advance() takes a finite number of milliseconds');
      clock.offset += milliseconds;
    },
  };
  return clock;
}
