import {
  type Batch,
  ConnectorError,
  type Failure,
  type Remaining,
  type Source,
  type StoredRecord,
} from '../../../src/authoring.js';
import { type Limitation, limitationsOf } from '../operations.js';
import { propertiesIn } from '../properties.js';
import { reports } from '../reports.js';
import { toRecords } from '../to-records.js';
import type { ReportName } from './calls.js';
import { addDays, dayIn, dayRange, daysWith, daysWithout, earlier, later, type Period } from './days.js';

/** Days per report: in longer reports, Google merges more of the rare rows. */
const windowDays = 30;
/**
 * Default number of days before the last complete one to read again. Google processes data for up to 48 hours and
 * corrects figures for days after that (see the connector's facts).
 */
export const lookBackDays = 12;
/** Default history in days. */
const historyDays = 730;
/** Google rejects reports that start before this day. */
const earliestDay = '2015-08-14';

/** Read position of each property. */
export type State = { readonly [property: string]: Checkpoint };

/** Reads a report for every property, from where the last run ended to the current day in the property's time zone. */
export const reportReader = (name: ReportName) =>
  async function* read(source: Source): AsyncGenerator<Batch> {
    const properties = propertiesIn(source.config.property_ids);
    const failed: Failure[] = [];
    let forbidden: unknown;
    let interruption: unknown;
    let state = (source.state ?? {}) as State;
    for (const [at, property] of properties.entries()) {
      try {
        for await (const { records, removed, checkpoint, done } of readWindows(
          name,
          property,
          source,
          state[property],
        )) {
          state = { ...state, [property]: checkpoint };
          yield { records, removed, resolved: [property], state, progress: (at + done) / properties.length };
        }
      } catch (error) {
        if (!ConnectorError.is(error)) throw error;
        if (error.code === 'forbidden') {
          forbidden ??= error;
          failed.push({ id: property, message: error.message });
        } else if (interruptionCodes.has(error.code)) interruption ??= error;
        else throw error;
      }
    }
    if (failed.length === properties.length) throw forbidden;
    if (failed.length > 0) yield { failed, state, progress: 1 };
    if (interruption !== undefined) throw interruption;
  };

/** The days that a first run has not read yet; undefined if there is a property of which it has read nothing. */
export function remainingDays({ config, state }: Pick<Source, 'config' | 'state'>): Remaining | undefined {
  const read = (state ?? {}) as State;
  const firstUnread = propertiesIn(config.property_ids).map((property) => {
    const checkpoint = read[property];
    if (!checkpoint) return undefined;
    return checkpoint.offset === null ? addDays(checkpoint.to, 1) : checkpoint.from;
  });
  if (firstUnread.includes(undefined)) return undefined;
  const day = firstUnread.sort()[0];
  return day === undefined ? undefined : { field: 'date', after: `${day}T00:00:00.000Z` };
}

/**
 * Errors that may affect only one property, such as its quota: the others are read before the run ends, and it resumes
 * later. A property to which the account has lost access is reported instead and does not end the run.
 */
const interruptionCodes = new Set<string>(['invalid_params', 'quota_exhausted', 'vendor_error']);

async function* readWindows(
  name: ReportName,
  property: string,
  source: Source,
  stored: Checkpoint | undefined,
): AsyncGenerator<ReportPage & { readonly done: number }> {
  const now = source.now();
  // What a run has read whose clock was ahead, and has been set back since, is unknown.
  const last = stored && stored.asked <= addDays(dayIn(stored.timeZone, now), 1) ? stored : undefined;
  const firstCheckpoint = last ?? initialCheckpoint(source, now);
  const first = last ? firstDayToRead(last, source) : firstCheckpoint.start;
  const began = earlier(first, firstCheckpoint.from);
  let checkpoint = firstCheckpoint;
  const propertyToday = () => dayIn(checkpoint.timeZone, now);
  const steps = async function* (from: Checkpoint) {
    for await (const step of readReportPages(name, property, source, from)) {
      checkpoint = step.checkpoint;
      const next = checkpoint.offset === null ? addDays(checkpoint.to, 1) : checkpoint.from;
      yield { ...step, done: shareOf(began, next, later(propertyToday(), checkpoint.to)) };
    }
  };

  if (checkpoint.offset !== null) yield* steps(checkpoint);
  for (let from = first; from <= propertyToday(); from = addDays(checkpoint.to, 1)) {
    const to = earlier(addDays(from, windowDays - 1), propertyToday());
    yield* steps({ ...checkpoint, from, to, offset: 0 });
  }
}

