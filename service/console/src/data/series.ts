import type { ActivitySeries } from 'agent-connectors/wire';
import { locale } from '../texts/index.js';

const dayName = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const hourName = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: 'numeric' });

/** Periods that charts show. */
const shownPeriods = { hour: 24, day: 14 } as const;

/** Path of a connector's activity, in the reader's time zone. */
export const activityPath = (unit: 'hour' | 'day', connectorId?: string): string => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const count = shownPeriods[unit];
  const connector = connectorId !== undefined && { connector_id: connectorId };
  return `/api/v1/activity?${new URLSearchParams({ unit, count: String(count), time_zone: timeZone, ...connector })}`;
};

/** The times and labels of the periods, for a chart; its axis also has those that are unknown. */
export const periodsOf = ({ unit, data }: ActivitySeries) => ({
  unit,
  span: shownPeriods[unit],
  // A date is drawn where it starts for the reader.
  times: data.map(({ at }) => new Date(unit === 'day' ? `${at}T00:00` : at).getTime()),
  labels: data.map(({ at }) => (unit === 'day' ? dayName : hourName).format(new Date(at))),
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
