import type { Budget } from './fault.js';

/** A steadily refilling budget, as last reported by the vendor. */
interface Bucket {
  /** Only delays the kinds of request whose responses reported it. */
  endpoint: boolean;
  limit: number;
  refillMs: number;
  /** Its level at `at`, without pending requests. */
  level: number;
  at: number;
  /** Used by running requests, which the report may not include yet. */
  pending: number;
  /** Needed by queued calls and by background calls. */
  queued: number;
  queuedBackground: number;
}

/** What a request uses of each bucket. */
export type Costs = ReadonlyArray<readonly [Bucket, number]>;

/** Tolerance for rounding errors. */
const epsilon = 1e-6;

function levelAt({ level, at, limit, refillMs }: Bucket, now: number): number {
  return Math.min(limit, level + ((now - at) / refillMs) * limit);
}

/** When a bucket has this much left after `ahead` is taken. */
function bucketReadyAt(bucket: Bucket, cost: number, ahead: number, now: number): number {
  // A request that costs more than a full bucket is left to the vendor to reject.
  const missing = ahead + Math.min(cost, bucket.limit) - levelAt(bucket, now);
  return missing <= epsilon ? now : now + Math.ceil((missing / bucket.limit) * bucket.refillMs);
}

/** When all buckets have what a request costs, ignoring the queue. */
export const readyAt = (costs: Costs, now: number): number =>
  Math.max(now, ...costs.map(([bucket, cost]) => bucketReadyAt(bucket, cost, 0, now)));

/** The same, after the calls queued before it have taken their share. */
export const projectedReadyAt = (costs: Costs, background: boolean, now: number): number =>
  Math.max(
    now,
    ...costs.map(([bucket, cost]) =>
      bucketReadyAt(bucket, cost, bucket.queued + (background ? bucket.queuedBackground : 0), now),
    ),
  );

/** Counts a call that joins (1) or leaves (-1) the queue. */
export function countQueued(costs: Costs, background: boolean, change: 1 | -1): void {
  for (const [bucket, cost] of costs) bucket[background ? 'queuedBackground' : 'queued'] += change * cost;
}

const nothing = () => {};

/** Takes what a request costs; call the result once its response has arrived or failed. */
export function take(costs: Costs, now: number): () => void {
  if (costs.length === 0) return nothing;
  for (const [bucket, cost] of costs) {
    bucket.level = levelAt(bucket, now) - cost;
    bucket.at = now;
    bucket.pending += cost;
  }
  let pending = true;
  return () => {
    if (pending) for (const [bucket, cost] of costs) bucket.pending -= cost;
    pending = false;
  };
}

/** The steadily refilling budgets of one set of credentials. */
export class Buckets {
  readonly #buckets = new Map<string, Bucket>();
  /** What requests of a kind used last. */
  readonly #costs = new Map<string, Map<Bucket, number>>();

  /** What a request of this kind uses, as far as known from responses. */
  costsOf(kind: string): Costs {
    if (this.#buckets.size === 0) return [];
    const known = this.#costs.get(kind);
    return [...this.#buckets.values()].flatMap((bucket) => {
      const cost = known?.get(bucket);
      return bucket.endpoint && cost === undefined ? [] : [[bucket, cost ?? 1] as const];
    });
  }

  /** Updates the budgets from a response. */
  learn(kind: string, { name, remaining, limit, refillMs, cost = 1, endpoint = false }: Budget, now: number): void {
    if (!refillMs || !limit || !Number.isFinite(remaining) || !(limit > 0)) return;
    const bucket = this.#buckets.get(name) ?? {
      ...{ endpoint, limit, refillMs, level: remaining, at: now, pending: 0, queued: 0, queuedBackground: 0 },
    };
    Object.assign(bucket, { endpoint, limit, refillMs, at: now, level: remaining - bucket.pending });
    this.#buckets.set(name, bucket);
    const costs = this.#costs.get(kind) ?? new Map<Bucket, number>();
    this.#costs.set(kind, costs.set(bucket, cost));
  }
}
