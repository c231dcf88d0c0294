import { apiErrors } from './errors.js';

/** First and last day of a report, as days since 1970. */
export interface DateRange {
  name: string;
  first: number;
  last: number;
}

const day = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();
const formatNote = 'must be in the format YYYY-MM-DD, NdaysAgo, yesterday, or today';

/** The day and the minute of the day in a time zone. */
export function localTime(now: number, timeZone: string): { day: number; minute: number } {
  let format = formats.get(timeZone);
  if (!format) {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...parts });
    formats.set(timeZone, format);
  }
  const found = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, Number(value)]));
  return {
    day: Date.UTC(found.year!, found.month! - 1, found.day!) / day,
    minute: found.hour! * 60 + found.minute!,
  };
}

/** A day as a UTC date, which has no daylight saving time. */
export function dateOf(number: number): Date {
  return new Date(number * day);
}

/** A day as YYYYMMDD. */
export function compactDate(number: number): string {
  return dateOf(number).toISOString().slice(0, 10).replaceAll('-', '');
}

/** Parses a request's date ranges; `today` is in the property's time zone. */
export function dateRangesOf(requestedRanges: readonly Record<string, string>[], today: number): DateRange[] {
  if (requestedRanges.length === 0) throw apiErrors.invalid('A dateRange is required.');
  if (requestedRanges.length > 4) {
    throw apiErrors.invalid(
      `Requests are limited to 4 dateRanges. This request is for ${requestedRanges.length} dateRanges.`,
    );
  }
  const ranges = requestedRanges.map((range, index) => {
    const { startDate = '', endDate = '', name = '' } = range;
    if (/^(date_range_|RESERVED_)/.test(name)) {
      throw apiErrors.invalid(`The dateRange name ${name} cannot begin with date_range_ or RESERVED_.`);
    }
    const first = dayOf('startDate', startDate, today);
    const last = dayOf('endDate', endDate, today);
    if (first > last) throw apiErrors.invalid(`startDate ${startDate} cannot be after endDate ${endDate}.`);
    return { name: name || `date_range_${index}`, first, last };
  });
  const duplicate = ranges.find(({ name }, index) => ranges.findIndex((one) => one.name === name) < index);
  if (duplicate) throw apiErrors.invalid(`The dateRange name ${duplicate.name} is used more than once.`);
  return ranges;
}

const earliest = Date.UTC(2015, 7, 14) / day;

function dayOf(field: string, text: string, today: number): number {
  if (text === '') throw apiErrors.invalid(`Invalid dateRange: ${field} is required and ${formatNote}.`);
  if (text === 'today') return today;
  if (text === 'yesterday') return today - 1;
  const ago = /^(\d{1,6})daysAgo$/.exec(text)?.[1];
  const number = ago === undefined ? parseDay(text) : today - Number(ago);
  if (number === undefined) throw apiErrors.invalid(`Invalid ${field}: ${text}. ${field} ${formatNote}.`);
  if (number < earliest) throw apiErrors.invalid(`Invalid ${field}: ${text}. ${field} must be after 2015-08-13.`);
  return number;
}

function parseDay(text: string): number | undefined {
  const [, year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (year === undefined || year > 2999) return undefined;
  const time = Date.UTC(year, month! - 1, date);
  // An invalid date such as 2026-02-30 is normalized to a different date.
  return new Date(time).toISOString().startsWith(text) ? time / day : undefined;
}
