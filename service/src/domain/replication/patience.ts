import { setTimeout as delay } from 'node:timers/promises';
import { Deferred, isLimit, Stopped } from './faults.js';
import type { Job } from './types.js';

/** Longer waits give the job back, and with it the place that it takes. */
const longestWaitMs = 3_600_000;
const firstWaitMs = 1_000;
const longestGuessMs = 60_000;
/** So many refusals in a row without any progress are a failure. */
const mostRefusals = 20;

/** Does a part of a job, and does it again after a wait where the vendor refuses for the sake of a limit. */
export async function patiently(job: Job, work: () => Promise<void>): Promise<void> {
  const { parts, progress, signal } = job;
  const done = () => progress.entities.reduce((sum, { read, removed }) => sum + read + removed, 0);
  for (let refusals = 0, before = done(); ; ) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw new Stopped();
      if (!isLimit(error)) throw error;
      refusals = done() > before ? 1 : refusals + 1;
      before = done();
      if (refusals > mostRefusals) throw error;
      const waitMs = error.retryAfterMs ?? Math.min(firstWaitMs * 2 ** (refusals - 1), longestGuessMs);
      if (waitMs > longestWaitMs) throw new Deferred(error, waitMs);
      await parts.pause(waitMs, signal);
    }
  }
}

/** Waits for so long, or until it is to be stopped. */
export async function paused(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    throw new Stopped();
  });
}
