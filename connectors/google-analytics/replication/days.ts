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
