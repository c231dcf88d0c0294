import { onTestFinished, vi } from 'vitest';
import { shelf } from './shelf.js';
import { json } from './wire.js';

/** A clock that goes on while the time is stopped. */
const machineTime = performance.now.bind(performance);

/** Stops the time until the test has ended: it goes on only with `passing`. */
export function stopTime(now = Date.now()): void {
  vi.useFakeTimers({
    now,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  onTestFinished(() => void vi.useRealTimers());
}

/** Stops the time, once that is loaded which the first call of a process loads. */
export async function still(now?: number): Promise<void> {
  await shelf(async () => json({ books: [] })).execute('books', 'list');
  stopTime(now);
}

/** Lets all happen that needs no time. */
export async function settling(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until this is so, for as long as a busy machine needs; a time that is stopped does not go on meanwhile. */
export async function until(isSo: () => boolean): Promise<void> {
  for (const end = machineTime() + 30_000; !isSo(); await new Promise((resolve) => setImmediate(resolve))) {
    if (machineTime() > end) throw new Error('It has not become so in half a minute.');
  }
}

/** Lets the time pass until the work is done, step by step, each no shorter than what happens in it. */
export async function passing<T>(work: Promise<T>, stepMs = 1): Promise<T> {
  let done = false;
  const end = () => {
    done = true;
  };
  work.then(end, end);
  for (await settling(); !done; await settling()) vi.advanceTimersByTime(stepMs);
  return work;
}
