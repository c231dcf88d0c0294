import * as z from 'zod';
import { ConnectorError } from '../errors/connector-error.js';
import { type RecordShape, shapeRecord } from './record.js';

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
  shape: (data, raw) => shapeRecord(record, data, raw),
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
  shape: (data, raw) => ({ success: true, [key]: shapeRecord(record, data, raw) }),
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
