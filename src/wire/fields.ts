import * as z from 'zod';

/** A type whose objects and arrays are read-only; `string & {}` is not an object, and `object` has no known fields. */
type Immutable<T> = T extends string
  ? T
  : T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Immutable<Item>>
    : T extends object
      ? [keyof T] extends [never]
        ? T
        : { readonly [Key in keyof T]: Immutable<T[Key]> }
      : T;

/** What a client sends for a schema. */
export type RequestOf<S extends z.core.$ZodType> = Immutable<z.input<S>>;

/** What the service returns for a schema. */
export type ResponseOf<S extends z.core.$ZodType> = Immutable<z.output<S>>;

/** Whether text is well-formed and has no control characters: SQLite truncates parameters at NUL. */
export const isPlainText = (text: string): boolean => !/[\p{Cc}\p{Cs}]/u.test(text);

const plainTextMessage = 'must not contain control characters';

/** Schema of an id, secret or name used for lookups. */
export const identifier = (maxLength: number, minLength = 1) =>
  z.string().min(minLength).max(maxLength).refine(isPlainText, plainTextMessage);

/** Schema of a name entered by a user. */
export const label = z.string().trim().min(1).max(200).refine(isPlainText, plainTextMessage);

const hasDirectionMark = (text: string): boolean => /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text);

/** Schema of a new name; bidirectional control characters are rejected because users base decisions on names. */
export const newLabel = label.refine((text) => !hasDirectionMark(text), 'must not contain text-direction marks');

/** Schema of a new name that is part of a path; URL parsers resolve `.` and `..` even if they are percent-encoded. */
export const newPathLabel = newLabel.refine((text) => text !== '.' && text !== '..', 'must not be . or ..');

/** Schema of an instant. */
export const instant = z.iso.datetime();

/** A schema with a type that is cheap for the compiler, which would otherwise compare all members of both. */
export const typed = <Output, Input>(schema: unknown) => schema as z.ZodType<Output, Input>;

// Not a record schema, because that would drop the `__proto__` key and copy what the library validates anyway.
/** Schema of an object that is validated elsewhere. */
export const anyObject = typed<Record<string, unknown>, object>(
  z
    .custom((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object')
    .meta({ type: 'object' }),
);

/** A record with one value type and a limited number of fields, so that validating all of them is fast. */
const fewFields = <Output, Input>(fields: z.core.$ZodType, type: string) =>
  typed<Output, Input>(
    z.pipe(
      z
        .custom<any>(
          (value) => typeof value !== 'object' || value === null || Object.keys(value).length <= 100,
          'must have at most 100 fields',
        )
        .meta({ type: 'object', additionalProperties: { type } }),
      fields,
    ),
  );

/** Schema of credentials. */
export const credentials = fewFields<Record<string, string>, object>(
  z.record(z.string(), z.string()),
  'string',
).describe('The fields of exactly one of the connector type’s credential modes.');

/** Schema of what to replicate. */
export const replicationConfig = anyObject.describe(
  'Replication settings: interval, entities, and fields specific to the connector type.',
);

/** Schema of connector-specific settings. */
export const settings = fewFields<Record<string, boolean>, Record<string, boolean>>(
  // Names are checked against the connector type first, then values.
  z.record(z.string(), z.custom<boolean>()),
  'boolean',
).describe('Settings for the connector type, such as includePrivate.');

/** Query parameters of a paginated list. */
export const PageQuery = z.strictObject({
  limit: z.coerce.number<number>().int().min(1).max(500).optional().describe('1 to 500 (default 100).'),
  cursor: identifier(1000).optional().describe('The value of next from the previous page.'),
});

/** A whole list. */
export interface List<Item> {
  /** Items. */
  data: Item[];
}

/** A page of a list. */
export interface Page<Item> extends List<Item> {
  /** Cursor of the next page; null at the end. */
  next: string | null;
}

/** Schema of a whole list. */
export const list = <Item extends z.core.$ZodType>(item: Item) => z.object({ data: z.array(item) });

/** Schema of a page of a list. */
export const page = <Item extends z.core.$ZodType>(item: Item) =>
  z.object({ data: z.array(item), next: z.string().nullable() });

/** A deleted object. */
export const DeletedResponse = z.object({ id: z.string(), deleted: z.literal(true) });
