import { hash } from 'node:crypto';
import { ReplacedTableError } from '../unavailable.js';
import type { FieldType, StoredEntity, StoredRecord } from './entity.js';
import { wordsVersion } from './words/version.js';

/** How a field's values are compared. */
export type Kind = FieldType | 'date-time';

/** Where a field is stored. */
export interface Column {
  readonly field: string;
  readonly kind: Kind;
  /** Column with the original value; objects and arrays share the `rest` column. */
  readonly stored: string;
  /** Column used for comparisons: `stored`, or one that sorts in value order. */
  readonly compared: string;
  /** Type of the compared column. */
  readonly type: ColumnType;
  /** Whether there is an index sorted by this field. */
  readonly indexed: boolean;
  /** Whether the field's words are indexed. */
  readonly wordIndexed: boolean;
  /** The field's short name in index terms. */
  readonly code: string;
  /** Maximum length of a value stored in the row, in code units; longer values are stored as objects. (unlimited) */
  readonly maxInline?: number;
  /** Set for the pseudo-field of titles and identifiers; `titled` if it starts with a title. */
  readonly about?: { readonly titled: boolean };
}

/** Column types common to both databases. */
export type ColumnType = 'text' | 'number' | 'boolean' | 'json';

/** An entity's table. */
export interface Layout {
  readonly type: string;
  readonly entity: string;
  readonly table: string;
  /** The vocabulary table. */
  readonly words: string;
  readonly key: readonly Column[];
  readonly columns: readonly Column[];
  /** Semantic fields, followed by the pseudo-field of titles and identifiers. */
  readonly semantic: readonly Column[];
  /** Column that lists who may see a record, if any. */
  readonly readers: Column | undefined;
  /** Dotted paths inside objects, known to be valid. */
  readonly known: readonly string[];
}

const idPattern = /(^id$|Id$|_id$)/;
// Short fields that people sort by.
const namePattern = /^(title|name|displayName|file_name|email|emailAddress|identifier|key)$/;
// Editor state and documents are long and not natural language.
const opaquePattern = /(State|Data)$/;

/** Longest identifier that Postgres does not truncate. */
const maxNameLength = 63;

/** Name of the pseudo-field that contains a record's title and identifiers. */
export const aboutField = '$about';

/** A table or index name within the databases' length limits, with room for `suffix` more characters. */
export function identifier(name: string, suffix = 0): string {
  const max = maxNameLength - suffix;
  return name.length <= max ? name : `${name.slice(0, max - 9)}_${digest(name, 8)}`;
}

/** A quoted SQL identifier. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Derives an entity's table from its searchable fields; texts longer than `maxInline` are stored as objects. */
export function layoutOf(stored: StoredEntity, maxInline?: number): Layout {
  const { type, entity, fields, dateTimes, key, semantic = [], known = [], about, readers } = stored;
  const columns = Object.entries(fields).map(([field, kind]) => {
    const column = columnOf(field, kind === 'string' && dateTimes.includes(field) ? 'date-time' : kind);
    // A text that is the whole key equals the id, which is indexed already.
    const isId = key.length === 1 && key[0] === field && column.kind === 'string';
    if (isId) return { ...column, compared: 'id', indexed: false, wordIndexed: false };
    const isLong = kind === 'array' ? semantic.includes(field) : column.wordIndexed && !column.indexed;
    return isLong && maxInline !== undefined && !key.includes(field) ? { ...column, maxInline } : column;
  });
  if (new Set(columns.map(({ code }) => code)).size < columns.length) {
    throw new Error(`Two fields of ${type}.${entity} have the same short name; rename one of them.`);
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

/** Columns of a field besides `rest`: one that stores the value, and possibly one for comparing it. */
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

// Escapes sort below every other character, so code point order is preserved.
const escapes: Readonly<Record<string, string>> = { '\u0000': '\u0001\u0002', '\u0001': '\u0001\u0003' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape.
const escapable = /[\u0000\u0001]/;

/** Separates the texts of a list; sorts before anything in a text. */
export const separator = '\u0001\u0001';

/** For text stored as an object, separates its beginning from its digest; never occurs in escaped text. */
export const referenceMark = '\u0001\u0004';

/** Escapes characters that databases cannot store: Postgres rejects NUL, and neither supports lone surrogates. */
export function escapeText(text: string): string {
  const whole = isWellFormed(text) ? text : Buffer.from(text).toString();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape.
  return escapable.test(whole) ? whole.replaceAll(/[\u0000\u0001]/g, (character) => escapes[character]!) : whole;
}

/** Reverses `escapeText`; for a reference, returns the head of its text. */
export function unescapeText(text: string): string {
  if (!text.includes('\u0001')) return text;
  const end = text.indexOf(referenceMark);
  if (end >= 0) return `${unescapeText(text.slice(0, end))}…`;
  return text.replaceAll('\u0001\u0002', '\u0000').replaceAll('\u0001\u0003', '\u0001');
}

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Applies `change` to every string in a JSON value and sorts object members. */
function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : mapTexts(item, change)));
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, item]) => [change(name) as string, mapTexts(item, change)]));
}

