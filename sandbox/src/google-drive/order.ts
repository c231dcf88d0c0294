import type { DriveContext } from './context.js';
import { apiErrors, DriveApiError } from './errors.js';
import { FileView } from './file-view.js';
import { types } from './mime.js';
import type { FileRow } from './rows.js';

type Value = string | number;
type Key = (context: DriveContext, file: FileRow) => Value;

const plain = new Intl.Collator('en', { sensitivity: 'base' });
const natural = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

const keys: Readonly<Record<string, Key>> = {
  createdTime: (_, file) => file.createdTime,
  folder: (_, file) => (file.mimeType === types.folder ? 0 : 1),
  modifiedByMeTime: (context, file) => new FileView(context, file).modifiedByMeTime ?? '',
  modifiedTime: (_, file) => file.modifiedTime,
  name: (_, file) => file.name,
  name_natural: (_, file) => file.name,
  quotaBytesUsed: (context, file) => Number(new FileView(context, file).quotaBytesUsed),
  recency: (context, file) => latest(file.modifiedTime, file.viewedBy[context.person]),
  sharedWithMeTime: (context, file) => file.sharedWith[context.person]?.time ?? '',
  starred: (context, file) => (file.starredBy.includes(context.person) ? 0 : 1),
  viewedByMeTime: (context, file) => file.viewedBy[context.person] ?? '',
};

/** A sort key and direction. */
export interface SortKey {
  name: string;
  isDescending: boolean;
}

/** Parses `orderBy`, or throws Drive's error. */
export function parseOrder(text: string | null): SortKey[] {
  if (!text) return [];
  const sortKeys = text.split(',').map((part) => {
    const match = /^\s*(\w+)(\s+desc)?\s*$/.exec(part);
    if (!match || !Object.hasOwn(keys, match[1]!)) throw apiErrors.invalid('orderBy');
    return { name: match[1]!, isDescending: match[2] !== undefined };
  });
  if (new Set(sortKeys.map(({ name }) => name)).size < sortKeys.length) {
    const message = 'The orderBy parameter cannot contain duplicate sort keys.';
    throw new DriveApiError(403, 'orderByContainsDuplicateSortKeys', message, { location: 'orderBy' });
  }
  return sortKeys;
}

/** Sorts files as requested; by default, most recently changed first. */
export function sortFiles(context: DriveContext, files: readonly FileRow[], order: readonly SortKey[]): FileRow[] {
  const wanted = order.length > 0 ? order : [{ name: 'modifiedTime', isDescending: true }];
  const rows = files.map((file) => ({ file, values: wanted.map(({ name }) => keys[name]!(context, file)) }));
  rows.sort((one, other) => {
    for (const [index, { name, isDescending }] of wanted.entries()) {
      const difference = compareValues(name, one.values[index]!, other.values[index]!);
      if (difference !== 0) return isDescending ? -difference : difference;
    }
    return one.file.id < other.file.id ? -1 : 1;
  });
  return rows.map(({ file }) => file);
}

function compareValues(name: string, one: Value, other: Value): number {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  if (name === 'name') return plain.compare(one, other);
  if (name === 'name_natural') return natural.compare(one, other);
  return one < other ? -1 : one > other ? 1 : 0;
}

function latest(one: string, other = ''): string {
  return one > other ? one : other;
}
