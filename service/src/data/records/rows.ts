import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredRecord } from './entity.js';
import { externalBody, externalValue, referenceTo, restoreText } from './external-text.js';
import type { FieldText } from './passages/types.js';
import type { SearchPlan } from './plan.js';
import {
  type Column,
  canonicalText,
  digest,
  escapeText,
  instantKey,
  integerKey,
  type Layout,
  ownColumns,
  parseCanonicalText,
  partsOf,
  referenceMark,
  separator,
  wantedTree,
} from './schema.js';
import { maxKnownTerms, type ScopedTerm, type TermsByScope } from './terms.js';

/** A value that can be stored in its own column. */
export type Cell = string | number | boolean | null;

/** A record as stored in the tables. */
export interface Row {
  readonly id: string;
  /** Values of the columns in `columnNames`, in that order. */
  readonly cells: readonly Cell[];
  /** Values without a column of their own, as JSON. */
  readonly rest: string;
  /** Changes whenever the record's content changes. */
  readonly hash: string;
}

/** Encodes one part of an id so that sorting by code point yields value order. */
function keyPart({ kind }: Column, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (kind === 'integer') return integerKey(value) ?? escapeText(String(value));
  if (kind === 'date-time') return instantKey(value) ?? escapeText(String(value));
  const text = escapeText(typeof value === 'string' ? value : JSON.stringify(value));
  const isOtherType = kind === 'string' ? typeof value !== 'string' : kind === 'number' && isNumeral(value);
  return isOtherType ? otherTypeMark + text : text;
}

/** Marks a key of another type than declared: the number 7 and the text "7" identify different records. */
const otherTypeMark = '\u0001\u0005';

/** Whether a text reads like a number that JSON contains as a number; larger integers are parsed as texts. */
const isNumeral = (value: unknown): boolean =>
  typeof value === 'string' &&
  String(Number(value)) === value &&
  (Number.isSafeInteger(Number(value)) || !Number.isInteger(Number(value)));

/** An id without the mark of its type, as in lists of ids that are texts. */
export const untypedId = (id: string): string => id.replaceAll(otherTypeMark, '');

/** A record's id: its key value, or all of them combined. Throws if all are missing or empty. */
export function idOf(layout: Layout, record: StoredRecord): string {
  const id = keyOf(layout, record);
  if (id !== undefined) return id;
  const { type, entity, key } = layout;
  const names = key.map(({ field }) => field).join(', ');
  throw new Error(`A record of ${type}.${entity} has no ${names}.`);
}

/** A record's id; undefined if all its key values are missing or empty. */
export function keyOf({ key }: Layout, record: StoredRecord): string | undefined {
  const [only] = key;
  // Numeric keys are stored as received, because lists of deleted records use that form.
  const parts =
    key.length === 1 && only?.kind === 'integer'
      ? [escapeText(String(record[only.field] ?? ''))]
      : key.map((column) => keyPart(column, record[column.field]));
  const id = parts.join(separator);
  return id.replaceAll(separator, '') === '' ? undefined : boundedId(id);
}

function cellsOf({ kind }: Column, value: unknown): Cell[] | undefined {
  switch (kind) {
    case 'string':
      return typeof value === 'string' ? [escapeText(value)] : undefined;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? [value] : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? [value] : undefined;
    case 'date-time':
      return typeof value === 'string' ? [escapeText(value), instantKey(value) ?? null] : undefined;
    case 'integer':
      return typeof value === 'string' || Number.isFinite(value)
        ? [canonicalText(value), integerKey(value) ?? null]
        : undefined;
    default:
      return undefined;
  }
}

