/** What a bucket had for one who asked. */
export interface Taken {
  readonly allowed: boolean;
  /** What the bucket holds when it is full. */
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until it is full again. */
  readonly resetMs: number;
  /** Milliseconds until there is something for one who was refused. */
  readonly waitMs: number;
}

/** Buckets that fill steadily, one for each name. */
export interface Buckets {
  take(name: string): Taken;
}

interface Bucket {
  tokens: number;
  /** Turns that were promised to those who were refused, and have not come yet. */
  promised: number;
  at: number;
}

/** The one used longest ago goes when there are more. */
const mostBuckets = 10_000;
/** Nobody is told to wait longer; by then all has changed. */
const longestWaitMs = 20_000;

/** Makes buckets that hold `burst`, and are filled by `rate` a second; a rate of 0 allows everything. */
export function openBuckets(rate: number, burst: number, now: () => number): Buckets {
  const kept = new Map<string, Bucket>();

  const filled = (name: string): Bucket => {
    const at = now();
    const bucket = kept.get(name) ?? { tokens: burst, promised: 0, at };
    const passed = (Math.max(0, at - bucket.at) / 1000) * rate;
    bucket.tokens = Math.min(burst, bucket.tokens + passed);
    bucket.promised = Math.max(0, bucket.promised - passed);
    bucket.at = at;
    kept.delete(name);
    kept.set(name, bucket);
    if (kept.size > mostBuckets) kept.delete(kept.keys().next().value!);
    return bucket;
  };
  return {
    take(name) {
      if (rate === 0) return { allowed: true, limit: burst, remaining: burst, resetMs: 0, waitMs: 0 };
      const bucket = filled(name);
      const allowed = bucket.tokens >= 1;
      let waitMs = 0;
      if (allowed) bucket.tokens -= 1;
      else {
        // Each is told another moment, so that those who wait do not come back all at once.
        waitMs = Math.min(longestWaitMs, ((1 - bucket.tokens + bucket.promised) / rate) * 1000);
        bucket.promised = Math.min(bucket.promised + 1, (longestWaitMs / 1000) * rate);
      }
      return {
        allowed,
        limit: burst,
        remaining: Math.floor(bucket.tokens),
        resetMs: ((burst - bucket.tokens) / rate) * 1000,
        waitMs: Math.ceil(waitMs),
      };
    },
  };
}
