import { useEffect, useState } from 'preact/hooks';
import { locale, texts } from '../texts/index.js';
import { number } from '../texts/locale.js';

const steps: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });

const brief = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

const thisYear = new Intl.DateTimeFormat(locale, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

/** A time without seconds, and without the year if it is this one. */
export const briefTime = (at: string): string => {
  const date = new Date(at);
  return (date.getFullYear() === new Date().getFullYear() ? thisYear : brief).format(date);
};

/** A text whose ISO dates are as people write them. */
export const withDates = (text: string): string =>
  text.replace(/\b\d{4}-\d\d-\d\d\b(?!T)/g, (date) =>
    Number.isNaN(Date.parse(date)) ? date : day.format(new Date(date)),
  );

/** A time with seconds. */
export const exactTime = (at: string): string => exact.format(new Date(at));

/** A relative time in words. */
function ago(instant: string, now: number): string {
  const seconds = (Date.parse(instant) - now) / 1000;
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return seconds > 5 ? texts.inAMoment : texts.justNow;
}

/** A relative time that updates itself; the exact time is its tooltip. */
export function Time({ at, absent = texts.never }: { readonly at: string | null; readonly absent?: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <span class="quiet">{absent}</span>;
  return (
    <time dateTime={at} title={exactTime(at)}>
      {ago(at, Math.max(now, Date.now()))}
    </time>
  );
}

const inUnit = (value: number, unit: string, maximumFractionDigits = 0): string =>
  value.toLocaleString(locale, { style: 'unit', unit, maximumFractionDigits });

/** Formats a duration given in milliseconds. */
export const duration = (ms: number): string =>
  ms < 1000
    ? inUnit(ms, 'millisecond')
    : ms < 60_000
      ? inUnit(ms / 1000, 'second', 1)
      : inUnit(Math.round(ms / 60_000), 'minute');

/** An integer with thousands separators. */
export const count = (value: number | null): string => (value === null ? '–' : number(value));

/** A percentage. */
export const percent = (share: number): string => share.toLocaleString(locale, { style: 'percent' });