/** Splits a record into columns. */
export function rowOf(layout: Layout, record: StoredRecord): Row {
  const cells: Cell[] = [];
  const rest: Record<string, unknown> = {};
  const references: Record<string, string> = {};
  for (const column of layout.columns) {
    const value = record[column.field] ?? null;
    const external = column.maxInline === undefined ? undefined : externalValue(column, value);
    if (external !== undefined) {
      if (column.type === 'json') references[column.field] = referenceTo(external);
      else cells.push(referenceTo(external));
      continue;
    }
    const own = value === null ? undefined : cellsOf(column, value);
    // A value of an undeclared type is stored in `rest`, where conditions never match it.
    if (value !== null && !own) rest[column.field] = value;
    if (column.type === 'json') continue;
    cells.push(...(own ?? ownColumns(column).map(() => null)));
  }
  const inline = canonicalText(rest);
  const isInline = Object.keys(references).length === 0;
  const text = isInline ? inline : JSON.stringify({ ...JSON.parse(inline), ...references });
  const id = idOf(layout, record);
  return { id, cells, rest: text, hash: hash('sha256', JSON.stringify(cells) + text, 'base64url').slice(0, 24) };
}

/** Columns needed for the requested fields. */
export function wantedColumns({ columns }: Layout, fields: SearchPlan['fields']): readonly Column[] {
  return fields ? columns.filter(({ field }) => fields.some(([head]) => head === field)) : columns;
}

const isText = ({ kind }: Column): boolean => kind === 'string' || kind === 'date-time';

/** Separates text columns from the names of all others. */
export function splitColumns(columns: readonly Column[]): {
  readonly texts: readonly Column[];
  readonly others: readonly string[];
} {
  const others = columns.filter((column) => !isText(column)).map(({ stored }) => stored);
  return { texts: columns.filter(isText), others: [...new Set([...others, 'rest'])] };
}

function cellText({ kind }: Column, cell: unknown): string {
  if (cell === null || cell === undefined) return 'null';
  if (kind === 'integer') return cell as string;
  return JSON.stringify(kind === 'boolean' ? Boolean(cell) : cell);
}

type Cells = Readonly<Record<string, unknown>>;

/** Returns a function that converts a row's values to members of a JSON object, without the `grouped` texts. */
export function singleCells(layout: Layout, grouped: boolean, fields?: SearchPlan['fields']): (row: Cells) => string[] {
  const own = wantedColumns(layout, fields)
    .filter((column) => column.type !== 'json' && !(grouped && isText(column)))
    .map((column) => ({ column, name: `${JSON.stringify(column.field)}:` }));
  return (row) => own.map(({ column, name }) => name + cellText(column, row[column.stored]));
}

/**
 * Returns a function that converts rows to JSON text. Texts may be grouped into JSON objects in cells t0, t1, and so
 * on.
 */
export function rowReader(layout: Layout, fields: SearchPlan['fields'], grouped = false): (row: Cells) => string {
  const columns = wantedColumns(layout, fields);
  const single = singleCells(layout, grouped, fields);
  const absent = columns.filter(({ type }) => type === 'json').map(({ field }) => `${JSON.stringify(field)}:null`);
  const whole = fields === undefined;
  return (row) => {
    const parts = [...absent];
    for (let index = 0; grouped && typeof row[`t${index}`] === 'string'; index++) {
      parts.push((row[`t${index}`] as string).slice(1, -1));
    }
    parts.push(...single(row));
    const rest = row.rest as string;
    // With duplicate keys the last one wins, so values in `rest` replace earlier nulls.
    if (rest !== '{}') parts.push(rest.slice(1, -1));
    const text = `{${parts.join(',')}}`;
    return whole ? text : JSON.stringify(partsOf(JSON.parse(text), wantedTree(fields)));
  };
}

/** Parses a JSON list of records. */
export const recordsIn = (text: string): StoredRecord[] => parseCanonicalText(text, restoreText) as StoredRecord[];

/** Characters parsed before yielding to other work. */
const charactersPerTurn = 2 ** 18;

/** Parses several JSON lists of records, yielding to other work in between. */
export async function recordsInTurns(texts: readonly string[]): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  let characters = 0;
  for (const text of texts) {
    for (const record of recordsIn(text)) records.push(record);
    characters += text.length;
    if (characters < charactersPerTurn) continue;
    await nextTurn();
    characters = 0;
  }
  return records;
}

