import type { Source, StoredRecord } from '../../../src/authoring.js';
import { reports } from '../reports.js';
import { toRecords } from '../to-records.js';
import type { ReportName } from './calls.js';
import { dayIn, daysOf } from './days.js';

const rowsOfPage = 10_000;

/** How far a property has been read; days are YYYY-MM-DD. */
export type Place = {
  /** Since when rows are kept. */
  readonly start: string;
  /** The first and the last day of the report that was asked for. */
  readonly from: string;
  readonly to: string;
  /** What day it was at the property then. */
  readonly asked: string;
  /** Where the report goes on; null once it has been read whole. */
  readonly offset: number | null;
  readonly timeZone: string | null;
};

/** What one request gave. */
export interface Step {
  readonly records: readonly StoredRecord[];
  /** Ids of rows of its days that Google no longer has. */
  readonly removed?: readonly string[] | undefined;
  readonly place: Place;
}

/** Reads one report from an offset to its end, a page at a time. */
export async function* stepsOf(
  name: ReportName,
  property_id: string,
  source: Source,
  from: Place,
): AsyncGenerator<Step> {
  let place = from;
  // Of a report that is gone on with it is not known what came before.
  const seen = from.offset === 0 ? new Set<string>() : undefined;
  while (place.offset !== null) {
    const { offset } = place;
    const dateRanges = [{ startDate: place.from, endDate: place.to }];
    const params = { property_id, dateRanges, limit: rowsOfPage, offset, returnPropertyQuota: false };
    const result = await source.call(name, params);
    const next = source.followingCall(name, params, result) as { readonly offset: number } | undefined;
    const timeZone: string | null = result.meta.metadata?.timeZone ?? place.timeZone;
    const asked = offset === 0 ? dayIn(timeZone, source.now()) : place.asked;
    place = { ...place, timeZone, asked, offset: next?.offset ?? null };
    const records: StoredRecord[] = toRecords(result, { property_id, ...reports[name] });
    for (const record of records) seen?.add(source.idOf(record));
    const removed = seen && place.offset === null ? await goneFrom(source, property_id, place, seen) : [];
    yield { records, removed, place };
  }
}

/** Ids of rows that the replica has of a report's days, and the report has no more. */
async function goneFrom(
  source: Source,
  property_id: string,
  { from, to }: Place,
  seen: ReadonlySet<string>,
): Promise<string[]> {
  const date = daysOf(from, to).map((day) => day.replaceAll('-', ''));
  const gone: string[] = [];
  for await (const id of source.storedWith({ property_id: [property_id], date })) if (!seen.has(id)) gone.push(id);
  return gone;
}
