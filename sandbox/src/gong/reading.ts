import type { FaultKind } from '../faults.js';
import type { Grant } from './credentials.js';
import { isDay, momentOf } from './moments.js';
import { type Listing, pageOf } from './pages.js';
import { refusals } from './refusals.js';
import type { CallRow, GongWorld } from './rows.js';

/** What one request is answered from. */
export interface Reading {
  world: GongWorld;
  grant: Grant;
  now: number;
  fault: FaultKind | undefined;
  search: URLSearchParams;
  /** The body of a POST, parsed. */
  body: Record<string, any>;
  /** The path's own values. */
  parts: readonly string[];
  pageSize: number;
  /** Gives the address of a recording, signed anew. */
  sign(call: CallRow, kind: 'audio' | 'video'): string;
}

/** One page of a list, under the list's own key. */
export function listed<Row>(
  reading: Reading,
  key: string,
  listing: Omit<Listing<Row>, 'name'>,
  view: (row: Row) => unknown,
  cursor: unknown = reading.body.cursor,
): object {
  const asked = typeof cursor === 'string' && cursor !== '' ? cursor : null;
  const { pageSize: size, fault } = reading;
  const page = pageOf({ ...listing, name: key }, { cursor: asked, size, fault });
  return { records: page.records, [key]: page.rows.map(view) };
}

/** The filter of a POST, which must be there even where it is empty. */
export function filterOf({ body }: Reading): Record<string, any> {
  const { filter } = body;
  if (typeof filter !== 'object' || filter === null) throw refusals.malformed('filter: must not be null');
  return filter;
}

/** A list of ids out of a filter, or undefined where it does not filter by them. */
export function idsIn(filter: Record<string, any>, name: string): Set<string> | undefined {
  const given = filter[name];
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given)) throw refusals.malformed(`filter.${name}: must be a list`);
  return given.length === 0 ? undefined : new Set(given.map(String));
}

/** A date-time out of a query or a filter, in milliseconds. */
export function momentIn(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const time = momentOf(String(value));
  if (time === undefined) throw refusals.malformed(`${name}: must be a date-time with an offset`);
  return time;
}

/** A day out of a filter. */
export function dayIn(filter: Record<string, any>, name: string): string | undefined {
  const value = filter[name];
  if (value === undefined || value === null) return undefined;
  if (!isDay(String(value))) throw refusals.malformed(`filter.${name}: must be a date, YYYY-MM-DD`);
  return String(value);
}
