import type { FaultKind } from '../faults.js';
import { badParameter } from './refusals.js';

/** One page of rows with what leads to the next. */
export interface Page<Row> {
  rows: Row[];
  hasMore: boolean;
  cursor: string | null;
}

/** Which page of a list is asked for. */
export interface PageRequest {
  size: number;
  cursor: string | null;
  fault: FaultKind | undefined;
}

/** What is paged through. */
export interface Listing<Row> {
  /** Sets this list's cursors apart from another's. */
  name: string;
  /** In ascending order of their places. */
  rows: readonly Row[];
  placeOf(row: Row, index: number): number;
  /** Whether a row is given out: rows that are not leave a gap in their page. */
  isShown?(row: Row): boolean;
}

/** Cuts one page out of a list. */
export function pageOf<Row>({ name, rows, placeOf, isShown }: Listing<Row>, asked: PageRequest): Page<Row> {
  const { size, fault } = asked;
  const after = asked.cursor === null ? undefined : placeIn(name, asked.cursor);
  const found = after === undefined ? 0 : rows.findIndex((row, index) => placeOf(row, index) > after);
  const from = found < 0 ? rows.length : found;
  let to = Math.min(from + size, rows.length);
  if (fault === 'half_page' && to - from > 1) to = from + Math.floor((to - from) / 2);

  const cut = rows.slice(from, to);
  const last = cut.at(-1);
  if (fault === 'empty_page') {
    const first = cut[0];
    // What this page leaves out comes with the next one.
    const cursor = asked.cursor ?? cursorAt(name, first === undefined ? 0 : placeOf(first, from) - 1);
    return { rows: [], hasMore: true, cursor };
  }
  const next = last === undefined ? asked.cursor : cursorAt(name, placeOf(last, to - 1));
  const page: Page<Row> = { rows: isShown ? cut.filter(isShown) : cut, hasMore: to < rows.length, cursor: null };
  if (page.hasMore) page.cursor = next;
  if (fault === 'endless_cursor') return { ...page, hasMore: true, cursor: asked.cursor ?? next };
  if (fault === 'null_cursor') return { ...page, hasMore: true, cursor: null };
  return page;
}

function cursorAt(name: string, place: number): string {
  return btoa(JSON.stringify({ [name]: place }));
}

function placeIn(name: string, cursor: string): number {
  try {
    const place: unknown = JSON.parse(atob(cursor))[name];
    if (typeof place === 'number') return place;
  } catch {
    // Neither base64 nor JSON is no cursor either.
  }
  throw badParameter('Invalid cursor');
}
