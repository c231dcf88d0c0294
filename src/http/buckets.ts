import type { Budget } from './fault.js';

/** A steadily refilling budget, as last reported by the vendor. */
interface Bucket {
  /** If true, delays only the kinds of requests whose responses reported it. */
  endpoint: boolean;
  limit: number;
  refillMs: number;
  /** Level at time `at`, excluding pending requests. */
  level: number;
  at: number;
  /** Amount used by requests in flight, which the vendor's report may not include yet. */
  pending: number;
  /** Amounts needed by queued foreground and background calls. */
  queued: number;
  queuedBackground: number;
}

/** What a request costs in each bucket. */
export type Costs = ReadonlyArray<readonly [Bucket, number]>;

/** Tolerance for rounding errors. */
const epsilon = 1e-6;

function levelAt({ level, at, limit, refillMs }: Bucket, now: number): number {
  return Math.min(limit, level + ((now - at) / refillMs) * limit);
}

/** When a bucket can cover `cost` on top of `ahead`. */
function bucketReadyAt(bucket: Bucket, cost: number, ahead: number, now: number): number {
  // If a request costs more than a full bucket, the vendor decides whether to reject it.
  const missing = ahead + Math.min(cost, bucket.limit) - levelAt(bucket, now);
  return missing <= epsilon ? now : now + Math.ceil((missing / bucket.limit) * bucket.refillMs);
}

/** When all buckets can cover a request, ignoring the queue. */
export const readyAt = (costs: Costs, now: number): number =>
  Math.max(now, ...costs.map(([bucket, cost]) => bucketReadyAt(bucket, cost, 0, now)));

/** When all buckets can cover a request after the calls queued ahead of it. */
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

/** Deducts a request's costs; call the returned function once the response has arrived or the request has failed. */
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

/** Steadily refilling budgets for one set of credentials. */
export class Buckets {
  readonly #buckets = new Map<string, Bucket>();
  /** What the latest request of each kind cost. */
  readonly #costs = new Map<string, Map<Bucket, number>>();

  /** What a request of this kind costs, as far as previous responses have shown. */
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
      endpoint,
      limit,
      refillMs,
      level: remaining,
      at: now,
      pending: 0,
      queued: 0,
      queuedBackground: 0,
    };
    Object.assign(bucket, { endpoint, limit, refillMs, at: now, level: remaining - bucket.pending });
    this.#buckets.set(name, bucket);
    const costs = this.#costs.get(kind) ?? new Map<Bucket, number>();
    this.#costs.set(kind, costs.set(bucket, cost));
  }
}
