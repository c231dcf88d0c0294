/** How much one credential may ask per hour. */
export interface LinearLimits {
  /** Requests that a key may make in an hour. */
  requestsPerHour?: number;
  /** Points of complexity that a key may use in an hour. */
  complexityPerHour?: number;
  /** Requests that a key may make in an hour to one root field, such as `issueCreate`; none has such a limit when left out. */
  endpointsPerHour?: Record<string, number>;
  /** Issues that the workspace may have without those that are archived, 250 on the free plan; no limit when left out. */
  activeIssues?: number;
  /** Comments that an issue may have, 2,000 when left out. */
  commentsPerIssue?: number;
}

/** How a credential signs in, which decides its limits. */
export type CredentialMode = 'api_key' | 'oauth' | 'anonymous';

/** The biggest document that Linear runs. */
export const maxComplexity = 10_000;

const hour = 3_600_000;

/** A difference that comes from computing with fractions. */
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

/** The leaky buckets of all credentials' owners: of requests, of complexity, and of root fields that have their own. */
export class Buckets {
  limits: LinearLimits = {};
  /** By owner and what is counted. */
  levels: Record<string, Record<string, Level>> = {};

  /** What a bucket holds when it is full; `kind` is `requests`, `complexity` or a root field. */
  limitOf(mode: CredentialMode, kind: string): number | undefined {
    const { requestsPerHour, complexityPerHour, endpointsPerHour } = this.limits;
    if (kind === 'requests') return requestsPerHour ?? documentedLimits[mode].requests;
    if (kind === 'complexity') return complexityPerHour ?? documentedLimits[mode].complexity;
    return endpointsPerHour?.[kind];
  }

  /** Whether there was room; the room is taken. */
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
      // Whatever is left, the reset that Linear tells is an hour after the reading.
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
