import type { ActivitySeries } from 'agent-connectors/wire';
import type { Bar } from '../components/bars.js';
import { locale } from '../texts/index.js';

const dayName = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const hourName = new Intl.DateTimeFormat(locale, { hour: 'numeric' });

/** Path of a connector's activity, in the reader's time zone. */
export const activityPath = (unit: 'hour' | 'day', count: number, connectorId?: string): string => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const connector = connectorId !== undefined && { connector_id: connectorId };
  return `/api/v1/activity?${new URLSearchParams({ unit, count: String(count), time_zone: timeZone, ...connector })}`;
};

/** Changed and failed records per day. */
export const byDay = ({ data }: ActivitySeries): Bar[] =>
  data.map(({ at, changed, failed }) => ({ label: dayName.format(new Date(at)), parts: [changed, failed] }));

/** Call latency per hour: p50, with p95 on top. */
export const byHour = ({ data }: ActivitySeries): Bar[] =>
  data.map(({ at, p50_ms, p95_ms }) => {
    const median = p50_ms ?? 0;
    return { label: hourName.format(new Date(at)), parts: [median, (p95_ms ?? 0) - median] };
  });

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
