import type { FaultKind } from '../faults.js';
import { apiErrors } from './errors.js';

/** Which page of a list is asked for. */
export interface PageRequest {
  cursor: string | null;
  size: number;
  fault: FaultKind | undefined;
}

/** What Gong says of a page. */
export interface PageInfo {
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

interface CursorPosition {
  list: string;
  page: number;
  after: string;
}

/** Cuts one page out of a list. */
export function pageOf<Row>(
  { name, rows, keyOf, total = rows.length }: Listing<Row>,
  { cursor, size, fault }: PageRequest,
): { rows: Row[]; records: PageInfo } {
  const position = cursor === null ? undefined : decodeCursor(name, cursor);
  const last =
    position === undefined || position.after === '' ? -1 : rows.findIndex((row) => keyOf(row) === position.after);
  const from = last + 1;
  let to = Math.min(from + size, rows.length);
  if (fault === 'half_page' && to - from > 1) to = from + Math.floor((to - from) / 2);
  if (fault === 'empty_page') to = from;
  const cut = rows.slice(from, to);
  const page = position?.page ?? 0;
  const records: PageInfo = { totalRecords: total, currentPageSize: cut.length, currentPageNumber: page };
  const after = to === 0 ? '' : keyOf(rows[to - 1]!);
  const next = encodeCursor({ list: name, page: page + 1, after });
  if (to < rows.length) records.cursor = next;
  if (fault === 'endless_cursor') records.cursor = cursor ?? next;
  if (fault === 'null_cursor') records.cursor = null;
  return { rows: cut, records };
}

const head = toBase64Url('{"alg":"HS256"}');

/** A cursor looks like a signed token; whoever takes it apart finds nothing to rely on. */
function encodeCursor(position: CursorPosition): string {
  const claims = toBase64Url(JSON.stringify(position));
  return `${head}.${claims}.${toBase64Url(claims.split('').reverse().join('').slice(0, 24))}`;
}

function decodeCursor(list: string, cursor: string): CursorPosition {
  try {
    const position = JSON.parse(atob(cursor.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')));
    if (position.list === list) return position;
  } catch {
    // What is no token of ours is no cursor either.
  }
  throw apiErrors.malformed('cursor: invalid value');
}

function toBase64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
