import * as z from 'zod';
import { type RecordShape, shapeRecord } from '../manifest/record.js';
import { ConnectorError } from './errors.js';

/** What every action resolves to. */
export interface Result<Data = unknown, Meta = unknown> {
  /** Records, one record, what a write left behind, or a stream of bytes. */
  readonly data: Data;
  /** What is known beside it, such as where the next page begins. */
  readonly meta: Meta;
}

/** Meta of an action that has none. */
export type NoMeta = Record<never, never>;

/** The result that an action promises: schemas for people and tests, a type for the compiler, and the way there. */
export interface Returns<Data = any, Meta = any> {
  /** `record` one record, `records` a list, `saved` what a write left behind, `done` that it was done, `bytes` content. */
  readonly kind: 'record' | 'records' | 'saved' | 'done' | 'bytes';
  /** True where `data` is a stream of bytes. */
  readonly binary?: boolean | undefined;
  /** Shape of the records. */
  readonly record?: RecordShape | undefined;
  /** Where the record stands in what a write left behind. */
  readonly key?: string | undefined;
  /** Schema of `data`; for a list, of one of its elements; none for bytes. */
  readonly data?: z.core.$ZodType | undefined;
  /** Schema of `meta`; none where there is none. */
  readonly meta: z.core.$ZodType | undefined;
  /** Makes `data` of what `read` gave. */
  readonly shape: (data: any, raw: boolean) => unknown;
  readonly '~result'?: Result<Data, Meta>;
}

/** `meta.notes`, for the `meta` schema of an action whose `read` gives notes. */
export const notes = z
  .array(z.string())
  .optional()
  .describe("What the connector's defaults left out or changed, one sentence each; absent if nothing.")
  .meta({ extension: true });

/** What is known of a download before its first byte is read. */
export const DownloadMeta = z.object({
  /** MIME type, where the vendor tells. */
  content_type: z.string().nullable(),
  content_length: z.number().nullable().describe('Content length in bytes, if the vendor reports it.'),
  content_range: z
    .string()
    .nullable()
    .describe('The range returned, such as bytes 0-99/1234; null for the whole content.'),
  /** Name of the file, where the vendor tells. */
  file_name: z.string().nullable(),
  notice: z.string().nullable().describe('A notice if a range was requested but the whole content was returned.'),
  notes,
});

/** Meta of a download. */
export type DownloadMeta = z.output<typeof DownloadMeta>;

/** One record. */
export const one = <T>(record: RecordShape<T>): Returns<T, NoMeta> => ({
  kind: 'record',
  record,
  data: record.schema,
  meta: undefined,
  shape: (data, raw) => shapeRecord(record, data, raw),
});

/** A list of records, with what is needed to ask for more. */
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

/** What a write left behind: `{ success, <key>: record }`. */
export const saved = <const K extends string, T>(
  key: K,
  record: RecordShape<T>,
): Returns<
  {
    /** Whether the vendor did it. */
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

/** That it was done, and nothing else. */
export const done: Returns<
  {
    /** Whether the vendor did it. */
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
