import { compactDate, localTime } from './dates.js';
import { apiErrors } from './errors.js';

/** Quotas that users of the sandbox can change. */
export interface GoogleAnalyticsLimits {
  /** 200,000 by default. */
  tokensPerDay?: number;
  /** 40,000 by default. */
  tokensPerHour?: number;
  /** 14,000 by default. */
  tokensPerProjectPerHour?: number;
  /** 10 by default; requests count as running only for the duration of `reportSeconds`. */
  concurrentRequests?: number;
  /** 10 by default. */
  serverErrorsPerProjectPerHour?: number;
  /** 120 by default. */
  potentiallyThresholdedRequestsPerHour?: number;
  /** How long a report counts as running, on the sandbox's clock; 0 by default. */
  reportSeconds?: number;
  /** Token cost of every report; computed from its size by default. */
  tokensPerReport?: number;
  /** Number of dimension combinations before the rest are grouped as `(other)`; 50,000 by default. */
  rowsBeforeOther?: number;
}

/** Name of a quota. */
export type QuotaName = Exclude<keyof GoogleAnalyticsLimits, 'reportSeconds' | 'tokensPerReport' | 'rowsBeforeOther'>;

const defaultLimits: Readonly<Record<QuotaName, number>> = {
  tokensPerDay: 200_000,
  tokensPerHour: 40_000,
  concurrentRequests: 10,
  serverErrorsPerProjectPerHour: 10,
  potentiallyThresholdedRequestsPerHour: 120,
  tokensPerProjectPerHour: 14_000,
};

const more = 'To learn more, see https://developers.google.com/analytics/devguides/reporting/data/v1/quotas';
const upgrade = `To increase this quota, upgrade to Google Analytics 360. ${more}`;
const messages: Readonly<Record<QuotaName, string>> = {
  tokensPerDay: `Exhausted property tokens per day. These quota tokens will return in under 24 hours. ${upgrade}`,
  tokensPerHour: `Exhausted property tokens per hour. These quota tokens will return in under an hour. ${upgrade}`,
  tokensPerProjectPerHour: `Exhausted property tokens for a project per hour. These quota tokens will return in under an hour. ${upgrade}`,
  concurrentRequests: `Exhausted concurrent requests quota. Please submit fewer requests concurrently. ${upgrade}`,
  serverErrorsPerProjectPerHour: `Exhausted server errors quota. This quota will return in under an hour. ${more}`,
  potentiallyThresholdedRequestsPerHour: `Exhausted potentially thresholded requests quota. This quota will refresh in under an hour. ${more}`,
};

/** The names of all quotas. */
export const quotaNames = Object.keys(messages);

/** Whether a fault's reason is the name of a quota. */
export const isQuotaName = (reason: string): reason is QuotaName => Object.hasOwn(messages, reason);

/** The error for an exhausted quota. */
export const quotaError = (name = '', retryAfter?: number) =>
  apiErrors.exhausted(messages[isQuotaName(name) ? name : 'concurrentRequests'], retryAfter);

/** A counted use of a quota. */
interface Charge {
  quota: 'tokens' | 'errors' | 'thresholded' | 'running';
  property: string;
  project: string;
  time: number;
  /** The date in California, which determines the daily quota that a request counts toward. */
  day: string;
  amount: number;
}

const hour = 3_600_000;

/** Quota usage of every property. */
export class QuotaLedger {
  limits: GoogleAnalyticsLimits = {};
  charges: Charge[] = [];

  /** Throws if a quota is exhausted; `isThresholded` also checks the quota for potentially thresholded requests. */
  check(property: string, project: string, now: number, isThresholded: boolean): void {
    const left = this.state(property, project, now);
    for (const [name, { remaining }] of Object.entries(left)) {
      const isNeeded = name !== 'potentiallyThresholdedRequestsPerHour' || isThresholded;
      if (isNeeded && remaining <= 0) throw quotaError(name);
    }
  }

  /** Counts a use. */
  charge(quota: Charge['quota'], property: string, project: string, now: number, amount = 1): void {
    const length = this.limits.reportSeconds ?? 0;
    if (quota === 'running' && length <= 0) return;
    this.charges = this.charges.filter(({ time }) => time > now - 25 * hour);
    this.charges.push({ quota, property, project, time: now, day: dayOf(now), amount });
  }

  /** State of all quotas after a request that used some tokens. */
  state(property: string, project: string, now: number, used = 0): Record<QuotaName, Status> {
    const usedSince = (quota: Charge['quota'], from: number, isProjectOnly = false) =>
      this.charges
        .filter((one) => one.quota === quota && one.property === property && one.time > from && one.time <= now)
        .filter((one) => !isProjectOnly || one.project === project)
        .reduce((sum, { amount }) => sum + amount, 0);
    const status = (name: QuotaName, spent: number, consumed: number): Status => ({
      consumed,
      remaining: Math.max(0, (this.limits[name] ?? defaultLimits[name]) - spent),
    });
    const errors = usedSince('errors', now - hour, true);
    const thresholded = usedSince('thresholded', now - hour);
    const running = usedSince('running', now - (this.limits.reportSeconds ?? 0) * 1000);
    return {
      tokensPerDay: status('tokensPerDay', this.today(property, now), used),
      tokensPerHour: status('tokensPerHour', usedSince('tokens', now - hour), used),
      concurrentRequests: status('concurrentRequests', running, running),
      serverErrorsPerProjectPerHour: status('serverErrorsPerProjectPerHour', errors, errors),
      potentiallyThresholdedRequestsPerHour: status('potentiallyThresholdedRequestsPerHour', thresholded, thresholded),
      tokensPerProjectPerHour: status('tokensPerProjectPerHour', usedSince('tokens', now - hour, true), used),
    };
  }

  /** Tokens used today; the day ends at midnight in California. */
  private today(property: string, now: number): number {
    const today = dayOf(now);
    return this.charges
      .filter(({ quota, day, ...one }) => quota === 'tokens' && one.property === property && day === today)
      .reduce((sum, { amount }) => sum + amount, 0);
  }
}

/** Usage by the request, and the remaining quota. */
export interface Status {
  consumed: number;
  remaining: number;
}

function dayOf(time: number): string {
  return compactDate(localTime(time, 'America/Los_Angeles').day);
}
