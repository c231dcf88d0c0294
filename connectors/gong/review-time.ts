/** Start inclusive, end exclusive. */
export interface Period {
  readonly fromDateTime: string;
  readonly toDateTime: string;
}

const dayMs = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/**
 * The days that cover a period in every time zone: Gong interprets days in the company's time zone, which it does not
 * report.
 *
 * The end is exclusive, as in Gong; undefined if it is in the future, since nothing has been reviewed yet.
 */
export function reviewDays({ fromDateTime, toDateTime }: Period, now = Date.now()) {
  const end = Date.parse(toDateTime) + 2 * dayMs;
  return {
    reviewFromDate: dayOf(Date.parse(fromDateTime) - dayMs),
    ...(end <= now && { reviewToDate: dayOf(end) }),
  };
}

/** Whether an instant is within a period; true if the time is unknown. */
export function isWithinPeriod(instant: unknown, { fromDateTime, toDateTime }: Period): boolean {
  const time = typeof instant === 'string' ? Date.parse(instant) : Number.NaN;
  return Number.isNaN(time) || (time >= Date.parse(fromDateTime) && time < Date.parse(toDateTime));
}
