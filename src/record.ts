import * as z from 'zod';
import { ConnectorError } from './errors.js';

type Unshaped = Readonly<Record<string, unknown>>;

/** Where a field's value stands in the vendor's payload, when it is not under the field's own name. */
export type Sources<S> = { readonly [K in keyof S]?: (payload: any) => unknown };

const none: Readonly<Record<string, never>> = {};

/** The shape of one record: what a caller sees, and how it comes out of the vendor's payload. */
export interface RecordShape<T = any> {
  readonly schema: z.core.$ZodObject;
  readonly sources: Readonly<Record<string, ((payload: any) => unknown) | undefined>>;
  readonly keys: readonly string[];
  readonly '~type'?: T;
}

/** Type of the records that a shape describes. */
export type RecordType<S extends RecordShape> = NonNullable<S['~type']>;

/** Declares a record by its fields; absent ones become null, unlisted ones are dropped. */
export function record<S extends z.core.$ZodLooseShape>(
  fields: S,
  sources: Sources<S> = none,
): RecordShape<z.output<z.ZodObject<S>>> {
  return { schema: z.object(fields), sources, keys: Object.keys(fields) };
}

/** Cuts a vendor's payload to the record's shape; `raw` keeps what is unlisted beside it. */
export function shapeRecord(shape: RecordShape, payload: unknown, raw: boolean): Record<string, unknown> {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new ConnectorError('invalid_response', 'The vendor sent something else where a record was expected.');
  }
  const source = payload as Unshaped;
  if (fits(shape, source)) return source as Record<string, unknown>;
  const shaped: Record<string, unknown> = raw ? { ...source } : {};
  for (const key of shape.keys) shaped[key] = shape.sources[key]?.(source) ?? source[key] ?? null;
  return shaped;
}

/** Whether the payload is the record already, as it is wherever the vendor is asked for just these fields. */
function fits({ keys, sources }: RecordShape, source: Unshaped): boolean {
  if (sources !== none) return false;
  for (const key of keys) if (source[key] === undefined) return false;
  let count = 0;
  for (const _ in source) count++;
  return count === keys.length;
}
