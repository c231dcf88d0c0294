import * as z from 'zod';
import { ConnectorError } from '../errors/connector-error.js';

type Unshaped = Readonly<Record<string, unknown>>;

/** Where to find a field's value in the vendor's payload, if it is not under the field's own name. */
export type Sources<S> = { readonly [K in keyof S]?: (payload: any) => unknown };

/** Where a record contains the parts of a transcript. */
export interface TranscriptLayout {
  /** The field whose items are speaker turns. */
  readonly turns: string;
  /** Dotted paths from a turn to its speaker; the first one with a value is used. */
  readonly speaker: readonly string[];
  /** The field of a turn whose items are its sentences, if any. */
  readonly sentences?: string | undefined;
  /** The field with the text. */
  readonly text: string;
  /** The field with its start time: milliseconds from the beginning, or ISO 8601. */
  readonly start: string;
  /** The field of a turn with its topic, if any. */
  readonly topic?: string | undefined;
  /** Where to look up speaker names if only their ids are present, and what it costs. */
  readonly names?: string | undefined;
}

/** How a record is shown as text. */
export interface RecordLayout {
  /** Set if the record contains a transcript. */
  readonly transcript?: TranscriptLayout | undefined;
  /** Fields that contain positional values as `{ value }`, each with the `meta` field that names their columns. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
}

/** How a record is shown to people. Dotted paths can pass through objects and arrays. */
export interface RecordView {
  /** The main fields of each record in a list: identifier, title, state, people, dates, URL. All by default. */
  readonly concise?: readonly string[] | undefined;
  /** Additional main fields of a single record, such as its text. */
  readonly more?: readonly string[] | undefined;
  /** Content that is neither a table nor a list of fields. */
  readonly layout?: RecordLayout | undefined;
}

/** The shape of a record: its schema, and how to extract it from the vendor's payload. */
export interface RecordShape<T = any> {
  /** Schema of the record. */
  readonly schema: z.core.$ZodObject;
  /** Extractors for values that are not under the field's own name. */
  readonly sources: Readonly<Record<string, ((payload: any) => unknown) | undefined>>;
  /** Names of its fields. */
  readonly keys: readonly string[];
  /** A record in which every field is null. */
  readonly blank: Readonly<Record<string, null>>;
  /** How records of this shape are shown to people. */
  readonly view: RecordView;
  readonly '~type'?: T;
}

/** Type of a shape's records. */
export type RecordType<S extends RecordShape> = NonNullable<S['~type']>;

/** Declares a record by its fields; missing ones become null, unlisted ones are dropped. */
export function record<S extends z.core.$ZodLooseShape>(
  fields: S,
  sources: Sources<S> = {},
  view: RecordView = {},
): RecordShape<z.output<z.ZodObject<S>>> {
  const keys = Object.keys(fields);
  // Parsed rather than built: an object assembled key by key is slow to copy once it has many keys.
  const blank = JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null]))));
  return { schema: z.object(fields), sources, keys, blank, view };
}

/** Reduces a vendor's payload to the record's shape; `raw` also keeps unlisted fields. */
export function shapeRecord(shape: RecordShape, payload: unknown, raw: boolean): Record<string, unknown> {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new ConnectorError('invalid_response', "The vendor's response is not a record.");
  }
  const source = payload as Unshaped;
  const shaped: Record<string, unknown> = { ...shape.blank, ...source };
  for (const [key, read] of Object.entries(shape.sources)) shaped[key] = read?.(source) ?? source[key] ?? null;
  return raw ? shaped : dropUnlisted(shape, shaped);
}

/** Drops unlisted fields; most payloads have none, since only these fields were requested. */
function dropUnlisted({ keys }: RecordShape, shaped: Record<string, unknown>): Record<string, unknown> {
  let count = 0;
  for (const _ in shaped) count++;
  return count === keys.length ? shaped : Object.fromEntries(keys.map((key) => [key, shaped[key]]));
}
