import { onTestFinished, vi } from 'vitest';

/** A clock that does not move until the test advances it. */
export function fakeClock(start = Date.now()) {
  let now = start;
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now);
  onTestFinished(() => spy.mockRestore());
  return {
    advance(ms: number) {
      now += ms;
    },
  };
}
