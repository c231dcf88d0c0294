import { createHash } from 'node:crypto';
import type { RateLimits } from '../../data/state/rate-limits.js';
import { type BucketState, type OpenBuckets, Turns, unlimited, used } from './admission.js';

/** This process's share of a bucket. */
interface Share {
  /** Reserved tokens not used yet. */
  tokens: number;
  /** When the bucket will be full again, as far as this process knows. */
  fullAt: number;
  /** The bucket was empty: do not request more tokens before this time. */
  emptyUntil: number;
  at: number;
  waiting: number;
  reserving: Promise<void> | undefined;
  readonly turns: Turns;
}

/** Fraction of a bucket reserved at a time, so that several processes together reserve only a few percent. */
const batchesPerBucket = 100;
/** Minimum interval between requests to an empty bucket. */
const emptyPauseMs = 50;

/**
 * Buckets shared by all processes. Each reserves tokens in batches ahead of demand, so that few requests wait for the
 * database.
 */
export const sharedBuckets =
  (rateLimits: RateLimits, now: () => number): OpenBuckets =>
  (kind, rate, burst) => {
    const shares = new Map<string, Share>();
    const batch = Math.max(1, Math.floor(burst / batchesPerBucket));
    const intervalMs = 1000 / rate;
    const pauseMs = Math.min(emptyPauseMs, (burst * intervalMs) / 2);
    // Names are hashed because they may contain arbitrary text of any length.
    const digest = (name: string) => createHash('sha256').update(`${kind} ${name}`).digest('base64url');

    const reserve = (name: string, share: Share): Promise<void> => {
      const run = async () => {
        const wanted = Math.min(burst, Math.max(batch, share.waiting, Math.ceil(1 - share.tokens)));
        const { granted, fullInMs } = await rateLimits.reserve(digest(name), wanted, { burst, intervalMs });
        share.tokens += granted;
        share.fullAt = now() + fullInMs;
        if (granted < wanted) share.emptyUntil = now() + Math.max(pauseMs, fullInMs - (burst - 1) * intervalMs);
      };
      share.reserving ??= run().finally(() => {
        share.reserving = undefined;
      });
      return share.reserving;
    };
    const takeFrom = (name: string, share: Share): BucketState => {
      const allowed = share.tokens >= 1;
      if (allowed) share.tokens -= 1;
      const at = now();
      // Small buckets do not reserve in advance: another process may need the tokens.
      if (batch > 1 && share.tokens < batch / 2 && at >= share.emptyUntil) reserve(name, share).catch(() => {});
      share.turns.pass((Math.max(0, at - share.at) / 1000) * rate);
      share.at = at;
      const resetMs = Math.max(0, share.fullAt - at - share.tokens * intervalMs);
      const waitMs = allowed ? 0 : share.turns.promise(Math.max(0, share.emptyUntil - at) / intervalMs, rate);
      return {
        allowed,
        limit: burst,
        remaining: Math.max(0, Math.floor(burst - resetMs / intervalMs)),
        resetMs,
        waitMs,
      };
    };
    const fill = async (name: string, share: Share): Promise<BucketState> => {
      share.waiting += 1;
      try {
        while (share.tokens < 1 && now() >= share.emptyUntil) await reserve(name, share);
        return takeFrom(name, share);
      } finally {
        share.waiting -= 1;
      }
    };
    const shareOf = (name: string) =>
      used(shares, name, () => ({
        tokens: 0,
        fullAt: 0,
        emptyUntil: 0,
        at: now(),
        waiting: 0,
        reserving: undefined,
        turns: new Turns(),
      }));
    return {
      owe(name, tokens) {
        if (rate === 0) return;
        const share = shareOf(name);
        share.tokens = Math.max(-burst, share.tokens - tokens);
      },
      take(name) {
        if (rate === 0) return unlimited(burst);
        const share = shareOf(name);
        return share.tokens >= 1 ? takeFrom(name, share) : fill(name, share);
      },
    };
  };