/** Names of the columns that a row fills, in order. */
export const columnNames = ({ columns }: Layout): string[] => columns.flatMap(ownColumns).map(({ name }) => name);

/** Maximum id length in bytes, so that two ids fit into one Postgres index entry. */
const maxIdBytes = 1000;
const keptIdBytes = maxIdBytes - 70;

/** The id itself, or a short substitute if it is too long for an index. */
export function boundedId(id: string): string {
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  if (id.length * 3 <= maxIdBytes) return id;
  const bytes = Buffer.from(id);
  if (bytes.length <= maxIdBytes) return id;
  let end = keptIdBytes;
  while (isContinuationByte(bytes[end]!)) end -= 1;
  return bytes.toString('utf8', 0, end) + hash('sha256', id);
}

// UTF-8 continuation bytes do not start a character.
const isContinuationByte = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Replaces characters that databases reject, and the reference mark, without changing the number of code points. */
export const sanitizeText = (text: string): string =>
  // Lone surrogates become replacement characters.
  Buffer.from(text.replaceAll('\u0000', '\ufffd').replaceAll(referenceMark, '\u0001\ufffd')).toString();

/** A text searched semantically, as found in a record's row. */
export interface ColumnText {
  readonly column: Column;
  readonly text: string;
  /** What the database stores: the text, or a reference to it. */
  readonly body: string;
  /** Whether the record's own column contains the text, so it does not need to be stored twice. */
  readonly inColumn: boolean;
  readonly passages: FieldText['passages'];
  /** Changes whenever the text or its passages change. */
  readonly digest: string;
}

/** A record's texts by column; fields without passages are omitted. */
export function columnTexts(layout: Layout, record: StoredRecord, texts: readonly FieldText[]): ColumnText[] {
  return texts.flatMap(({ field, text, passages }) => {
    const column = layout.semantic.find((one) => one.field === field);
    if (!column) throw new Error(`${layout.type}.${layout.entity} does not support semantic search on '${field}'.`);
    if (passages.length === 0) return [];
    const inColumn = column.kind === 'string' && record[field] === text && escapeText(text) === text;
    const storedText = inColumn ? text : sanitizeText(text);
    const external = column.maxInline === undefined ? undefined : externalBody(column, storedText);
    return [
      {
        column,
        text: storedText,
        body: external === undefined ? storedText : referenceTo(external),
        inColumn,
        passages,
        digest: digest(JSON.stringify([inColumn, storedText, passages])),
      },
    ];
  });
}

/** Returns a function that slices a text by code point offsets. */
export function slicer(text: string): (start: number, end: number) => string {
  if (!/[\ud800-\udfff]/.test(text)) return (start, end) => text.slice(start, end);
  const points = [...text];
  return (start, end) => points.slice(start, end).join('');
}

/**
 * Terms known to be in the database. Terms are deleted only along with their connector, whose number is never reused.
 */
export class KnownTerms {
  readonly #scopes = new Map<string, Set<string>>();
  #size = 0;

  /** Unknown terms, without duplicates. */
  filterUnknown(termsByScope: TermsByScope): ScopedTerm[] {
    const newTerms = new Map<string, Set<string>>();
    for (const [scope, terms] of termsByScope) {
      const known = this.#scopes.get(scope);
      const list = newTerms.get(scope) ?? new Set();
      for (const term of terms) if (!known?.has(term)) list.add(term);
      newTerms.set(scope, list);
    }
    return [...newTerms].flatMap(([scope, terms]) => [...terms].map((term): ScopedTerm => [scope, term]));
  }

  /** Adds committed terms. */
  learn(terms: readonly ScopedTerm[]): void {
    if (this.#size + terms.length > maxKnownTerms) {
      this.#scopes.clear();
      this.#size = 0;
    }
    for (const [scope, term] of terms) {
      const known = this.#scopes.get(scope);
      if (known) known.add(term);
      else this.#scopes.set(scope, new Set([term]));
    }
    this.#size += terms.length;
  }
}
