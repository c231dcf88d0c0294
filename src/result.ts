import * as z from 'zod';
import { ConnectorError } from './errors.js';
import { type RecordShape, shapeRecord } from './record.js';

/** What every action resolves to. */
export interface Result<Data = unknown, Meta = unknown> {
  readonly data: Data;
  readonly meta: Meta;
}

/** Meta of an action that has none. */
export type NoMeta = Record<never, never>;

/** The result that an action promises: schemas for people and tests, a type for the compiler, and the way there. */
export interface Returns<Data = any, Meta = any> {
  /** `record` one record, `records` a list of them, `saved` what a write left behind. */
  readonly kind: 'record' | 'records' | 'saved';
  /** True where `data` is a stream of bytes. */
  readonly binary?: boolean | undefined;
  readonly record: RecordShape;
  /** Schema of `data`; for a list, of one of its elements. */
  readonly data: z.core.$ZodType;
  readonly meta: z.core.$ZodType | undefined;
  readonly shape: (data: any, raw: boolean) => unknown;
  readonly '~result'?: Result<Data, Meta>;
}

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
      throw new ConnectorError('invalid_response', 'The vendor sent something else where a list was expected.');
    }
    return data.map((payload) => shapeRecord(record, payload, raw));
  },
});

/** What a write left behind: `{ success, <key>: record }`. */
export const saved = <const K extends string, T>(
  key: K,
  record: RecordShape<T>,
): Returns<{ success: boolean } & { [P in K]: T }, NoMeta> => ({
  kind: 'saved',
  record,
  data: z.object({ success: z.boolean(), [key]: record.schema }),
  meta: undefined,
  shape: (data, raw) => ({ success: true, [key]: shapeRecord(record, data, raw) }),
});
