import { formatDate, nextDay } from './timestamps.js';

/** How much the company may ask, all keys and applications together. */
export interface GongLimits {
  /** 3 when left out. */
  requestsPerSecond?: number;
  /** 10,000 when left out. */
  requestsPerDay?: number;
  /** Rows of a page, 100 when left out: not a limit that Gong lets anybody change, but handy with little data. */
  pageSize?: number;
}

const second = 1_000;

/** What is left of the company's allowance. */
export class RateLimiter {
  limits: GongLimits = {};
  /** The times of the requests of the last second. */
  lately: number[] = [];
  /** How many there were on the day of the last one. */
  today: { day: string; count: number } = { day: '', count: 0 };

  /** Takes one request out of the allowance, or says after how many seconds there is room. */
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
