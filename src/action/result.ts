import * as z from 'zod';
import { ConnectorError } from '../errors/connector-error.js';

type Unshaped = Readonly<Record<string, unknown>>;

/** Where to find a field's value in the vendor's payload, if not under the field's own name: a dotted path or a function. */
export type Sources<S> = { readonly [K in keyof S]?: Source };

type Source = string | ((payload: any) => unknown);

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
  readonly sources: ReadonlyArray<readonly [field: string, read: (payload: any) => unknown]>;
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
  const readers = Object.entries(sources as Readonly<Record<string, Source>>).map(
    ([key, source]) => [key, typeof source === 'string' ? readerOf(source) : source] as const,
  );
  return { schema: z.object(fields), sources: readers, keys, blank, view };
}

function readerOf(path: string): (payload: any) => unknown {
  const names = path.split('.');
  return (payload) => names.reduce((value, name) => value?.[name], payload);
}

/** Reduces a vendor's payload to the record's shape; `raw` also keeps unlisted fields. */
function shapeRecord(shape: RecordShape, payload: unknown, raw: boolean): Record<string, unknown> {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new ConnectorError('invalid_response', "The vendor's response is not a record.");
  }
  const source = payload as Unshaped;
  const shaped: Record<string, unknown> = { ...shape.blank, ...source };
  for (const [key, read] of shape.sources) shaped[key] = read(source) ?? source[key] ?? null;
  return raw ? shaped : dropUnlisted(shape, shaped);
}

/** Shapes the only record of a response. One without a value in any field is not a record, whatever the status. */
function shapeOnly(shape: RecordShape, payload: unknown, raw: boolean): Record<string, unknown> {
  const shaped = shapeRecord(shape, payload, raw);
  if (shape.keys.every((key) => shaped[key] === null || shaped[key] === undefined)) {
    throw new ConnectorError('invalid_response', "The vendor's response has none of the record's fields.");
  }
  return shaped;
}

/** Drops unlisted fields; most payloads have none, since only these fields were requested. */
function dropUnlisted({ keys }: RecordShape, shaped: Record<string, unknown>): Record<string, unknown> {
  let count = 0;
  for (const _ in shaped) count++;
  return count === keys.length ? shaped : Object.fromEntries(keys.map((key) => [key, shaped[key]]));
}

/** What every action resolves to. */
export interface Result<Data = unknown, Meta = unknown> {
  /** Records, one record, the outcome of a write, or a byte stream. */
  readonly data: Data;
  /** Metadata, such as where the next page starts. */
  readonly meta: Meta;
}

/** Metadata of an action that returns none. */
export type NoMeta = Record<never, never>;

/** An action's result: schemas for readers and tests, a type for the compiler, and its conversion. */
export interface Returns<Data = any, Meta = any> {
  /** `record`: one record; `records`: a list; `saved`: a written record; `done`: only success; `bytes`: content. */
  readonly kind: 'record' | 'records' | 'saved' | 'done' | 'bytes';
  /** True if `data` is a byte stream. */
  readonly binary?: boolean | undefined;
  /** Shape of the records. */
  readonly record?: RecordShape | undefined;
  /** Key of the record in the outcome of a write. */
  readonly key?: string | undefined;
  /** Schema of `data`, or of one element if it is a list; undefined for bytes. */
  readonly data?: z.core.$ZodType | undefined;
  /** Schema of `meta`, if any. */
  readonly meta: z.core.$ZodType | undefined;
  /** Converts the output of `read` to `data`. */
  readonly shape: (data: any, raw: boolean) => unknown;
  readonly '~result'?: Result<Data, Meta>;
}

/** Schema of `meta.notes`, for the `meta` schema of an action whose `read` returns notes. */
export const notes = z
  .array(z.string())
  .optional()
  .describe("What the connector's defaults omitted or changed, if anything.")
  .meta({ extension: true });

/** Metadata of a download, available before its first byte. */
export const DownloadMeta = z.object({
  /** MIME type, if the vendor reports it. */
  content_type: z.string().nullable(),
  content_length: z.number().nullable().describe('Content length in bytes, if the vendor reports it.'),
  content_range: z
    .string()
    .nullable()
    .describe('The range returned, such as bytes 0-99/1234; null for the whole content.'),
  /** File name, if the vendor reports it. */
  file_name: z.string().nullable(),
  notice: z.string().nullable().describe('A notice if a range was requested but the whole content was returned.'),
  notes,
});

/** Download metadata. */
export type DownloadMeta = z.output<typeof DownloadMeta>;

/** One record. */
export const one = <T>(record: RecordShape<T>): Returns<T, NoMeta> => ({
  kind: 'record',
  record,
  data: record.schema,
  meta: undefined,
  shape: (data, raw) => shapeOnly(record, data, raw),
});

/** A list of records and how to get more. */
export const many = <T, M extends z.core.$ZodType>(record: RecordShape<T>, meta: M): Returns<T[], z.output<M>> => ({
  kind: 'records',
  record,
  data: record.schema,
  meta,
  shape: (data, raw) => {
    if (!Array.isArray(data)) {
      throw new ConnectorError('invalid_response', "The vendor's response is not a list.");
    }
    return data.map((payload) => shapeRecord(record, payload, raw));
  },
});

/** The outcome of a write: `{ success, <key>: record }`. */
export const saved = <const K extends string, T>(
  key: K,
  record: RecordShape<T>,
): Returns<
  {
    /** Whether the vendor executed it. */
    success: boolean;
  } & { [P in K]: T },
  NoMeta
> => ({
  kind: 'saved',
  record,
  key,
  data: z.object({ success: z.boolean(), [key]: record.schema }),
  meta: undefined,
  shape: (data, raw) => ({ success: true, [key]: shapeOnly(record, data, raw) }),
});

/** The outcome of a write that returns no record. */
export const done: Returns<
  {
    /** Whether the vendor executed it. */
    success: boolean;
  },
  NoMeta
> = {
  kind: 'done',
  data: z.object({ success: z.boolean() }),
  meta: undefined,
  shape: () => ({ success: true }),
};

/** The content of a file. */
export interface ByteStream extends ReadableStream<Uint8Array> {}

/** The content of a file, as a stream. */
export const bytes: Returns<ByteStream, DownloadMeta> = {
  kind: 'bytes',
  binary: true,
  meta: DownloadMeta,
  shape: (stream) => stream,
};