export type Scalar = string | number | boolean;

export const isScalar = (value: unknown): value is Scalar => value !== null && typeof value !== 'object';

/** Canonical JSON, so equal values have equal text. */
export const canonicalText = (value: unknown): string => JSON.stringify(mapTexts(value, escapeText));

/** Reverses `canonicalText`; `restore` reverses the escaping of each text. */
export function parseCanonicalText(text: string, restore: (text: string) => unknown = unescapeText): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes('\\u0001') ? mapTexts(value, restore) : value;
}

const maxDigits = 9999;

/** An integer of any size as text that sorts by code point in numeric order. */
export function integerKey(value: unknown): string | undefined {
  const whole = wholeNumber(value);
  if (whole === undefined) return undefined;
  const digits = (whole < 0n ? -whole : whole).toString();
  if (digits.length > maxDigits) return undefined;
  if (whole >= 0n) return `p${String(digits.length).padStart(4, '0')}${digits}`;
  // Of two negative numbers, the longer one is smaller.
  const complement = [...digits].map((digit) => 9 - Number(digit)).join('');
  return `n${String(maxDigits - digits.length).padStart(4, '0')}${complement}`;
}

function wholeNumber(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d{1,9999}$/.test(value) ? BigInt(value) : undefined;
}

const instantForm =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,30}))?)?(?:(Z)|([+-])(\d\d):?(\d\d))?)?$/i;
// Makes every second since the year 0 a positive twelve-digit number.
const beforeYearZero = 100_000_000_000;

/**
 * An ISO 8601 date or date-time as text that sorts in time order; UTC if it has no zone. Threads use it, which start
 * without the library and its `parseInstant`.
 */
export function instantKey(value: unknown): string | undefined {
  const parts = typeof value === 'string' ? instantForm.exec(value) : null;
  if (!parts) return undefined;
  const [, day, minute = '00:00', second = '00', fraction = '', , sign = '+', hours = '00', minutes = '00'] = parts;
  const local = `${day}T${minute}:${second}`;
  const time = Date.parse(`${local}Z`);
  // Date.parse accepts February 30 as a day in March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== local) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const ahead = (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  return `${instantKeyOf(time - ahead * 1000)}${fraction.replace(/0+$/, '')}`;
}

/** The key of a whole second, in milliseconds since 1970. */
export const instantKeyOf = (time: number): string => String(time / 1000 + beforeYearZero).padStart(12, '0');

/** The time, in milliseconds since 1970, at which the keys with these first characters start. */
export const instantAt = (prefix: string): number => (Number(prefix.padEnd(12, '0')) - beforeYearZero) * 1000;

/** A short digest of a text; collisions are not expected. */
export const digest = (text: string, length = 20): string => hash('sha256', text).slice(0, length);

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parts of a record at the given paths. */
export const partsAt = (record: StoredRecord, paths: ReadonlyArray<readonly string[]>): StoredRecord =>
  partsOf(record, wantedTree(paths));

/** The parts of a record at the given dotted paths, as in `fields`. */
export const projected = (record: StoredRecord, paths: readonly string[]): StoredRecord =>
  partsAt(
    record,
    paths.map((path) => path.split('.')),
  );

/** The requested names, each with its nested names or `whole` for the entire value. */
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

/** The requested parts; missing ones are omitted. */
export function partsOf(object: StoredRecord, wanted: Wanted): StoredRecord {
  const parts = {};
  for (const [name, below] of wanted) {
    if (!Object.hasOwn(object, name)) continue;
    const isWhole = below === 'whole' || isReference(object[name]);
    const value = isWhole ? object[name] : partIn(object[name], below);
    // Assignment would treat `__proto__` specially.
    Object.defineProperty(parts, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return parts;
}

// A reference's parts are selected after its text is loaded.
const isReference = (value: unknown): boolean => typeof value === 'string' && value.includes(referenceMark);

/** For an array, the parts of each element; elements that are not objects are unchanged. */
function partIn(value: unknown, wanted: Wanted): unknown {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'object' ? partIn(item, wanted) : item));
  return isObject(value) ? partsOf(value, wanted) : null;
}

/** Bump whenever connectors take other texts from the same records, or the same segments are split differently. */
export const passagesVersion = 3;

