import { useEffect, useState } from 'preact/hooks';

const steps: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** How long ago, or in how long, in words. */
function ago(instant: string, now: number): string {
  const seconds = (Date.parse(instant) - now) / 1000;
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return seconds > 5 ? 'in a moment' : 'just now';
}

/** A moment in words that stay true; the exact time is its title. */
export function Time({ at, absent = 'never' }: { readonly at: string | null; readonly absent?: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <span class="quiet">{absent}</span>;
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {ago(at, Math.max(now, Date.now()))}
    </time>
  );
}

/** A number of milliseconds as people say it. */
export const duration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;

/** A whole number with its thousands apart. */
export const count = (value: number | null): string => (value === null ? '–' : value.toLocaleString('en'));
