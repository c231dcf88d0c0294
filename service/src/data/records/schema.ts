import type { FieldType, StoredEntity } from './entity.js';
import { digest } from './values.js';

/** How the values of a field compare. */
export type Kind = FieldType | 'date-time';

/** Where a field is kept. */
export interface Column {
  readonly field: string;
  readonly kind: Kind;
  /** Column with the value as it was sent; objects and arrays share the column `rest`. */
  readonly stored: string;
  /** Column that comparisons use: the same, or one whose order is that of the values. */
  readonly compared: string;
  /** Type of the compared column. */
  readonly type: ColumnType;
  /** Whether an index sorts the records by it. */
  readonly indexed: boolean;
  /** Whether each of its words leads to the records that hold it. */
  readonly worded: boolean;
  /** Short name of the field among the words. */
  readonly code: string;
}

/** Types of columns that both databases have. */
export type ColumnType = 'text' | 'number' | 'boolean' | 'json';

/** The table of one entity. */
export interface Layout {
  readonly type: string;
  readonly entity: string;
  readonly table: string;
  /** The table of the words. */
  readonly words: string;
  readonly key: readonly Column[];
  readonly columns: readonly Column[];
  /** Fields whose texts are searched by meaning. */
  readonly semantic: readonly Column[];
}

const identifies = /(^id$|Id$|_id$)/;
// Short, and what people sort by.
const names = /^(title|name|displayName|file_name|email|emailAddress|identifier|key)$/;
// Editors' own states and documents: long, and in no human language.
const opaque = /(State|Data)$/;

/** Longest name that Postgres keeps whole. */
const longestName = 63;

/** A name for a table or index that stays within what databases allow. */
export function identifier(name: string): string {
  return name.length <= longestName ? name : `${name.slice(0, longestName - 9)}_${digest(name, 8)}`;
}

/** A name in quotes, for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Lays out the table of an entity from its searchable fields. */
export function layoutOf({ type, entity, fields, dateTimes, key, semantic = [] }: StoredEntity): Layout {
  const columns = Object.entries(fields).map(([field, kind]) => {
    const column = columnOf(field, kind === 'string' && dateTimes.includes(field) ? 'date-time' : kind);
    // A text that is all of the key is the id, which has an index already.
    const isId = key.length === 1 && key[0] === field && column.kind === 'string';
    return isId ? { ...column, compared: 'id', indexed: false, worded: false } : column;
  });
  if (new Set(columns.map(({ code }) => code)).size < columns.length) {
    throw new Error(`Two fields of ${type}.${entity} have the same short name; one of them needs another.`);
  }
  const columnFor = (field: string): Column => columns.find((column) => column.field === field)!;
  return {
    type,
    entity,
    table: identifier(`${type}.${entity}`),
    words: identifier(`${type}.${entity}.words`),
    key: key.map(columnFor),
    columns,
    semantic: semantic.map(columnFor),
  };
}

function columnOf(field: string, kind: Kind): Column {
  const structured = kind === 'object' || kind === 'array';
  const keyed = kind === 'date-time' || kind === 'integer';
  const name = identifies.test(field);
  const worded = kind === 'string' && !name && !opaque.test(field);
  const stored = structured ? 'rest' : `c_${field}`;
  return {
    field,
    kind,
    stored,
    compared: keyed ? `k_${field}` : stored,
    type: structured ? 'json' : kind === 'number' || kind === 'boolean' ? kind : 'text',
    indexed: keyed || kind === 'number' || (kind === 'string' && (name || names.test(field))),
    worded,
    code: BigInt(`0x${digest(field, 10)}`)
      .toString(36)
      .padStart(5, '0')
      .slice(-5),
  };
}

/** Columns that the values of a field fill, beside `rest`: one to keep them in, perhaps another to compare them by. */
export function ownColumns({
  kind,
  stored,
  compared,
  type,
}: Column): Array<{ readonly name: string; readonly type: ColumnType }> {
  if (type === 'json') return [];
  if (kind !== 'integer' && kind !== 'date-time') return [{ name: stored, type }];
  return [
    { name: stored, type: 'text' },
    { name: compared, type },
  ];
}
