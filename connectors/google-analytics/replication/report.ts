import type { Source, StoredRecord } from '../../../src/replication/index.js';
import { reports } from '../reports.js';
import { toRecords } from '../to-records.js';
import type { ReportName } from './calls.js';
import { dayIn } from './days.js';

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
  while (place.offset !== null) {
    const { offset } = place;
    const dateRanges = [{ startDate: place.from, endDate: place.to }];
    const params = { property_id, dateRanges, limit: rowsOfPage, offset, returnPropertyQuota: false };
    const result = await source.call(name, params);
    const next = source.followingCall(name, params, result) as { readonly offset: number } | undefined;
    const timeZone: string | null = result.meta.metadata?.timeZone ?? place.timeZone;
    const asked = offset === 0 ? dayIn(timeZone, source.now()) : place.asked;
    place = { ...place, timeZone, asked, offset: next?.offset ?? null };
    yield { records: toRecords(result, { property_id, ...reports[name] }), place };
  }
}
