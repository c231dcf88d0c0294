import type { Limits, SharedLimits } from 'agent-connectors';
import type { SharedWindow, VendorLimits } from '../../data/state/vendor-limits.js';
import { used } from './admission.js';

/** Maximum delay before this process sees a pause reported by another. */
const pauseCheckMs = 1000;

/** Shares each credential's limits, keyed by the credential's name, with the other processes. */
export function sharedVendorLimits(
  limits: VendorLimits,
  now: () => number,
  report: (error: unknown) => void,
): (credential: string) => SharedLimits {
  const known = new Map<string, SharedLimits>();
  return (credential) => used(known, credential, () => limitsOf(limits, `limits ${credential}`, now, report));
}

function limitsOf(
  limits: VendorLimits,
  name: string,
  now: () => number,
  report: (error: unknown) => void,
): SharedLimits {
  const windows = new Map<SharedWindow, () => Promise<number>>();
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<number> | undefined;

  const takeAll = async (all: NonNullable<Limits['windows']>): Promise<number> => {
    // Shortest window first: tokens wasted there are soon available again.
    for (const [index, window] of [...all].sort((one, other) => one.perMs - other.perMs).entries()) {
      const take =
        windows.get(window) ?? batched((count) => limits.take(index ? `${name} ${index}` : name, count, window));
      windows.set(window, take);
      const waitMs = await take();
      if (waitMs > 0) return waitMs;
    }
    return 0;
  };
  const checkPause = async (): Promise<number> => {
    if (now() - checkedAt < pauseCheckMs) return 0;
    // One query for all callers that wait for it.
    checking ??= limits.pausedMs(name).finally(() => {
      checking = undefined;
    });
    const waitMs = await checking;
    if (waitMs === 0) checkedAt = now();
    return waitMs;
  };
  return {
    async take(all) {
      try {
        return await (all.length > 0 ? takeAll(all) : checkPause());
      } catch (error) {
        report(error);
        return 0;
      }
    },
    pause: (ms) => void limits.pause(name, ms).catch(report),
  };
}

/** Sends one request at a time on behalf of all callers waiting for it, and returns how long each must wait. */
function batched(take: (count: number) => ReturnType<VendorLimits['take']>): () => Promise<number> {
  let waiting = 0;
  let asking: Promise<unknown> = Promise.resolve();
  let next: Promise<() => number> | undefined;
  const askAfter = async (before: Promise<unknown>) => {
    await before.catch(() => {});
    const count = waiting;
    waiting = 0;
    next = undefined;
    const { granted, waitMs } = await take(count);
    let given = 0;
    return () => (++given <= granted ? 0 : waitMs);
  };
  return async () => {
    waiting += 1;
    if (!next) {
      next = askAfter(asking);
      asking = next;
    }
    return (await next)();
  };
}
