import { createHash } from 'node:crypto';
import type { FieldType, StoredEntity, StoredRecord } from './entity.js';

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
  readonly wordIndexed: boolean;
  /** Short name of the field among the words. */
  readonly code: string;
  /** Where given, longer values are in the object store; in code units. */
  readonly maxInline?: number;
  /** Of what records are called and known by, which is no field of theirs; whether that begins with a title. */
  readonly about?: { readonly titled: boolean };
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
  /** Fields whose texts are searched by meaning, and last what records are called and known by. */
  readonly semantic: readonly Column[];
  /** Who may see a record, where that is known. */
  readonly readers: Column | undefined;
  /** Dotted paths inside objects that need not be looked for. */
  readonly known: readonly string[];
}

const idPattern = /(^id$|Id$|_id$)/;
// Short, and what people sort by.
const namePattern = /^(title|name|displayName|file_name|email|emailAddress|identifier|key)$/;
// Editors' own states and documents: long, and in no human language.
const opaquePattern = /(State|Data)$/;

/** Longest name that Postgres keeps whole. */
const maxNameLength = 63;

/** Under what name the store keeps what records are called and known by, beside their fields. */
export const aboutField = '$about';

/** A name for a table or index that stays within what databases allow. */
export function identifier(name: string): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength - 9)}_${digest(name, 8)}`;
}

/** A name in quotes, for SQL. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Lays out the table of an entity from its searchable fields; texts longer than `maxInline` are kept in an object store. */
export function layoutOf(stored: StoredEntity, maxInline?: number): Layout {
  const { type, entity, fields, dateTimes, key, semantic = [], known = [], about, readers } = stored;
  const columns = Object.entries(fields).map(([field, kind]) => {
    const column = columnOf(field, kind === 'string' && dateTimes.includes(field) ? 'date-time' : kind);
    // A text that is all of the key is the id, which has an index already.
    const isId = key.length === 1 && key[0] === field && column.kind === 'string';
    if (isId) return { ...column, compared: 'id', indexed: false, wordIndexed: false };
    const isLong = kind === 'array' ? semantic.includes(field) : column.wordIndexed && !column.indexed;
    return isLong && maxInline !== undefined && !key.includes(field) ? { ...column, maxInline } : column;
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
    semantic: [
      ...semantic.map(columnFor),
      ...(about ? [{ ...columnOf(aboutField, 'array'), about: { titled: (about.title?.length ?? 0) > 0 } }] : []),
    ],
    known,
    readers: readers === undefined ? undefined : columnFor(readers),
  };
}

function columnOf(field: string, kind: Kind): Column {
  const structured = kind === 'object' || kind === 'array';
  const keyed = kind === 'date-time' || kind === 'integer';
  const isIdentifier = idPattern.test(field);
  const wordIndexed = kind === 'string' && !isIdentifier && !opaquePattern.test(field);
  const stored = structured ? 'rest' : `c_${field}`;
  return {
    field,
    kind,
    stored,
    compared: keyed ? `k_${field}` : stored,
    type: structured ? 'json' : kind === 'number' || kind === 'boolean' ? kind : 'text',
    indexed: keyed || kind === 'number' || (kind === 'string' && (isIdentifier || namePattern.test(field))),
    wordIndexed,
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

// Below every other character, so that the order by code point stays what it was.
const escapes: Readonly<Record<string, string>> = { '\u0000': '\u0001\u0002', '\u0001': '\u0001\u0003' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape.
const escapable = /[\u0000\u0001]/;

/** Parts a list of texts in one text; sorts before anything that a text holds. */
export const separator = '\u0001\u0001';

/** Stands between the beginning of a text that is in the object store and what names it; no text is escaped to this. */
export const referenceMark = '\u0001\u0004';

/** A text that every database can hold: Postgres knows no NUL, and neither knows half a surrogate pair. */
export function escapeText(text: string): string {
  const whole = isWellFormed(text) ? text : Buffer.from(text).toString();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape.
  return escapable.test(whole) ? whole.replaceAll(/[\u0000\u0001]/g, (character) => escapes[character]!) : whole;
}

/** The text that `escapeText` was given; of one in the object store the beginning. */
export function unescapeText(text: string): string {
  if (!text.includes('\u0001')) return text;
  const end = text.indexOf(referenceMark);
  if (end >= 0) return `${unescapeText(text.slice(0, end))}…`;
  return text.replaceAll('\u0001\u0002', '\u0000').replaceAll('\u0001\u0003', '\u0001');
}

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Applies `change` to every text inside a JSON value, with the members of its objects in a fixed order. */
function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : mapTexts(item, change)));
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, item]) => [change(name) as string, mapTexts(item, change)]));
}

/** A JSON value as text that is the same for every way of writing the same value. */
export const canonicalText = (value: unknown): string => JSON.stringify(mapTexts(value, escapeText));

/** The value that `canonicalText` was given; `restore` takes each text out of it. */
export function parseCanonicalText(text: string, restore: (text: string) => unknown = unescapeText): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes('\\u0001') ? mapTexts(value, restore) : value;
}

const maxDigits = 9999;

/** A whole number as a text whose order by code point is the order of the numbers, however large they are. */
export function integerKey(value: unknown): string | undefined {
  const whole = wholeNumber(value);
  if (whole === undefined) return undefined;
  const digits = (whole < 0n ? -whole : whole).toString();
  if (digits.length > maxDigits) return undefined;
  if (whole >= 0n) return `p${String(digits.length).padStart(4, '0')}${digits}`;
  // Of two negative numbers the longer one is the smaller.
  const complement = [...digits].map((digit) => 9 - Number(digit)).join('');
  return `n${String(maxDigits - digits.length).padStart(4, '0')}${complement}`;
}

function wholeNumber(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d{1,9999}$/.test(value) ? BigInt(value) : undefined;
}

const instantForm =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,30}))?)?(?:(Z)|([+-])(\d\d):?(\d\d))?)?$/i;
// Makes every second since the year 0 a positive number of twelve digits.
const beforeYearZero = 100_000_000_000;

/** An ISO 8601 date or date-time as a text whose order is that of the instants; UTC where it names no zone. */
export function instantKey(value: unknown): string | undefined {
  const parts = typeof value === 'string' ? instantForm.exec(value) : null;
  if (!parts) return undefined;
  const [, day, minute = '00:00', second = '00', fraction = '', , sign = '+', hours = '00', minutes = '00'] = parts;
  const local = `${day}T${minute}:${second}`;
  const time = Date.parse(`${local}Z`);
  // The thirtieth of February is parsed too, as a day in March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== local) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const ahead = (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  const seconds = time / 1000 - ahead + beforeYearZero;
  return `${String(seconds).padStart(12, '0')}${fraction.replace(/0+$/, '')}`;
}

/** A short name for a text of any length; two texts with one name are not to be expected. */
export const digest = (text: string, length = 20): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

/** Whether a value is an object and no array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parts of a record at paths. */
export const partsAt = (record: StoredRecord, paths: ReadonlyArray<readonly string[]>): StoredRecord =>
  partsOf(record, wantedTree(paths));

/** The parts of a record at dotted paths, as `fields` names them. */
export const projected = (record: StoredRecord, paths: readonly string[]): StoredRecord =>
  partsAt(
    record,
    paths.map((path) => path.split('.')),
  );

/** Wanted names, each with those below it, or whole. */
type Wanted = Map<string, Wanted | 'whole'>;

export function wantedTree(paths: ReadonlyArray<readonly string[]>): Wanted {
  const root: Wanted = new Map();
  for (const path of paths) {
    let at = root;
    for (const [index, name] of path.entries()) {
      const known = at.get(name);
      if (known === 'whole') break;
      if (index === path.length - 1) at.set(name, 'whole');
      else {
        const below: Wanted = known ?? new Map();
        at.set(name, below);
        at = below;
      }
    }
  }
  return root;
}

/** The wanted parts; what an object on the way does not have stays away. */
export function partsOf(object: StoredRecord, wanted: Wanted): StoredRecord {
  const parts = {};
  for (const [name, below] of wanted) {
    if (!Object.hasOwn(object, name)) continue;
    const isWhole = below === 'whole' || isReference(object[name]);
    const value = isWhole ? object[name] : partIn(object[name], below);
    // Not an assignment, which would take the name __proto__ for something else.
    Object.defineProperty(parts, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return parts;
}

// Its parts are taken once the text has been put back.
const isReference = (value: unknown): boolean => typeof value === 'string' && value.includes(referenceMark);

/** In an array the parts of each element; elements that are no objects stay as they are. */
function partIn(value: unknown, wanted: Wanted): unknown {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'object' ? partIn(item, wanted) : item));
  return isObject(value) ? partsOf(value, wanted) : null;
}
