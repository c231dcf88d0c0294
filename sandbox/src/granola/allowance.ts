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
export class Allowance {
  limits: GranolaLimits = {};
  /** The times of the requests of the last minute, by owner. */
  taken: Record<string, number[]> = {};

  /** Whether there was room; the room is taken. */
  take(owner: string, now: number): boolean {
    const { requestsPerFiveSeconds = 25, requestsPerMinute = 300 } = this.limits;
    const lately = (this.taken[owner] ?? []).filter((time) => time > now - minute);
    this.taken[owner] = lately;
    const inBurst = lately.filter((time) => time > now - burst).length;
    if (lately.length >= requestsPerMinute || inBurst >= requestsPerFiveSeconds) return false;
    lately.push(now);
    return true;
  }
}
