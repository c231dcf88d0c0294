const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
/** The first Monday of 1970; weeks start on Mondays. */
const firstMonday = 4 * 86_400_000;
const maxLength = 100;
const form = /^now((?:[+-]\d+[smhdw])*)(?:\/([smhdw]))?$/;

/**
 * Resolves `now`, `now-7d`, `now+1h` or `now-1w/d` to an ISO 8601 instant; undefined for other values. Units are
 * seconds, minutes, hours, days of 24 hours, and weeks; a unit after `/` rounds down to its start in UTC.
 */
export function relativeDate(value: unknown, now: number): string | undefined {
  const [whole, steps = '', rounded] =
    (typeof value === 'string' && value.length <= maxLength && form.exec(value)) || [];
  if (whole === undefined) return undefined;
  const shift = [...steps.matchAll(/([+-]\d+)([smhdw])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitMs[unit!]!,
    now,
  );
  const size = rounded === undefined ? 1 : unitMs[rounded]!;
  const start = rounded === 'w' ? firstMonday : 0;
  const time = new Date(Math.floor((shift - start) / size) * size + start);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
