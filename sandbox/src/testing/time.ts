import { onTestFinished, vi } from 'vitest';

/** A clock that goes on while the time is stopped. */
const realNow = performance.now.bind(performance);

/** Stops the time until the test has ended: it goes on only with `advanceUntilSettled`. */
export function freezeTime(now = Date.now()): void {
  vi.useFakeTimers({
    now,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets all happen that needs no time. */
export async function flushEventLoop(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until this is so, for as long as a busy machine needs; a time that is stopped does not go on meanwhile. */
export async function waitUntil(isSo: () => boolean): Promise<void> {
  for (const end = realNow() + 30_000; !isSo(); await new Promise((resolve) => setImmediate(resolve))) {
    if (realNow() > end) throw new Error('The condition is not met after 30 seconds.');
  }
}

/** Lets the time pass until the work is done, step by step, each no shorter than what happens in it. */
export async function advanceUntilSettled<T>(work: Promise<T>, stepMs = 1): Promise<T> {
  let done = false;
  const end = () => {
    done = true;
  };
  work.then(end, end);
  for (await flushEventLoop(); !done; await flushEventLoop()) vi.advanceTimersByTime(stepMs);
  return work;
}

/** Has failures repeated without a wait in this test: p-retry waits `1 + random` times its shortest wait. */
export function skipBackoff(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(-1);
  onTestFinished(() => random.mockRestore());
}
