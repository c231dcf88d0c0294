/** How much one credential may ask per hour. */
export interface LinearLimits {
  /** Requests that a key may make in an hour. */
  requestsPerHour?: number;
  /** Points of complexity that a key may use in an hour. */
  complexityPerHour?: number;
}

/** How a credential signs in, which decides its limits. */
export type CredentialMode = 'api_key' | 'oauth' | 'anonymous';

/** The biggest document that Linear runs. */
export const maxComplexity = 10_000;

const hour = 3_600_000;

const documentedLimits: Record<CredentialMode, Required<LinearLimits>> = {
  api_key: { requestsPerHour: 2_500, complexityPerHour: 3_000_000 },
  oauth: { requestsPerHour: 5_000, complexityPerHour: 2_000_000 },
  anonymous: { requestsPerHour: 600, complexityPerHour: 100_000 },
};

interface Level {
  used: number;
  at: number;
}

/** The two leaky buckets of one credential's owner. */
export interface Bucket {
  requests: Level;
  complexity: Level;
}

/** All buckets of a workspace, by owner. */
export class Buckets {
  limits: LinearLimits = {};
  levels: Record<string, Bucket> = {};

  limitsOf(mode: CredentialMode): Required<LinearLimits> {
    return { ...documentedLimits[mode], ...this.limits };
  }

  /** Whether there was room; the room is taken. */
  take(owner: string, mode: CredentialMode, kind: keyof Bucket, cost: number, now: number): boolean {
    const limit = this.limitsOf(mode)[`${kind}PerHour`];
    const level = this.level(owner, kind, limit, now);
    if (level.used + cost > limit) return false;
    level.used += cost;
    return true;
  }

  headers(owner: string, mode: CredentialMode, complexity: number, now: number): Record<string, string> {
    const limits = this.limitsOf(mode);
    const headers: Record<string, string> = { 'x-complexity': String(complexity) };
    for (const kind of ['requests', 'complexity'] as const) {
      const limit = limits[`${kind}PerHour`];
      const { used } = this.level(owner, kind, limit, now);
      headers[`x-ratelimit-${kind}-limit`] = String(limit);
      headers[`x-ratelimit-${kind}-remaining`] = String(Math.max(0, Math.floor(limit - used)));
      // Reset tells, in epoch milliseconds, when the bucket has refilled entirely.
      headers[`x-ratelimit-${kind}-reset`] = String(Math.ceil(now + (limit > 0 ? (used / limit) * hour : hour)));
    }
    return headers;
  }

  private level(owner: string, kind: keyof Bucket, limit: number, now: number): Level {
    this.levels[owner] ??= { requests: { used: 0, at: now }, complexity: { used: 0, at: now } };
    const level = this.levels[owner][kind];
    level.used = Math.max(0, level.used - ((now - level.at) / hour) * limit);
    level.at = now;
    return level;
  }
}
