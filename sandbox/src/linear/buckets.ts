/** Hourly limits per credential. */
export interface LinearLimits {
  /** Requests per key per hour. */
  requestsPerHour?: number;
  /** Complexity points per key per hour. */
  complexityPerHour?: number;
  /** Requests per key per hour to a root field such as `issueCreate`; none are limited by default. */
  endpointsPerHour?: Record<string, number>;
  /** Maximum unarchived issues in the workspace, 250 on the free plan; unlimited by default. */
  activeIssues?: number;
  /** Maximum comments per issue; 2,000 by default. */
  commentsPerIssue?: number;
}

/** How a credential authenticates, which determines its limits. */
export type CredentialMode = 'api_key' | 'oauth' | 'anonymous';

/** Maximum complexity of a document. */
export const maxComplexity = 10_000;

const hour = 3_600_000;

/** Tolerance for rounding errors. */
const rounding = 1e-6;

const documentedLimits = {
  api_key: { requests: 2_500, complexity: 3_000_000 },
  oauth: { requests: 5_000, complexity: 2_000_000 },
  anonymous: { requests: 600, complexity: 100_000 },
} satisfies Record<CredentialMode, Record<string, number>>;

interface Level {
  used: number;
  at: number;
}

/** Leaky buckets per credential owner: for requests, complexity, and root fields with their own limit. */
export class Buckets {
  limits: LinearLimits = {};
  /** By owner and kind. */
  levels: Record<string, Record<string, Level>> = {};

  /** Capacity of a bucket; `kind` is `requests`, `complexity` or a root field. */
  limitOf(mode: CredentialMode, kind: string): number | undefined {
    const { requestsPerHour, complexityPerHour, endpointsPerHour } = this.limits;
    if (kind === 'requests') return requestsPerHour ?? documentedLimits[mode].requests;
    if (kind === 'complexity') return complexityPerHour ?? documentedLimits[mode].complexity;
    return endpointsPerHour?.[kind];
  }

  /** Takes `cost` if the bucket has room; returns whether it did. */
  take(owner: string, mode: CredentialMode, kind: string, cost: number, now: number): boolean {
    const limit = this.limitOf(mode, kind);
    if (limit === undefined) return true;
    const level = this.level(owner, kind, limit, now);
    if (level.used + cost > limit + rounding) return false;
    level.used += cost;
    return true;
  }

  headers(
    owner: string,
    mode: CredentialMode,
    { complexity, rootField }: { complexity: number; rootField?: string | undefined },
    now: number,
  ): Record<string, string> {
    const headers: Record<string, string> = { 'x-complexity': String(complexity) };
    const report = (name: string, kind: string): boolean => {
      const limit = this.limitOf(mode, kind);
      if (limit === undefined) return false;
      const { used } = this.level(owner, kind, limit, now);
      headers[`x-ratelimit-${name}-limit`] = String(limit);
      headers[`x-ratelimit-${name}-remaining`] = String(Math.max(0, Math.floor(limit - used + rounding)));
      // Linear always reports a reset one hour from now.
      headers[`x-ratelimit-${name}-reset`] = String(now + hour);
      return true;
    };
    report('requests', 'requests');
    report('complexity', 'complexity');
    if (rootField && report('endpoint-requests', rootField)) headers['x-ratelimit-endpoint-name'] = rootField;
    return headers;
  }

  private level(owner: string, kind: string, limit: number, now: number): Level {
    this.levels[owner] ??= {};
    this.levels[owner][kind] ??= { used: 0, at: now };
    const level = this.levels[owner][kind];
    level.used = Math.max(0, level.used - ((now - level.at) / hour) * limit);
    level.at = now;
    return level;
  }
}
