import type { FieldRef } from '../../plan.js';
import { quoteIdentifier } from '../../schema.js';
import { indexedValue, isLong, isShort, mayBeLong } from './dialect.js';

const unmarked = (): string => {
  throw new Error('An index cannot have parameters.');
};

/** The value that an index contains, without the row alias. */
export const plainValue = (ref: FieldRef): string => indexedValue(ref, unmarked).replaceAll(/\br\.(?=rest\b|")/g, '');

/**
 * The columns and predicates of the indexes that sort by a field or path: the second one covers values too long for the
 * first.
 */
export function orderDefinitions(ref: FieldRef): string[] {
  const value = plainValue(ref);
  const isText = ref.path.length > 0 || ref.column.type === 'text';
  const bounded = isText ? isShort(value) : `${value} is not null`;
  const sorted = `(connector, ${value}, id) where ${bounded}`;
  // The second index lets a sort find the few long values without a scan.
  return mayBeLong(ref) ? [sorted, `(connector, id) where ${isLong(value)}`] : [sorted];
}

/** The columns and predicate of an index on records without a value. */
export const nullsDefinition = ({ column: { stored } }: FieldRef): string =>
  `(connector, id) where ${quoteIdentifier(stored)} is null`;

/** The columns and predicate of an index on the values of a field, with the records of each in the order of another. */
export function compositeDefinition(ref: FieldRef, by: FieldRef): string {
  const value = plainValue(ref);
  const bounded = ref.column.type === 'text' ? isShort(value) : `${value} is not null`;
  return `(connector, ${value}, ${plainValue(by)}, id) where ${bounded}`;
}
