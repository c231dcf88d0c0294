import type { AuditEntry, SyncJob } from 'agent-connectors/wire';
import type { Bar } from '../components/bars.js';
import { locale } from '../texts/index.js';

const day = 86_400_000;
const hour = 3_600_000;
const dayName = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const hourName = new Intl.DateTimeFormat(locale, { hour: 'numeric' });

/** Changed and failed records per day, over the last fourteen days. */
export function byDay(jobs: readonly SyncJob[], now: number): Bar[] {
  return Array.from({ length: 14 }, (_, index) => {
    const date = new Date(now - (13 - index) * day);
    const ended = jobs.filter(({ finished_at }) => finished_at && sameDay(new Date(finished_at), date));
    const total = (of: (job: SyncJob) => number) => ended.reduce((sum, job) => sum + of(job), 0);
    return {
      label: dayName.format(date),
      parts: [
        total(({ counts }) => counts.inserted + counts.updated + counts.removed),
        total(({ counts }) => counts.failed),
      ],
    };
  });
}

const sameDay = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString();

/** Call latency per hour over the last 24 hours: p50, with p95 on top. */
export function byHour(entries: readonly AuditEntry[], now: number): Bar[] {
  const calls = entries.filter(
    ({ event, duration_ms, at }) => event === 'execute' && duration_ms !== null && now - Date.parse(at) < 24 * hour,
  );
  if (calls.length === 0) return [];
  const current = Math.floor(now / hour);
  return Array.from({ length: 24 }, (_, index) => {
    const slot = current - 23 + index;
    const times = calls
      .filter(({ at }) => Math.floor(Date.parse(at) / hour) === slot)
      .map(({ duration_ms }) => duration_ms ?? 0)
      .sort((one, other) => one - other);
    const median = quantile(times, 0.5);
    return { label: hourName.format(new Date(slot * hour)), parts: [median, quantile(times, 0.95) - median] };
  });
}

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

/** A vendor limit. */
export interface Quota {
  readonly name: string;
  readonly remaining: number;
  readonly used: number;
}

/** Finds the quotas in a result, at any depth. */
export function findQuotas(value: unknown, name = ''): Quota[] {
  if (typeof value !== 'object' || value === null) return [];
  const { remaining, consumed = 0 } = value as { readonly remaining?: unknown; readonly consumed?: unknown };
  if (typeof remaining === 'number') return [{ name, remaining: remaining, used: Number(consumed) }];
  return Object.entries(value).flatMap(([key, inner]) => findQuotas(inner, key));
}
