import { apiErrors } from './errors.js';

const truePattern = /^(true|t|yes|y|1)$/i;
const falsePattern = /^(false|f|no|n|0)$/i;

/** A boolean query parameter; the first value wins. */
export function booleanParameter(search: URLSearchParams, name: string, defaultValue = false): boolean {
  for (const value of search.getAll(name)) {
    if (!truePattern.test(value) && !falsePattern.test(value))
      throw apiErrors.typed(toSnakeCase(name), 'TYPE_BOOL', value);
  }
  const value = search.get(name);
  return value === null ? defaultValue : truePattern.test(value);
}

/** The page size. */
export function pageSize(search: URLSearchParams, max: number, defaultSize: number): number {
  for (const value of search.getAll('pageSize')) {
    const isInteger = /^[+-]?\d+$/.test(value) && Math.abs(Number(value)) < 2 ** 31;
    if (!isInteger) throw apiErrors.typed('page_size', 'TYPE_INT32', value);
  }
  const value = search.get('pageSize');
  if (value === null) return defaultSize;
  const size = Number(value) + 0;
  if (size < 1 || size > max) throw apiErrors.range(size, max);
  return size;
}

/** Whether the request supports shared drives, as indicated by the newer or the older parameter. */
export function supportsAllDrives(search: URLSearchParams): boolean {
  const isNew = booleanParameter(search, 'supportsAllDrives');
  return booleanParameter(search, 'supportsTeamDrives') || isNew;
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
