import { onTestFinished, vi } from 'vitest';

/** A clock that keeps running while time is frozen. */
const realNow = performance.now.bind(performance);

/** Freezes time until the test ends; only `advanceUntilSettled` advances it. */
export function freezeTime(now = Date.now()): void {
  vi.useFakeTimers({
    now,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  onTestFinished(() => void vi.useRealTimers());
}

/** Runs all pending work without advancing time. */
export async function flushEventLoop(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits up to 30 seconds of real time for a condition; frozen time does not advance. */
export async function waitUntil(isSo: () => boolean): Promise<void> {
  for (const end = realNow() + 30_000; !isSo(); await new Promise((resolve) => setImmediate(resolve))) {
    if (realNow() > end) throw new Error('The condition was not met within 30 seconds.');
  }
}

/** Advances time until the work is done, finishing pending work before each step. */
export async function advanceUntilSettled<T>(work: Promise<T>, stepMs = 1): Promise<T> {
  let done = false;
  const end = () => {
    done = true;
  };
  work.then(end, end);
  for (await flushEventLoop(); !done; await flushEventLoop()) vi.advanceTimersByTime(stepMs);
  return work;
}

/** Skips the backoff between retries in this test: p-retry waits `1 + random` times its minimum delay. */
export function skipBackoff(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(-1);
  onTestFinished(() => random.mockRestore());
}
