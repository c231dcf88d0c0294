import type { Source, StoredRecord } from '../../../src/authoring.js';
import { reports } from '../reports.js';
import { toRecords } from '../to-records.js';
import type { ReportName } from './calls.js';
import { dayIn, dayRange } from './days.js';

const rowsPerPage = 10_000;

/** How far a property has been read; days are YYYY-MM-DD. */
export type Checkpoint = {
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
};

/** Result of one request. */
export interface ReportPage {
  readonly records: readonly StoredRecord[];
  /** Ids of rows for the report's days that Google no longer has. */
  readonly removed?: readonly string[] | undefined;
  readonly checkpoint: Checkpoint;
}

/** Reads one report from an offset to its end, a page at a time. */
export async function* readReportPages(
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
    checkpoint = { ...checkpoint, timeZone, asked: requestDay, offset: next?.offset ?? null };
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
