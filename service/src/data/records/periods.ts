import type { Period } from 'agent-connectors/search';

const day = 86_400_000;

/** A time zone's clock. */
class ZoneClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      calendar: 'gregory',
      numberingSystem: 'latn',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** What the clock shows at an instant, as milliseconds since 1970 on that clock. */
  at(instant: number): number {
    const parts: Record<string, string> = {};
    for (const { type, value } of this.#format.formatToParts(instant)) parts[type] = value;
    const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year);
    const shown = new Date(0);
    shown.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
    shown.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
    return shown.getTime();
  }

  offset(instant: number): number {
    return this.at(instant) - Math.floor(instant / 1000) * 1000;
  }

  /** The first instant at which the clock shows a time, or a later one if it skips that time. */
  first(shown: number): number {
    const before = this.offset(shown - 2 * day);
    const after = this.offset(shown + 2 * day);
    const [early, late] = [shown - Math.max(before, after), shown - Math.min(before, after)];
    if (this.at(early) === shown) return early;
    if (this.at(late) === shown) return late;
    // The clock jumps over the time.
    return firstSecond(early, late, (instant) => this.at(instant) >= shown);
  }

  /** When the clock changes between two instants that have different offsets. */
  changeBetween(early: number, late: number): number {
    const before = this.offset(early);
    return firstSecond(early, late, (instant) => this.offset(instant) !== before);
  }
}

/** The first full second between two instants, of which only the later one meets the condition, that meets it. */
function firstSecond(early: number, late: number, meets: (instant: number) => boolean): number {
  let [low, high] = [Math.floor(early / 1000), Math.ceil(late / 1000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (meets(middle * 1000)) high = middle;
    else low = middle;
  }
  return high * 1000;
}

/** Where the period that contains a date begins, on a clock; weeks begin on Monday. */
function startShown(period: Exclude<Period, 'hour'>, shown: number): number {
  const date = new Date(shown);
  date.setUTCHours(0, 0, 0, 0);
  if (period === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (period === 'month') date.setUTCDate(1);
  if (period === 'quarter') date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % 3), 1);
  if (period === 'year') date.setUTCMonth(0, 1);
  return date.getTime();
}

/** Where the next period begins, on a clock. */
function nextShown(period: Exclude<Period, 'hour'>, shown: number): number {
  const date = new Date(shown);
  if (period === 'day') date.setUTCDate(date.getUTCDate() + 1);
  if (period === 'week') date.setUTCDate(date.getUTCDate() + 7);
  if (period === 'month') date.setUTCMonth(date.getUTCMonth() + 1);
  if (period === 'quarter') date.setUTCMonth(date.getUTCMonth() + 3);
  if (period === 'year') date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date.getTime();
}

/** A period: when it begins, and its name, an ISO date, or an ISO date-time with offset for an hour. */
export interface PeriodStart {
  /** Milliseconds since 1970. */
  readonly instant: number;
  readonly name: string;
}

const hour = 3_600_000;
const dateOf = (shown: number): string => new Date(shown).toISOString().replace(/T.*/, '');

/** The periods of a time zone. */
export class Periods {
  readonly #period: Period;
  readonly #clock: ZoneClock;

  constructor(period: Period, timeZone: string) {
    this.#period = period;
    this.#clock = new ZoneClock(timeZone);
  }

  /** Starts of the periods that contain the instants from `from` to `to`, in order. */
  *between(from: number, to: number): Generator<PeriodStart> {
    const period = this.#period;
    if (period === 'hour') {
      yield* this.#hoursBetween(from, to);
      return;
    }
    let shown = startShown(period, this.#clock.at(from));
    for (let instant = this.#clock.first(shown); instant <= to; instant = this.#clock.first(shown)) {
      yield { instant, name: dateOf(shown) };
      shown = nextShown(period, shown);
    }
  }

  /** The name of the period that contains a calendar date, `YYYYMMDD`; undefined if there is no such date. */
  ofDate(text: string): string | undefined {
    const iso = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
    const shown = Date.parse(`${iso}T00:00:00Z`);
    if (Number.isNaN(shown) || dateOf(shown) !== iso) return undefined;
    return this.#period === 'hour' ? iso : dateOf(startShown(this.#period, shown));
  }

  /** Hours of the clock: some zones differ from UTC by parts of an hour, and change by parts of an hour. */
  *#hoursBetween(from: number, to: number): Generator<PeriodStart> {
    let offset = this.#clock.offset(from);
    /** Where the clock would have shown the full hour, also before a change of the clock within that hour. */
    let start = startOfHour(from, offset);
    for (let instant = start; instant <= to; ) {
      yield { instant, name: hourName(start, offset) };
      const end = start + hour;
      const next = this.#clock.offset(end);
      if (next === offset) instant = end;
      else instant = this.#clock.changeBetween(Math.max(from, instant), end);
      offset = next;
      start = startOfHour(instant, offset);
    }
  }
}

const startOfHour = (instant: number, offset: number): number => Math.floor((instant + offset) / hour) * hour - offset;

function hourName(start: number, offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const two = (number: number) => `${number}`.padStart(2, '0');
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return new Date(start + offset).toISOString().replace(/\..*/, zone);
}
