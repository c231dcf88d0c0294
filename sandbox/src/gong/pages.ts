import type { FaultKind } from '../faults.js';
import { refusals } from './refusals.js';

/** Which page of a list is asked for. */
export interface PageRequest {
  cursor: string | null;
  size: number;
  fault: FaultKind | undefined;
}

/** What Gong says of a page. */
export interface Records {
  totalRecords: number;
  currentPageSize: number;
  currentPageNumber: number;
  cursor?: string | null;
}

/** What is paged through. */
export interface Listing<Row> {
  /** Sets this list's cursors apart from another's. */
  name: string;
  rows: readonly Row[];
  /** What tells a row from all others, so that a page goes on after it whatever came in between. */
  keyOf(row: Row): string;
  /** How many there are, where some of them are not given out yet. */
  total?: number;
}

interface Place {
  list: string;
  page: number;
  after: string;
}

/** Cuts one page out of a list. */
export function pageOf<Row>(
  { name, rows, keyOf, total = rows.length }: Listing<Row>,
  { cursor, size, fault }: PageRequest,
): { rows: Row[]; records: Records } {
  const place = cursor === null ? undefined : placeIn(name, cursor);
  const last = place === undefined || place.after === '' ? -1 : rows.findIndex((row) => keyOf(row) === place.after);
  const from = last + 1;
  let to = Math.min(from + size, rows.length);
  if (fault === 'half_page' && to - from > 1) to = from + Math.floor((to - from) / 2);
  if (fault === 'empty_page') to = from;
  const cut = rows.slice(from, to);
  const page = place?.page ?? 0;
  const records: Records = { totalRecords: total, currentPageSize: cut.length, currentPageNumber: page };
  const after = to === 0 ? '' : keyOf(rows[to - 1]!);
  const next = cursorAt({ list: name, page: page + 1, after });
  if (to < rows.length) records.cursor = next;
  if (fault === 'endless_cursor') records.cursor = cursor ?? next;
  if (fault === 'null_cursor') records.cursor = null;
  return { rows: cut, records };
}

const head = encoded('{"alg":"HS256"}');

/** A cursor looks like a signed token; whoever takes it apart finds nothing to rely on. */
function cursorAt(place: Place): string {
  const claims = encoded(JSON.stringify(place));
  return `${head}.${claims}.${encoded(claims.split('').reverse().join('').slice(0, 24))}`;
}

function placeIn(list: string, cursor: string): Place {
  try {
    const place = JSON.parse(atob(cursor.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')));
    if (place.list === list) return place;
  } catch {
    // What is no token of ours is no cursor either.
  }
  throw refusals.malformed('cursor: invalid value');
}

function encoded(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
