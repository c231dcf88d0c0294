import type { Hint, Issues } from '../../action/params.js';
import { nearest, suggestion } from '../../errors/nearest.js';
import { maxPathCharacters } from './limits.js';

/** Types that a searchable field can have. */
export interface FieldTypes {
  /** Text, including dates. */
  string: string;
  /** Numbers. */
  number: number;
  /** Whole numbers. */
  integer: number;
  /** True or false. */
  boolean: boolean;
  /** Objects, with dotted paths to their parts. */
  object: Record<string, unknown>;
  /** Lists. */
  array: unknown[];
}

/** How the values at a path are compared: `any` inside an object, `element` inside an array. */
export type FieldType = keyof FieldTypes | 'date-time' | 'any' | 'element';

/** What can be searched in an entity. */
export interface Searchable {
  /** Field names, the record's main fields first. */
  readonly names: readonly string[];
  /** Type of the value at a path; undefined if the path is invalid. */
  readonly typeAt: (path: string) => FieldType | undefined;
  /** The path into an object that a value most likely refers to; undefined if none is known. */
  readonly innerPath: (field: string) => string | undefined;
  /** Text fields whose values are compared as instants. */
  readonly dateTimes: readonly string[];
  /** Text fields that contain calendar dates as YYYYMMDD. */
  readonly compactDates: readonly string[];
  /** Fields that support semantic search. */
  readonly semantic: readonly string[];
}

/** A field, or a path into one. */
export interface Field {
  /** The searchable field. */
  readonly name: string;
  /** The names inside it. */
  readonly inner: readonly string[];
  /** Type of the value. */
  readonly type: FieldType;
}

/** An entity's fields as declared. */
export interface FieldDeclarations {
  /** Type of each field. */
  readonly types: ReadonlyMap<string, FieldType>;
  /** The record's main fields, which messages list first. */
  readonly main?: readonly string[];
  /** Known names inside an object field. */
  readonly namesIn: (field: string) => readonly string[];
  /** Dotted paths that people search by. */
  readonly about?: readonly string[];
  /** Text fields that contain calendar dates as YYYYMMDD. */
  readonly compactDates?: readonly string[] | undefined;
  /** Fields that support semantic search. */
  readonly semantic?: readonly string[];
}

/** Names inside an object that identify it to people. */
const usualNames = ['name', 'title', 'displayName', 'email', 'id'];

/** Builds what can be searched from declared fields. */
export function searchable(declared: FieldDeclarations): Searchable {
  const { types, main = [], namesIn, about = [], compactDates = [], semantic = [] } = declared;
  return {
    names: [...new Set([...main.filter((name) => types.has(name)), ...types.keys()])],
    typeAt: (path) => {
      const dot = path.indexOf('.');
      const type = types.get(dot < 0 ? path : path.slice(0, dot));
      if (dot < 0) return type;
      return type === 'array' ? 'element' : type === 'object' ? 'any' : undefined;
    },
    innerPath: (field) => {
      const names = namesIn(field);
      const usual = usualNames.find((name) => names.includes(name));
      if (usual !== undefined) return `${field}.${usual}`;
      return about.find((path) => path.slice(0, path.lastIndexOf('.')) === field);
    },
    dateTimes: [...types].flatMap(([name, type]) => (type === 'date-time' ? [name] : [])),
    compactDates,
    semantic,
  };
}

/** Maximum number of items listed in a message. */
export const maxListed = 12;

/** Resolves a path, or reports what is wrong with it. */
export function readPath(path: unknown, fields: Searchable, issues: Issues, at: readonly string[]): Field | undefined {
  if (typeof path !== 'string') return issues.add(at, 'must be a field, such as "name"');
  if (path.length > maxPathCharacters) return issues.add(at, `has more than ${maxPathCharacters} characters`);
  const type = fields.typeAt(path);
  if (type === undefined) return issues.add(at, ...unsearchable(path, fields));
  const [name = '', ...inner] = path.split('.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no name contains them, and no database accepts them.
  if (inner.some((part) => part === '' || /["\\\u0000-\u001f]/.test(part)))
    return issues.add(at, 'has an invalid part');
  return { name, inner, type };
}

/** The error for a path that does not refer to a field, with advice. */
function unsearchable(path: string, { names }: Searchable): readonly [message: string, hint: Hint | undefined] {
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
