import * as z from 'zod';
import { ConnectorError } from '../call/errors.js';

type Unshaped = Readonly<Record<string, unknown>>;

/** Where a field's value stands in the vendor's payload, when it is not under the field's own name. */
export type Sources<S> = { readonly [K in keyof S]?: (payload: any) => unknown };

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
  readonly '~type'?: T;
}

/** Type of the records that a shape describes. */
export type RecordType<S extends RecordShape> = NonNullable<S['~type']>;

/** Declares a record by its fields; absent ones become null, unlisted ones are dropped. */
export function record<S extends z.core.$ZodLooseShape>(
  fields: S,
  sources: Sources<S> = {},
): RecordShape<z.output<z.ZodObject<S>>> {
  const keys = Object.keys(fields);
  // Parsed, not built: what is put together key by key is slow to copy once it has many.
  const blank = JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null]))));
  return { schema: z.object(fields), sources, keys, blank };
}

/** Cuts a vendor's payload to the record's shape; `raw` keeps what is unlisted beside it. */
export function shapeRecord(shape: RecordShape, payload: unknown, raw: boolean): Record<string, unknown> {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new ConnectorError('invalid_response', 'The vendor sent something else where a record was expected.');
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
