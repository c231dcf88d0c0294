import type { FaultKind } from '../faults.js';
import { badParameter } from './errors.js';

/** A page of rows and the next cursor. */
export interface Page<Row> {
  rows: Row[];
  hasMore: boolean;
  cursor: string | null;
}

/** The requested page of a list. */
export interface PageRequest {
  size: number;
  cursor: string | null;
  fault: FaultKind | undefined;
}

/** A paginated list. */
export interface Listing<Row> {
  /** Distinguishes this list's cursors from others'. */
  name: string;
  /** In ascending order of position. */
  rows: readonly Row[];
  positionOf(row: Row, index: number): number;
  /** Whether a row is returned; omitted rows leave a gap in their page. */
  isShown?(row: Row): boolean;
}

/** Returns one page of a list. */
export function pageOf<Row>({ name, rows, positionOf, isShown }: Listing<Row>, request: PageRequest): Page<Row> {
  const { size, fault } = request;
  const after = request.cursor === null ? undefined : decodeCursor(name, request.cursor);
  const found = after === undefined ? 0 : rows.findIndex((row, index) => positionOf(row, index) > after);
  const from = found < 0 ? rows.length : found;
  let to = Math.min(from + size, rows.length);
  if (fault === 'half_page' && to - from > 1) to = from + Math.floor((to - from) / 2);

  const cut = rows.slice(from, to);
  const last = cut.at(-1);
  if (fault === 'empty_page') {
    const first = cut[0];
    // The next page returns the rows that this page omits.
    const cursor = request.cursor ?? encodeCursor(name, first === undefined ? 0 : positionOf(first, from) - 1);
    return { rows: [], hasMore: true, cursor };
  }
  const next = last === undefined ? request.cursor : encodeCursor(name, positionOf(last, to - 1));
  const page: Page<Row> = { rows: isShown ? cut.filter(isShown) : cut, hasMore: to < rows.length, cursor: null };
  if (page.hasMore) page.cursor = next;
  if (fault === 'endless_cursor') return { ...page, hasMore: true, cursor: request.cursor ?? next };
  if (fault === 'null_cursor') return { ...page, hasMore: true, cursor: null };
  return page;
}

function encodeCursor(name: string, position: number): string {
  return btoa(JSON.stringify({ [name]: position }));
}

function decodeCursor(name: string, cursor: string): number {
  try {
    const position: unknown = JSON.parse(atob(cursor))[name];
    if (typeof position === 'number') return position;
  } catch {
    // Not base64 or not JSON, so not a cursor.
  }
  throw badParameter('Invalid cursor');
}
