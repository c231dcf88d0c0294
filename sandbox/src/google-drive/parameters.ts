import { refusals } from './refusals.js';

const truths = /^(true|t|yes|y|1)$/i;
const lies = /^(false|f|no|n|0)$/i;

/** A boolean of the query string; the first one counts. */
export function flag(search: URLSearchParams, name: string, otherwise = false): boolean {
  for (const value of search.getAll(name)) {
    if (!truths.test(value) && !lies.test(value)) throw refusals.typed(snake(name), 'TYPE_BOOL', value);
  }
  const value = search.get(name);
  return value === null ? otherwise : truths.test(value);
}

/** How many rows a page may have. */
export function pageSize(search: URLSearchParams, most: number, otherwise: number): number {
  for (const value of search.getAll('pageSize')) {
    const isInteger = /^[+-]?\d+$/.test(value) && Math.abs(Number(value)) < 2 ** 31;
    if (!isInteger) throw refusals.typed('page_size', 'TYPE_INT32', value);
  }
  const value = search.get('pageSize');
  if (value === null) return otherwise;
  const size = Number(value) + 0;
  if (size < 1 || size > most) throw refusals.range(size, most);
  return size;
}

/** Whether items of shared drives are supported, under the newer name or the older one. */
export function supportsAllDrives(search: URLSearchParams): boolean {
  const isNew = flag(search, 'supportsAllDrives');
  return flag(search, 'supportsTeamDrives') || isNew;
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
