import type { Entity, FieldType, Item, Value } from './types.js';

/** How the values at a path compare; `open` is the inside of an object field, where nothing is declared. */
export type Kind = FieldType | 'date-time' | 'open';

/** Whether a value is an object and not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function declared(entity: Entity, path: string): FieldType | undefined {
  return Object.hasOwn(entity.fields, path) ? entity.fields[path] : undefined;
}

/** The kind of a path, or undefined when the path is not searchable. */
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

/** The value at a dotted path; null where there is none. */
export function valueAt(record: Item, path: string): Value {
  let value: Value = record;
  for (const segment of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, segment)) return null;
    value = (value as Item)[segment] ?? null;
  }
  return value;
}
