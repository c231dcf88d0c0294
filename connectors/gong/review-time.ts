/** From one instant on, and before another. */
export interface Period {
  readonly fromDateTime: string;
  readonly toDateTime: string;
}

const dayMs = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/**
 * The days that hold a period in every time zone: Gong takes days, in that of the company, which it does not tell.
 *
 * The end is left out, as Gong has it; where it lies ahead there is none, since nothing has been reviewed then.
 */
export function reviewDays({ fromDateTime, toDateTime }: Period, now = Date.now()) {
  const end = Date.parse(toDateTime) + 2 * dayMs;
  return {
    reviewFromDate: dayOf(Date.parse(fromDateTime) - dayMs),
    ...(end <= now && { reviewToDate: dayOf(end) }),
  };
}

/** Whether an instant lies in a period; one that is not told is not held against the record. */
export function isWithinPeriod(instant: unknown, { fromDateTime, toDateTime }: Period): boolean {
  const time = typeof instant === 'string' ? Date.parse(instant) : Number.NaN;
  return Number.isNaN(time) || (time >= Date.parse(fromDateTime) && time < Date.parse(toDateTime));
}
