import { nearest, suggestion } from '../call/nearest.js';
import type { IssueWithHint } from '../manifest/params.js';
import type { FieldTypes } from './types.js';

/** The searchable fields of an entity. */
export interface Searchable {
  /** Those that its records are read by come first. */
  readonly names: readonly string[];
  /** Type of what a path leads to; nothing where it leads nowhere. */
  readonly typeAt: (path: string) => FieldType | undefined;
  /** Names that are known inside an object. */
  readonly namesIn: (path: string) => readonly string[];
}

/** Inside an object anything may stand; `element` is what lies inside an array. */
export type FieldType = keyof FieldTypes | 'any' | 'element';

/** As many as fit into a message. */
export const maxListed = 12;

/** What is wrong with a path that leads to no field, with what to say beside it. */
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