function initialCheckpoint({ config }: Source, now: number): Checkpoint {
  const today = dayIn(null, now);
  const given = typeof config.start_date === 'string' ? config.start_date : addDays(today, -historyDays);
  const start = later(given, earliestDay);
  return { start, from: start, to: start, asked: today, offset: null, timeZone: null };
}

/**
 * First day to read: the day after the last one read, or a few days before the last complete day if that is earlier.
 */
function firstDayToRead({ start, to, asked }: Checkpoint, { config }: Source): string {
  const lookBack = typeof config.look_back_days === 'number' ? config.look_back_days : lookBackDays;
  return later(start, earlier(addDays(to, 1), addDays(asked, -1 - lookBack)));
}

const shareOf = (began: string, next: string, lastDay: string): number =>
  (Date.parse(next) - Date.parse(began)) / (Date.parse(addDays(lastDay, 1)) - Date.parse(began));

const rowsPerPage = 10_000;

/** How far a property has been read; days are YYYY-MM-DD. */
type Checkpoint = {
  /** Start of the replicated period. */
  readonly start: string;
  /** First and last day of the requested report. */
  readonly from: string;
  readonly to: string;
  /** The current day in the property's time zone when the report was requested. */
  readonly asked: string;
  /** Where to resume the report; null once it is complete. */
  readonly offset: number | null;
  readonly timeZone: string | null;
  /** The days of the reports that Google has limited, by kind of limitation. */
  readonly limited?: Limits;
};

type Limits = { readonly [Kind in Limitation]?: readonly Period[] };

/** The limitations after a page of a report: its first page replaces what is known about its days. */
function limitsAfter(limits: Limits, found: readonly Limitation[], { from, to, offset }: Checkpoint): Limits {
  const known = Object.entries(limits).map(([kind, periods]): [string, readonly Period[]] => [
    kind,
    offset === 0 ? daysWithout(periods, [from, to]) : periods,
  ]);
  const added = found.map((kind): [string, readonly Period[]] => [kind, daysWith(limits[kind] ?? [], [from, to])]);
  return Object.fromEntries([...known, ...added].filter(([, periods]) => periods.length > 0));
}

/** Result of one request. */
interface ReportPage {
  readonly records: readonly StoredRecord[];
  /** Ids of rows for the report's days that Google no longer has. */
  readonly removed?: readonly string[] | undefined;
  readonly checkpoint: Checkpoint;
}

/** Reads one report from an offset to its end, a page at a time. */
async function* readReportPages(
  name: ReportName,
  property_id: string,
  source: Source,
  from: Checkpoint,
): AsyncGenerator<ReportPage> {
  let checkpoint = from;
  // For a resumed report, earlier rows are unknown.
  const seen = from.offset === 0 ? new Set<string>() : undefined;
  while (checkpoint.offset !== null) {
    const { offset } = checkpoint;
    const dateRanges = [{ startDate: checkpoint.from, endDate: checkpoint.to }];
    const params = { property_id, dateRanges, limit: rowsPerPage, offset, returnPropertyQuota: false };
    const result = await source.call(name, params);
    const next = source.followingCall(name, params, result) as { readonly offset: number } | undefined;
    const timeZone: string | null = result.meta.metadata?.timeZone ?? checkpoint.timeZone;
    const requestDay = offset === 0 ? dayIn(timeZone, source.now()) : checkpoint.asked;
    const found = limitationsOf(result.meta.metadata);
    checkpoint = {
      ...checkpoint,
      timeZone,
      asked: requestDay,
      offset: next?.offset ?? null,
      limited: limitsAfter(checkpoint.limited ?? {}, found, checkpoint),
    };
    if (offset === 0 && result.data.length === 0 && result.meta.row_count > 0) {
      throw new ConnectorError('invalid_response', 'Google Analytics returned no rows, although the report has more.');
    }
    const records: StoredRecord[] = toRecords(result, { property_id, ...reports[name] });
    for (const record of records) seen?.add(source.idOf(record));
    const removed =
      seen && checkpoint.offset === null ? await removedRowIds(source, property_id, checkpoint, seen) : [];
    yield { records, removed, checkpoint };
  }
}

/** Ids of a report's rows in the replica that Google no longer has. */
async function removedRowIds(
  source: Source,
  property_id: string,
  { from, to }: Checkpoint,
  seen: ReadonlySet<string>,
): Promise<string[]> {
  const date = dayRange(from, to).map((day) => day.replaceAll('-', ''));
  const gone: string[] = [];
  for await (const id of source.storedWith({ property_id: [property_id], date })) if (!seen.has(id)) gone.push(id);
  return gone;
}
