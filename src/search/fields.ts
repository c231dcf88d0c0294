import type { IssueWithHint } from '../action/params.js';
import { nearest, suggestion } from '../errors/nearest.js';
import type { FieldTypes } from './types.js';

/** The searchable fields of an entity. */
export interface Searchable {
  /** Field names, the record's main fields first. */
  readonly names: readonly string[];
  /** Type of the value at a path; undefined if the path is invalid. */
  readonly typeAt: (path: string) => FieldType | undefined;
  /** The path into an object that a value most likely refers to; undefined if none is known. */
  readonly innerPath: (field: string) => string | undefined;
}

/** Inside an object, values may have any type; `element` is an array element. */
export type FieldType = keyof FieldTypes | 'any' | 'element';

/** Maximum number of items listed in a message. */
export const maxListed = 12;

/** The error for a path that does not refer to a field, with advice. */
export function unsearchable(
  path: string,
  { names }: Searchable,
): readonly [message: string, hint: IssueWithHint['hint']] {
  if (names.length <= maxListed)
    return [`is not a searchable field. ${suggestion(path, names, 'fields')}`.slice(0, -1), undefined];
  if (nearest(path, names) === undefined) {
    const listed = names.slice(0, maxListed).join(', ');
    return [
      'is not a searchable field',
      (where) =>
        `Searchable fields: ${listed} and ${names.length - maxListed} more; see section "actions.${where}" of the docs.`,
    ];
  }
  return [
    `is not a searchable field. ${suggestion(path, names, 'fields', maxListed)}`.slice(0, -1),
    (where) => `\`describe\` and section "actions.${where}" of the docs list all ${names.length} fields.`,
  ];
}
