const dayMs = 86_400_000;

/** Adds days to a date (YYYY-MM-DD). */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10);

/** The days in a range, inclusive. */
export function dayRange(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** The earlier of two days. */
export const earlier = (one: string, other: string): string => (one < other ? one : other);

/** The later of two days. */
export const later = (one: string, other: string): string => (one > other ? one : other);

/** First and last day. */
export type Period = readonly [from: string, to: string];

/** The days of the periods that are not in another one. */
export const daysWithout = (periods: readonly Period[], [from, to]: Period): Period[] =>
  periods
    .flatMap(([first, last]): Period[] => [
      [first, earlier(last, addDays(from, -1))],
      [later(first, addDays(to, 1)), last],
    ])
    .filter(([first, last]) => first <= last);

/** The days of the periods and another one, in order; adjacent periods become one. */
export function daysWith(periods: readonly Period[], added: Period): Period[] {
  const merged: Period[] = [];
  for (const [from, to] of [...daysWithout(periods, added), added].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const last = merged.at(-1);
    if (last && addDays(last[1], 1) === from) merged[merged.length - 1] = [last[0], to];
    else merged.push([from, to]);
  }
  return merged;
}

/** Today in a time zone; UTC if the zone is unknown. */
export function dayIn(timeZone: string | null, now: number): string {
  const date = new Intl.DateTimeFormat('en-US', {
    timeZone: timeZone && isKnown(timeZone) ? timeZone : 'UTC',
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const parts = new Map(date.formatToParts(now).map(({ type, value }) => [type, value]));
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
}

function isKnown(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en-US', { timeZone }));
  } catch {
    return false;
  }
}
