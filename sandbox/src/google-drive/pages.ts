import type { DriveContext } from './context.js';
import { apiErrors } from './errors.js';

const hours = 3_600_000;

/** A paginated list. */
export interface Listing<Row> {
  /** Distinguishes this list from others. */
  name: string;
  rows: readonly Row[];
  idOf(row: Row): string;
  size: number;
  /** Parameters that must not change between pages. */
  boundParameters: readonly string[];
}

/** A page and the next page's token. */
export interface Page<Row> {
  rows: readonly Row[];
  nextPageToken?: string;
}

/** The page for the request's token. */
export function pageOf<Row>(context: DriveContext, listing: Listing<Row>): Page<Row> {
  const { search, fault, now } = context;
  const key = keyOf(context, listing);
  const token = search.get('pageToken');
  let from = token ? startIndexOf(token, key, now, listing) : 0;
  const next = (at: number) => {
    const last = listing.rows[at - 1];
    return encodePageToken({ key, at, after: last === undefined ? '' : listing.idOf(last), until: now + 6 * hours });
  };
  if (fault?.kind === 'empty_page') return { rows: [], nextPageToken: next(from) };
  let size = listing.size;
  if (fault?.kind === 'half_page') size = Math.max(1, Math.floor(size / 2));
  const to = Math.min(from + size, listing.rows.length);
  from = Math.min(from, to);
  const rows = listing.rows.slice(from, to);
  if (fault?.kind === 'endless_cursor') return { rows, nextPageToken: token ?? next(to) };
  if (fault?.kind === 'null_cursor') return { rows, nextPageToken: '' };
  return to < listing.rows.length ? { rows, nextPageToken: next(to) } : { rows };
}

interface PageTokenData {
  key: string;
  at: number;
  after: string;
  until: number;
}

function keyOf<Row>({ search, grant }: DriveContext, { name, boundParameters }: Listing<Row>): string {
  const text = [name, grant, ...boundParameters.map((one) => search.get(one) ?? '')].join('\n');
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return sum.toString(36);
}

function encodePageToken({ key, at, after, until }: PageTokenData): string {
  const text = btoa([key, at, after, until].join('\n')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `~!!~AI9FV7${Array.from(text).reverse().join('')}`;
}

/** Start of a page: after the last row of the previous one, even if rows were added or removed. */
function startIndexOf<Row>(token: string, key: string, now: number, { rows, idOf }: Listing<Row>): number {
  const text = Array.from(token.replace(/^~!!~AI9FV7/, ''))
    .reverse()
    .join('');
  let parts: string[];
  try {
    parts = atob(text.replaceAll('-', '+').replaceAll('_', '/')).split('\n');
  } catch {
    throw apiErrors.invalid('pageToken');
  }
  const [tokenKey, at, after, until] = parts;
  if (parts.length !== 4 || tokenKey !== key || !token.startsWith('~!!~') || Number(until) < now) {
    throw apiErrors.invalid('pageToken');
  }
  const found = after === '' ? -1 : rows.findIndex((row) => idOf(row) === after);
  return found >= 0 ? found + 1 : Math.min(Number(at), rows.length);
}
