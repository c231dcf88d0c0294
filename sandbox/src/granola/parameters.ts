import { badParameter } from './errors.js';

/** The page size from the query, or the default. */
export function pageSizeOf(search: URLSearchParams, sizes: { defaultSize: number; maxSize: number }): number {
  const text = search.get('page_size');
  if (text === null) return sizes.defaultSize;
  const size = Number(text);
  if (Number.isNaN(size)) throw badParameter('Expected number, received nan');
  if (!Number.isInteger(size)) throw badParameter('Expected integer, received float');
  if (size < 1) throw badParameter('Number must be greater than or equal to 1');
  if (size > sizes.maxSize) throw badParameter(`Number must be less than or equal to ${sizes.maxSize}`);
  return size;
}

const timestampPattern = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?$/;

/** A time from the query, in milliseconds: a date means midnight UTC, and offsets are rejected. */
export function parseTimestamp(search: URLSearchParams, name: string): number | undefined {
  const text = search.get(name);
  if (text === null) return undefined;
  const [whole, day, time = 'T00:00:00Z'] = timestampPattern.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const timestamp = Date.parse(`${day}${time}`);
  // Date.parse turns February 30 into a day in March, which the round trip reveals.
  const isDay = Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(day ?? '-');
  if (!whole || !isDay || !Number.isFinite(timestamp)) throw badParameter('Invalid date');
  return timestamp;
}

/** Validates an id such as `not_1d3tmYTlCICgjy`, or throws Granola's error. */
export function parseId(text: string, prefix: 'not' | 'fol'): string {
  if (!new RegExp(`^${prefix}_[a-zA-Z0-9]{14}$`).test(text)) throw badParameter('Invalid');
  return text;
}
