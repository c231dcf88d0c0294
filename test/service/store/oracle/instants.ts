/** A point in time: seconds since 1970, and the fractional digits without trailing zeros. */
export interface Instant {
  readonly seconds: number;
  readonly fraction: string;
}

const form = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?$/;

function offsetSeconds(offset: string): number | undefined {
  if (offset === 'Z') return 0;
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** The instant denoted by an ISO 8601 string, or undefined if there is none; UTC if it has no offset. */
export function instantOf(text: unknown): Instant | undefined {
  const parts = typeof text === 'string' ? form.exec(text) : null;
  if (parts === null) return undefined;
  const [, date, clock = '00:00', seconds = ':00', fraction = '', offset = 'Z'] = parts;
  const local = `${date}T${clock}${seconds.slice(0, 3)}`;
  const time = Date.parse(`${local}Z`);
  const ahead = offsetSeconds(offset);
  // `Date` parses February 30 as a different day.
  if (Number.isNaN(time) || ahead === undefined || new Date(time).toISOString().slice(0, 19) !== local)
    return undefined;
  return { seconds: time / 1000 - ahead, fraction: fraction.replace(/0+$/, '') };
}

/** Negative, zero or positive if the first instant is before, equal to or after the second. */
export function compareInstants(first: Instant, second: Instant): number {
  if (first.seconds !== second.seconds) return first.seconds - second.seconds;
  if (first.fraction === second.fraction) return 0;
  return first.fraction < second.fraction ? -1 : 1;
}
