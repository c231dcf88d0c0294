import * as z from 'zod';
import { ConnectorError } from '../call/errors.js';

type Unshaped = Readonly<Record<string, unknown>>;

/** Where a field's value stands in the vendor's payload, when it is not under the field's own name. */
export type Sources<S> = { readonly [K in keyof S]?: (payload: any) => unknown };

/** Where the parts of a transcript stand in a record. */
export interface TranscriptLayout {
  /** The field whose items are the turns of speakers. */
  readonly turns: string;
  /** Dotted paths in a turn to who spoke: the first that has a value counts. */
  readonly speaker: readonly string[];
  /** The field of a turn whose items are its sentences, where it has any. */
  readonly sentences?: string | undefined;
  /** The field with what was said. */
  readonly text: string;
  /** The field with its time: milliseconds from the start, or ISO 8601. */
  readonly start: string;
  /** The field of a turn that says what it is about, where there is one. */
  readonly topic?: string | undefined;
  /** Where the names of speakers come from whose ids alone are here, and what that costs. */
  readonly names?: string | undefined;
}

/** How a record reads as text. */
export interface RecordLayout {
  /** Present where the record has a transcript. */
  readonly transcript?: TranscriptLayout | undefined;
  /** Fields that list values by position as `{ value }`, each with the field of `meta` that names their columns. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
}

/** How people read a record: paths are dotted, through objects and arrays. */
export interface RecordView {
  /** What they read first of each record in a list: identifier, title, state, people, dates, address. All when left out. */
  readonly concise?: readonly string[] | undefined;
  /** What they read besides where they asked for one record, such as its text. */
  readonly more?: readonly string[] | undefined;
  /** What is neither a table nor a list of fields. */
  readonly layout?: RecordLayout | undefined;
}

/** The shape of one record: what a caller sees, and how it comes out of the vendor's payload. */
export interface RecordShape<T = any> {
  /** Schema of the record. */
  readonly schema: z.core.$ZodObject;
  /** Where values stand that are not under their own name. */
  readonly sources: Readonly<Record<string, ((payload: any) => unknown) | undefined>>;
  /** Names of its fields. */
  readonly keys: readonly string[];
  /** The record with every field null. */
  readonly blank: Readonly<Record<string, null>>;
  /** How people read it. */
  readonly view: RecordView;
  readonly '~type'?: T;
}

/** Type of the records that a shape describes. */
export type RecordType<S extends RecordShape> = NonNullable<S['~type']>;

/** Declares a record by its fields; absent ones become null, unlisted ones are dropped. */
export function record<S extends z.core.$ZodLooseShape>(
  fields: S,
  sources: Sources<S> = {},
  view: RecordView = {},
): RecordShape<z.output<z.ZodObject<S>>> {
  const keys = Object.keys(fields);
  // Parsed, not built: what is put together key by key is slow to copy once it has many.
  const blank = JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null]))));
  return { schema: z.object(fields), sources, keys, blank, view };
}

/** Cuts a vendor's payload to the record's shape; `raw` keeps what is unlisted beside it. */
export function shapeRecord(shape: RecordShape, payload: unknown, raw: boolean): Record<string, unknown> {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new ConnectorError('invalid_response', "The vendor's response is not a record.");
  }
  const source = payload as Unshaped;
  const shaped: Record<string, unknown> = { ...shape.blank, ...source };
  for (const [key, read] of Object.entries(shape.sources)) shaped[key] = read?.(source) ?? source[key] ?? null;
  return raw ? shaped : dropUnlisted(shape, shaped);
}

/** Drops what the record does not list; most payloads hold nothing else, since just these fields were asked for. */
function dropUnlisted({ keys }: RecordShape, shaped: Record<string, unknown>): Record<string, unknown> {
  let count = 0;
  for (const _ in shaped) count++;
  return count === keys.length ? shaped : Object.fromEntries(keys.map((key) => [key, shaped[key]]));
}
