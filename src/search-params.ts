import * as z from 'zod';
import { suggestion } from './nearest.js';
import { keysAt, unknownName } from './params.js';
import type { FieldTypes, Search } from './search.js';

/** Schema of the parameters of one entity's searches. */
export type SearchParameters = z.core.$ZodType;

type FieldType = keyof FieldTypes | 'any';

/** Type of each searchable field, by name. */
function fieldTypes({ fields }: Search): Map<string, keyof FieldTypes> {
  return new Map(
    Object.entries(fields).flatMap(([type, names]) =>
      (names ?? []).map((name): [string, keyof FieldTypes] => [name, type as keyof FieldTypes]),
    ),
  );
}

const scalar: Readonly<Record<FieldType, z.core.$ZodType>> = {
  string: z.string(),
  number: z.number(),
  // A digit string is an integer too large for a double.
  integer: z.union([z.int(), z.string().regex(/^-?\d+$/)]),
  boolean: z.boolean(),
  object: z.record(z.string(), z.unknown()),
  array: z.array(z.unknown()),
  any: z.unknown(),
};

// Not a record schema: that would leave out the key __proto__, and with it a condition of a filter.
const anyObject = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'must be an object', abort: true },
);
const text = z.string().min(1);
const comparable = z.union([z.string(), z.number()]);
const list: z.core.$ZodType = z.array(z.unknown()).min(1);

type Operand = (type: FieldType) => z.core.$ZodType;

const fits: Operand = (type) => (type === 'any' ? scalar.any : z.union([scalar[type], z.null()]));
const ordered: Operand = (type) =>
  type === 'any' || type === 'object' || type === 'array' ? comparable : scalar[type];

const operands: Readonly<Record<string, Operand>> = {
  eq: fits,
  neq: fits,
  gt: ordered,
  gte: ordered,
  lt: ordered,
  lte: ordered,
  in: (type) => z.array(fits(type)).min(1),
  like: () => text,
  fuzzy: () => text,
  keyword: () => text,
  contains: () => scalar.any,
  any: () => list,
};

/** Builds the parameters of an entity's searches from its searchable fields. */
export function searchParameters(search: Search): SearchParameters {
  const types = fieldTypes(search);
  const names = [...types.keys()];
  // Inside an object or array the contract knows no types.
  const typeAt = (path: string): FieldType | undefined => {
    const direct = types.get(path);
    if (direct) return direct;
    const head = types.get(path.split('.')[0]!);
    return path.includes('.') && (head === 'object' || head === 'array') ? 'any' : undefined;
  };
  const unsearchable = (path: string) => `is not a searchable field. ${suggestion(path, names, 'fields')}`.slice(0, -1);
  const fieldPath = z.string().refine((path) => typeAt(path) !== undefined, {
    error: ({ input }) => unsearchable(String(input)),
  });
  const conditions = (operand: Operand) =>
    anyObject.superRefine((fields, context) => {
      if (Object.keys(fields).length === 0) context.addIssue({ code: 'custom', message: 'names no field' });
      for (const [path, value] of Object.entries(fields)) {
        const type = typeAt(path);
        if (type === undefined) {
          const message = unsearchable(path);
          context.addIssue({ code: 'custom', path: [path], message });
          continue;
        }
        const checked = z.safeParse(operand(type), value);
        if (!checked.success) {
          const wants = type === 'any' ? 'a value that this operator takes' : `a value for a field of type ${type}`;
          context.addIssue({ code: 'custom', path: [path], message: `needs ${wants}` });
        }
      }
    });

  const filter: z.core.$ZodType = z.lazy(() =>
    z
      .strictObject({
        ...Object.fromEntries(
          Object.entries(operands).map(([name, operand]) => [name, conditions(operand).optional()]),
        ),
        not: z.optional(filter),
        and: z.array(filter).min(1).optional(),
        or: z.array(filter).min(1).optional(),
      })
      .refine((value) => Object.keys(value).length > 0, 'is empty; leave it out to match every record'),
  );
  const direction = z.enum(['asc', 'desc']);
  const sort = z.array(
    anyObject.superRefine((entry, context) => {
      const entries = Object.entries(entry);
      if (entries.length !== 1) context.addIssue({ code: 'custom', message: 'must name one field' });
      for (const [path, value] of entries) {
        if (typeAt(path) === undefined) {
          context.addIssue({ code: 'custom', path: [path], message: unsearchable(path) });
        } else if (!z.safeParse(direction, value).success) {
          context.addIssue({ code: 'invalid_value', path: [path], values: direction.options, input: value });
        }
      }
    }),
  );
  const fields = z.array(fieldPath).min(1).optional();
  const byQuery = z.strictObject({
    query: z.strictObject({ filter: z.optional(filter), sort: sort.optional() }),
    fields,
    limit: z.int().min(1).max(10_000).optional(),
    cursor: z.string().min(1).optional(),
  });
  const semantic = Object.keys(search.semantic ?? {});
  if (semantic.length === 0) return byQuery;

  const field = z.enum(semantic);
  const byMeaning = z.strictObject({
    semantic: z.strictObject({
      field: semantic.length === 1 ? field.optional() : field,
      prompt: text,
      filter: z.optional(filter),
      context_size: z.int().min(1).max(2048).optional(),
      dedup: z.enum(['max', 'none']).optional(),
      mode: z.enum(['dense', 'lexical', 'hybrid']).optional(),
    }),
    fields,
    limit: z.int().min(1).max(100).optional(),
  });
  return either(byQuery, byMeaning);
}

/** `query` or `semantic`, reported as whichever was meant rather than as a failed union of both. */
function either(byQuery: z.core.$ZodType, byMeaning: z.core.$ZodType): SearchParameters {
  return anyObject.superRefine((params, context) => {
    if ('query' in params && 'semantic' in params) {
      context.addIssue({ code: 'custom', message: 'query and semantic exclude each other; pass one of them' });
      return;
    }
    const schema = 'semantic' in params ? byMeaning : byQuery;
    for (const issue of z.safeParse(schema, params).error?.issues ?? []) {
      if (issue.code !== 'unrecognized_keys') context.issues.push(issue as z.core.$ZodRawIssue);
      else {
        // Only here is it known which of the two was meant, and so which names are valid.
        const valid = keysAt(schema, issue.path.map(String));
        for (const key of issue.keys) {
          context.addIssue({ code: 'custom', path: [...issue.path, key], message: unknownName(key, valid) });
        }
      }
    }
  });
}
