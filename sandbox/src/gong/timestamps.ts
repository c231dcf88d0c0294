const minute = 60_000;
const day = 86_400_000;

/** The company's time zone in Gong, used for its dates. */
export const timeZone = 'Europe/Copenhagen';

/** A time in Gong's format: in the company's time zone, with the given fractional digits. */
export function formatTimestamp(time: number, digits: 0 | 3 | 6 = 0): string {
  const offset = offsetAt(time);
  const local = new Date(time + offset * minute).toISOString();
  // Gong reports microseconds, but the sandbox's clock has only milliseconds.
  const fraction = digits === 6 ? `${local.slice(19, 23)}${String((time * 7) % 1000).padStart(3, '0')}` : '';
  return `${local.slice(0, 19)}${digits === 3 ? local.slice(19, 23) : fraction}+0${offset / 60}:00`;
}

/** The date of a timestamp, as `YYYY-MM-DD`. */
export function formatDate(time: number): string {
  return formatTimestamp(time).slice(0, 10);
}

/** Start of a day in the company's time zone. */
export function dayStart(text: string): number {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  return midnight - offsetAt(midnight - 60 * minute) * minute;
}

/** Start of the next day. */
export function nextDay(time: number): number {
  return dayStart(formatDate(dayStart(formatDate(time)) + day + 3 * 60 * minute));
}

const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const timestampPattern = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Whether a string is a valid calendar date. */
export function isCalendarDate(text: string): boolean {
  if (!datePattern.test(text)) return false;
  const midnight = Date.parse(`${text}T00:00:00Z`);
  // Date.parse turns February 30 into a day in March, which the round trip reveals.
  return Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(text);
}

/** Parses a date-time with an offset into milliseconds. */
export function parseTimestamp(text: string): number | undefined {
  const date = timestampPattern.exec(text)?.[1];
  const time = Date.parse(text);
  return date !== undefined && isCalendarDate(date) && Number.isFinite(time) ? time : undefined;
}

/** UTC offset in minutes, which changes on the last Sundays of March and October. */
function offsetAt(time: number): number {
  const year = new Date(time).getUTCFullYear();
  return time >= lastSunday(year, 2) && time < lastSunday(year, 9) ? 120 : 60;
}

function lastSunday(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0, 1));
  return last.getTime() - last.getUTCDay() * day;
}
