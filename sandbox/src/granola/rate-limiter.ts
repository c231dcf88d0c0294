/** How much one key's owner may ask. */
export interface GranolaLimits {
  /** The burst, 25 when left out. */
  requestsPerFiveSeconds?: number;
  /** The sustained rate, 300 when left out. */
  requestsPerMinute?: number;
}

const burst = 5_000;
const minute = 60_000;

/** What is left of everybody's allowance. */
export class RateLimiter {
  limits: GranolaLimits = {};
  /** The times of the requests of the last minute, by owner. */
  taken: Record<string, number[]> = {};

  /** Whether there was room; the room is taken. */
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
