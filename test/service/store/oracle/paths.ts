import type { Entity, FieldType, Item, Value } from './types.js';

/** How values at a path are compared; `open` is inside an object field, where nothing is declared. */
export type Kind = FieldType | 'date-time' | 'open';

/** Whether a value is an object and not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function declared(entity: Entity, path: string): FieldType | undefined {
  return Object.hasOwn(entity.fields, path) ? entity.fields[path] : undefined;
}

/** The kind of a path, or undefined if the path is not searchable. */
export function kindOf(entity: Entity, path: string): Kind | undefined {
  const type = declared(entity, path);
  const segments = path.split('.');
  const inside =
    segments.every((segment) => segment !== '') &&
    segments.some((_, index) => index > 0 && declared(entity, segments.slice(0, index).join('.')) === 'object');
  if (type === undefined && !inside) return undefined;
  if (entity.dateTimes.includes(path) && (type === undefined || type === 'string')) return 'date-time';
  return type ?? 'open';
}

/** The value at a dotted path; null if there is none. */
export function valueAt(record: Item, path: string): Value {
  let value: Value = record;
  for (const segment of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, segment)) return null;
    value = (value as Item)[segment] ?? null;
  }
  return value;
}

/**
 * Whether a path into an object field leads nowhere even though the records show what the field contains: some record
 * has an object with other names or, except for `fields`, an array at the end of the path.
 */
export function isUnknown(records: readonly Item[], path: string, isProjection = false): boolean {
  const segments = path.split('.');
  const valuesAt = (depth: number): Value[] =>
    records.flatMap((record) => {
      let value: Value = record;
      for (const segment of segments.slice(0, depth)) {
        if (!isObject(value) || !Object.hasOwn(value, segment)) return [];
        value = (value as Item)[segment] ?? null;
      }
      return [value];
    });
  if (valuesAt(segments.length).length > 0) return false;
  let depth = 1;
  while (valuesAt(depth + 1).length > 0) depth += 1;
  const found = valuesAt(depth);
  if (found.some((value) => isObject(value) && Object.keys(value).length > 0)) return true;
  return !isProjection && found.some((value) => Array.isArray(value));
}
