/**
 * An instant as stored, ISO 8601 in UTC; undefined for years outside 0000 to 9999, which do not sort correctly as text.
 */
export function momentOf(text: string): string | undefined {
  const time = Date.parse(text);
  const moment = Number.isNaN(time) ? '' : new Date(time).toISOString();
  return /^\d{4}-/.test(moment) ? moment : undefined;
}

/** Milliseconds since 1970 as ISO 8601 in UTC; null stays null. */
export const instantOf = <Time extends number | null>(time: Time): string | (Time & null) =>
  (time === null ? null : new Date(time).toISOString()) as string | (Time & null);
