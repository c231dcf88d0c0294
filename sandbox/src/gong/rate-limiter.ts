import { formatDate, nextDay } from './timestamps.js';

/** The company's rate limits, shared by all keys and applications. */
export interface GongLimits {
  /** 3 by default. */
  requestsPerSecond?: number;
  /** 10,000 by default. */
  requestsPerDay?: number;
  /** Page size, 100 by default: fixed in Gong, but useful to change for small data sets. */
  pageSize?: number;
}

const second = 1_000;

/** The company's remaining quota. */
export class RateLimiter {
  limits: GongLimits = {};
  /** Times of requests in the last second. */
  lately: number[] = [];
  /** Day of the last request, and the number of requests on that day. */
  today: { day: string; count: number } = { day: '', count: 0 };

  /** Takes one request from the quota; if it is exhausted, returns the seconds to wait. */
  take(now: number): number | undefined {
    const { requestsPerSecond = 3, requestsPerDay = 10_000 } = this.limits;
    const day = formatDate(now);
    if (this.today.day !== day) this.today = { day, count: 0 };
    if (this.today.count >= requestsPerDay) return Math.max(1, Math.ceil((nextDay(now) - now) / second));
    this.lately = this.lately.filter((time) => time > now - second);
    if (this.lately.length >= requestsPerSecond) return 1;
    this.lately.push(now);
    this.today.count += 1;
    return undefined;
  }
}
