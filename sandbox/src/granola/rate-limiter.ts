/** Rate limits per key owner. */
export interface GranolaLimits {
  /** Burst limit; 25 by default. */
  requestsPerFiveSeconds?: number;
  /** Sustained limit; 300 by default. */
  requestsPerMinute?: number;
}

const burst = 5_000;
const minute = 60_000;

/** Remaining requests per owner. */
export class RateLimiter {
  limits: GranolaLimits = {};
  /** Times of requests in the last minute, by owner. */
  taken: Record<string, number[]> = {};

  /** Admits a request if it is within the limits; returns whether it was admitted. */
  take(owner: string, now: number): boolean {
    const { requestsPerFiveSeconds = 25, requestsPerMinute = 300 } = this.limits;
    const recent = (this.taken[owner] ?? []).filter((time) => time > now - minute);
    this.taken[owner] = recent;
    const inBurst = recent.filter((time) => time > now - burst).length;
    if (recent.length >= requestsPerMinute || inBurst >= requestsPerFiveSeconds) return false;
    recent.push(now);
    return true;
  }
}
