/** A moment in UTC. */
export interface Instant {
  /** Whole seconds since 1970. */
  readonly seconds: number;
  /** Digits after the decimal point, without trailing zeros. */
  readonly fraction: string;
}

const instantForm =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,30}))?)?(?:(Z)|([+-])(\d\d):?(\d\d))?)?$/i;

/** Parses an ISO 8601 date or date-time; UTC if it has no zone. */
export function parseInstant(value: unknown): Instant | undefined {
  const parts = typeof value === 'string' ? instantForm.exec(value) : null;
  if (!parts) return undefined;
  const [, day, minute = '00:00', second = '00', fraction = '', , sign = '+', hours = '00', minutes = '00'] = parts;
  const local = `${day}T${minute}:${second}`;
  const time = Date.parse(`${local}Z`);
  // Date.parse accepts February 30 as a day in March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== local) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const ahead = (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  return { seconds: time / 1000 - ahead, fraction: fraction.replace(/0+$/, '') };
}

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
const relativeForm = /^now((?:[+-]\d+[smhdw])*)(?:\/([smhdw]))?$/;

/**
 * Resolves `now`, `now-7d`, `now+1h` or `now-1w/d` to an ISO 8601 instant; undefined for other values. Units are
 * seconds, minutes, hours, days of 24 hours, and weeks; a unit after `/` rounds down to its start in UTC.
 */
export function relativeDate(value: unknown, now: number): string | undefined {
  const [whole, steps = '', rounded] =
    (typeof value === 'string' && value.length <= maxLength && relativeForm.exec(value)) || [];
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
