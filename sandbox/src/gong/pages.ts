import type { FaultKind } from '../faults.js';
import { apiErrors } from './errors.js';

/** The requested page of a list. */
export interface PageRequest {
  cursor: string | null;
  size: number;
  fault: FaultKind | undefined;
}

/** Paging information in responses. */
export interface PageInfo {
  totalRecords: number;
  currentPageSize: number;
  currentPageNumber: number;
  cursor?: string | null;
}

/** A paginated list. */
export interface Listing<Row> {
  /** Distinguishes this list's cursors from those of other lists. */
  name: string;
  rows: readonly Row[];
  /** A row's unique key, so the next page continues after it even if rows were inserted. */
  keyOf(row: Row): string;
  /** Total count, if it includes rows that are not listed yet. */
  total?: number;
}

interface CursorPosition {
  list: string;
  page: number;
  after: string;
}

/** Returns one page of a list. */
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

/** A cursor looks like a signed token, so that clients do not rely on its contents. */
function encodeCursor(position: CursorPosition): string {
  const claims = toBase64Url(JSON.stringify(position));
  return `${head}.${claims}.${toBase64Url(claims.split('').reverse().join('').slice(0, 24))}`;
}

function decodeCursor(list: string, cursor: string): CursorPosition {
  try {
    const position = JSON.parse(atob(cursor.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')));
    if (position.list === list) return position;
  } catch {
    // Not one of our tokens, so not a cursor.
  }
  throw apiErrors.malformed('cursor: invalid value');
}

function toBase64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