/** What a database remembers about an entity's table. */
export interface Shape {
  readonly key: readonly string[];
  /** Kind of each field, and whether its words are indexed. */
  readonly fields: Readonly<Record<string, readonly [kind: string, worded: boolean]>>;
  /** Version of the rules by which the table's words are found; undefined for those of release 0.1. */
  readonly words?: number;
  /** Fields split into passages, and the version of the splitting rules. */
  readonly passages?: { readonly version: number; readonly fields: readonly string[] };
  /** Shapes whose tables were replaced, oldest first. */
  readonly replaced?: readonly Columns[];
}

/** The columns of an entity's table, without how its texts are split and indexed. */
export type Columns = Pick<Shape, 'key' | 'fields'>;

/** How to adapt an entity's table to its layout. */
export type Change =
  | { readonly kind: 'none' }
  | { readonly kind: 'create' }
  /**
   * The stored format does not fit, so the records have to be synced again; `isOlder` if a table for this layout has
   * already been replaced, so another process may be using a newer one.
   */
  | { readonly kind: 'replace'; readonly isOlder: boolean }
  | { readonly kind: 'extend'; readonly columns: readonly Column[] };

/** The columns that a layout requires. */
export const columnsOf = ({ key, columns }: Layout): Columns => ({
  key: key.map(({ field }) => field),
  fields: Object.fromEntries(columns.map(({ field, kind, wordIndexed }) => [field, [kind, wordIndexed]])),
});

/** Fields that a table with these columns lacks; `records` if it does not fit. */
export const lackingIn = (layout: Layout, stored: Columns): readonly string[] | 'records' =>
  fits(layout, stored) ? newColumns(layout, stored).map(({ field }) => field) : 'records';

const newColumns = (layout: Layout, { fields }: Columns): Column[] =>
  layout.columns.filter(({ field }) => !Object.hasOwn(fields, field));

/** The shape that a layout requires. */
const shapeOf = (layout: Layout): Shape => ({
  ...columnsOf(layout),
  words: wordsVersion,
  ...(layout.semantic.length > 0 && {
    passages: { version: passagesVersion, fields: layout.semantic.map(({ field }) => field).sort() },
  }),
});

/** The change that a table of this shape needs, if any. */
export function changeOf(layout: Layout, stored: Shape | undefined): Change {
  if (!stored) return { kind: 'create' };
  if (!fits(layout, stored)) {
    return { kind: 'replace', isOlder: stored.replaced?.some((earlier) => fits(layout, earlier)) ?? false };
  }
  const columns = newColumns(layout, stored);
  return columns.length > 0 ? { kind: 'extend', columns } : { kind: 'none' };
}

function fits(layout: Layout, { key, fields }: Columns): boolean {
  if (columnsOf(layout).key.join('\n') !== key.join('\n')) return false;
  return layout.columns.every(({ field, kind, wordIndexed }) => {
    const [was, hadWords] = fields[field] ?? [kind, wordIndexed];
    return was === kind && hadWords === wordIndexed;
  });
}

/** The last stored shape that each layout was found to fit. */
const fitting = new WeakMap<Layout, string>();

/** Throws if a table no longer has the columns of a layout, because another process has replaced it. */
export function requireFit(layout: Layout, shape: string | null): void {
  if (shape !== null && fitting.get(layout) === shape) return;
  if (shape === null || changeOf(layout, JSON.parse(shape) as Shape).kind !== 'none') {
    throw new ReplacedTableError(`Another version of the connector has replaced the table of ${nameOf(layout)}.`);
  }
  fitting.set(layout, shape);
}

export const nameOf = ({ type, entity }: Layout): string => `${type}.${entity}`;

/**
 * The shape to store: fields dropped from a manifest stay in the table, and words and passages keep their current form.
 */
export const mergeShape = (layout: Layout, stored: Shape | undefined, { kind }: Change): Shape => {
  const shape = shapeOf(layout);
  if (stored && kind === 'replace') {
    const { key, fields, replaced = [] } = stored;
    return { ...shape, replaced: [...replaced, { key, fields }] };
  }
  if (kind !== 'extend' && kind !== 'none') return shape;
  const { passages: _, words: __, ...rest } = shape;
  return {
    ...rest,
    ...(stored?.words !== undefined && { words: stored.words }),
    fields: { ...stored?.fields, ...shape.fields },
    ...(stored?.passages && { passages: stored.passages }),
    ...(stored?.replaced && { replaced: stored.replaced }),
  };
};

/** The shape once all texts are split and indexed by the current rules; undefined if they already are. */
export function indexedShape(layout: Layout, stored: Shape): Shape | undefined {
  const { passages } = shapeOf(layout);
  const isSplit = JSON.stringify(passages) === JSON.stringify(stored.passages);
  if (isSplit && stored.words === wordsVersion) return undefined;
  const { passages: _, ...rest } = stored;
  return { ...rest, words: wordsVersion, ...(passages && { passages }) };
}

/** Name of the index that sorts an entity's records by a field. */
export const indexName = ({ table }: Layout, { field }: Column): string => identifier(`${table}.${field}`);
