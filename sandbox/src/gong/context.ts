import type { FaultKind } from '../faults.js';
import type { Grant } from './credentials.js';
import { apiErrors } from './errors.js';
import { type Listing, pageOf } from './pages.js';
import type { CallRow, GongWorld } from './rows.js';
import { isCalendarDate, parseTimestamp } from './timestamps.js';

/** Context of one request. */
export interface GongContext {
  world: GongWorld;
  grant: Grant;
  now: number;
  fault: FaultKind | undefined;
  search: URLSearchParams;
  /** The parsed body of a POST request. */
  body: Record<string, any>;
  /** Path parameters. */
  pathParameters: readonly string[];
  pageSize: number;
  /** Creates a signed URL for a recording. */
  sign(call: CallRow, kind: 'audio' | 'video'): string;
}

/** One page of a list, under the list's own key. */
export function listBody<Row>(
  context: GongContext,
  key: string,
  listing: Omit<Listing<Row>, 'name'>,
  view: (row: Row) => unknown,
  cursor: unknown = context.body.cursor,
): object {
  const requestedCursor = typeof cursor === 'string' && cursor !== '' ? cursor : null;
  const { pageSize: size, fault } = context;
  const page = pageOf({ ...listing, name: key }, { cursor: requestedCursor, size, fault });
  return { records: page.records, [key]: page.rows.map(view) };
}

/** The filter in a POST request; required even if empty. */
export function filterOf({ body }: GongContext): Record<string, any> {
  const { filter } = body;
  if (typeof filter !== 'object' || filter === null) throw apiErrors.malformed('filter: must not be null');
  return filter;
}

/** The ids in a filter field; undefined if the field is missing or empty. */
export function parseIds(filter: Record<string, any>, name: string): Set<string> | undefined {
  const value = filter[name];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw apiErrors.malformed(`filter.${name}: must be a list`);
  return value.length === 0 ? undefined : new Set(value.map(String));
}

/** A date-time from a query or filter, in milliseconds. */
export function parseTimestampParameter(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const time = parseTimestamp(String(value));
  if (time === undefined) throw apiErrors.malformed(`${name}: must be a date-time with an offset`);
  return time;
}

/** A day from a filter. */
export function parseDateParameter(filter: Record<string, any>, name: string): string | undefined {
  const value = filter[name];
  if (value === undefined || value === null) return undefined;
  if (!isCalendarDate(String(value))) throw apiErrors.malformed(`filter.${name}: must be a date, YYYY-MM-DD`);
  return String(value);
}
