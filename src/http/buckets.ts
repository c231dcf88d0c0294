import type { Budget } from './fault.js';

/** A budget that refills steadily, as the vendor last reported it. */
interface Bucket {
  /** Holds back only the kinds of request whose replies reported it. */
  endpoint: boolean;
  limit: number;
  refillMs: number;
  /** What was in it at `at`, without what is pending. */
  level: number;
  at: number;
  /** Taken by requests that are under way, which no report is certain to include. */
  pending: number;
  /** Needed by the calls in line; by those in the background. */
  queued: number;
  queuedBackground: number;
}

/** What one request takes of each bucket. */
export type Costs = ReadonlyArray<readonly [Bucket, number]>;

/** A difference that is rounding. */
const epsilon = 1e-6;

function levelAt({ level, at, limit, refillMs }: Bucket, now: number): number {
  return Math.min(limit, level + ((now - at) / refillMs) * limit);
}

/** When a bucket holds this much, with `ahead` taken before. */
function bucketReadyAt(bucket: Bucket, cost: number, ahead: number, now: number): number {
  // What costs more than a full bucket holds is for the vendor to refuse.
  const missing = ahead + Math.min(cost, bucket.limit) - levelAt(bucket, now);
  return missing <= epsilon ? now : now + Math.ceil((missing / bucket.limit) * bucket.refillMs);
}

/** When all buckets hold what a request costs, regardless of the calls in line. */
export const readyAt = (costs: Costs, now: number): number =>
  Math.max(now, ...costs.map(([bucket, cost]) => bucketReadyAt(bucket, cost, 0, now)));

/** When they do once those in line before it have taken theirs. */
export const projectedReadyAt = (costs: Costs, background: boolean, now: number): number =>
  Math.max(
    now,
    ...costs.map(([bucket, cost]) =>
      bucketReadyAt(bucket, cost, bucket.queued + (background ? bucket.queuedBackground : 0), now),
    ),
  );

/** Counts a call that joins (1) or leaves (-1) the line. */
export function countQueued(costs: Costs, background: boolean, change: 1 | -1): void {
  for (const [bucket, cost] of costs) bucket[background ? 'queuedBackground' : 'queued'] += change * cost;
}

const nothing = () => {};

/** Takes what a request costs; the result is to be called when its reply is there, or will not come. */
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

/** The budgets of one credential that refill steadily. */
export class Buckets {
  readonly #buckets = new Map<string, Bucket>();
  /** What requests of a kind took last. */
  readonly #costs = new Map<string, Map<Bucket, number>>();

  /** What a request of this kind takes, as far as replies have shown. */
  costsOf(kind: string): Costs {
    if (this.#buckets.size === 0) return [];
    const known = this.#costs.get(kind);
    return [...this.#buckets.values()].flatMap((bucket) => {
      const cost = known?.get(bucket);
      return bucket.endpoint && cost === undefined ? [] : [[bucket, cost ?? 1] as const];
    });
  }

  /** Takes in what a reply reports. */
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
