import { compactDate, localTime } from './dates.js';
import { apiErrors } from './errors.js';

/** What a user of the sandbox can make smaller or larger. */
export interface GoogleAnalyticsLimits {
  /** 200,000 when left out. */
  tokensPerDay?: number;
  /** 40,000 when left out. */
  tokensPerHour?: number;
  /** 14,000 when left out. */
  tokensPerProjectPerHour?: number;
  /** 10 when left out; requests count as running only where `reportSeconds` says for how long. */
  concurrentRequests?: number;
  /** 10 when left out. */
  serverErrorsPerProjectPerHour?: number;
  /** 120 when left out. */
  potentiallyThresholdedRequestsPerHour?: number;
  /** How long a report counts as running, by the sandbox's clock; not at all when left out. */
  reportSeconds?: number;
  /** Tokens that every report costs; reckoned from its size when left out. */
  tokensPerReport?: number;
  /** Different combinations of dimensions before the rest is rolled into `(other)`, 50,000 when left out. */
  rowsBeforeOther?: number;
}

/** The name of one of the quotas. */
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

/** The refusal that tells which quota has run out. */
export function quotaError(name: string | undefined, retryAfter?: number) {
  const quotaName = name !== undefined && Object.hasOwn(messages, name) ? (name as QuotaName) : 'concurrentRequests';
  return apiErrors.exhausted(messages[quotaName], retryAfter);
}

/** One thing that was counted. */
interface Charge {
  quota: 'tokens' | 'errors' | 'thresholded' | 'running';
  property: string;
  project: string;
  time: number;
  /** The day of it in California, where the daily quota is counted. */
  day: string;
  amount: number;
}

const hour = 3_600_000;

/** What has been used of every property's quotas. */
export class QuotaLedger {
  limits: GoogleAnalyticsLimits = {};
  charges: Charge[] = [];

  /** Refuses where a quota has run out; `isThresholded` says whether the request needs that one too. */
  check(property: string, project: string, now: number, isThresholded: boolean): void {
    const left = this.state(property, project, now);
    for (const [name, { remaining }] of Object.entries(left)) {
      const isNeeded = name !== 'potentiallyThresholdedRequestsPerHour' || isThresholded;
      if (isNeeded && remaining <= 0) throw quotaError(name);
    }
  }

  /** Counts something. */
  charge(quota: Charge['quota'], property: string, project: string, now: number, amount = 1): void {
    const length = this.limits.reportSeconds ?? 0;
    if (quota === 'running' && length <= 0) return;
    this.charges = this.charges.filter(({ time }) => time > now - 25 * hour);
    this.charges.push({ quota, property, project, time: now, day: dayOf(now), amount });
  }

  /** The state of all quotas, after a request that has used some tokens. */
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

  /** The tokens of the day, which ends at midnight in California. */
  private today(property: string, now: number): number {
    const today = dayOf(now);
    return this.charges
      .filter(({ quota, day, ...one }) => quota === 'tokens' && one.property === property && day === today)
      .reduce((sum, { amount }) => sum + amount, 0);
  }
}

/** What was used by the request itself, and what is left. */
export interface Status {
  consumed: number;
  remaining: number;
}

function dayOf(time: number): string {
  return compactDate(localTime(time, 'America/Los_Angeles').day);
}
