import * as z from 'zod';
import { type IssueWithHint, isObject, keysAt, misplacedMessage } from '../action/params.js';
import { type Searchable, unsearchable } from './fields.js';
import { checkFilter, isOperator } from './filter.js';
import { isSummary, summaryParameters } from './summary.js';
import type { FieldTypes, Search } from './types.js';

/** Schema of the parameters of one entity's searches. */
export type SearchParameters = z.core.$ZodType;

/** Type of each searchable field, by name. */
function fieldTypes({ fields }: Search): Map<string, keyof FieldTypes> {
  return new Map(
    Object.entries(fields).flatMap(([type, names]) =>
      (names ?? []).map((name): [string, keyof FieldTypes] => [name, type as keyof FieldTypes]),
    ),
  );
}

/** Fields that identify a record to people. */
const usualNames = ['name', 'title', 'displayName', 'email', 'id'];

// Not a record schema, which would drop a __proto__ key and with it a filter condition.
const anyObject = z.custom<Record<string, unknown>>(isObject, { error: 'must be an object', abort: true });
const sortForm = '{"<field>": "asc" or "desc"}';
const direction = z.enum(['asc', 'desc']);

/** One more than an error lists, so it can say that there are more. */
const maxIssues = 51;

/** Creates one of the connector's own issues. */
const issue = (path: readonly string[], message: string, hint?: IssueWithHint['hint']) => ({
  code: 'custom' as const,
  path: [...path],
  message,
  ...(hint && { params: { hint } }),
});

/** The searchable fields, with descriptions from the schema of the entity's records. */
function searchableFields(search: Search, record: z.core.$ZodType): Searchable {
  const types = fieldTypes(search);
  const typeAt: Searchable['typeAt'] = (path) => {
    const direct = types.get(path);
    if (direct) return direct;
    const head = path.includes('.') ? types.get(path.slice(0, path.indexOf('.'))) : undefined;
    if (head === 'array') return 'element';
    return head === 'object' ? 'any' : undefined;
  };
  const { title = [], words = [] } = search.about ?? {};
  const plain = keysAt(record, []).filter((name) => types.has(name));
  return {
    names: [...new Set([...plain, ...types.keys()])],
    typeAt,
    innerPath: (field) => {
      const known = keysAt(record, [field]);
      const name = usualNames.find((one) => known.includes(one));
      if (name !== undefined) return `${field}.${name}`;
      return [...title, ...words].find((path) => path.slice(0, path.lastIndexOf('.')) === field);
    },
  };
}

/** Builds an entity's search parameters from its searchable fields and its record schema. */
export function searchParameters(search: Search, record: z.core.$ZodType = z.unknown()): SearchParameters {
  const searchable = searchableFields(search, record);
  const { typeAt } = searchable;
  const fieldPath = z.string().superRefine((path, context) => {
    if (typeAt(path) === undefined) context.addIssue(issue([], ...unsearchable(path, searchable)));
  });
  const filter = z
    .unknown()
    .superRefine((value, context) => {
      let issueCount = 0;
      checkFilter(value, searchable, {
        get full() {
          return issueCount === maxIssues;
        },
        add: (...fault) => {
          issueCount++;
          context.addIssue(issue(...fault));
        },
      });
    })
    .optional();
  const sort = z.array(
    z.unknown().superRefine((entry, context) => {
      const entries = isObject(entry) ? Object.entries(entry) : [];
      if (entries.length !== 1) context.addIssue(issue([], `must have one field: ${sortForm}`));
      else {
        const [path, given] = entries[0]!;
        const type = typeAt(path);
        if (type === undefined) context.addIssue(issue([path], ...unsearchable(path, searchable)));
        else if (type === 'element') context.addIssue(issue([path], 'is inside an array and cannot be sorted by'));
        else if (!z.safeParse(direction, given).success) {
          context.addIssue({ code: 'invalid_value', path: [path], values: direction.options, input: given });
        }
      }
    }),
    { error: `must be an array of ${sortForm}` },
  );
  const fields = z.array(fieldPath).min(1).optional();
  const byQuery = z.strictObject({
    query: z.strictObject({ filter, sort: sort.optional(), count: z.literal(false).optional() }),
    fields,
    limit: z.int().min(1).max(10_000).optional(),
    cursor: z.string().min(1).optional(),
  });
  const semantic = Object.keys(search.semantic ?? {});
  const summary = (query: Readonly<Record<string, unknown>>) => summaryParameters(query, searchable, filter);
  if (semantic.length === 0) return oneOf({ query: byQuery, summary }, searchable);

  const field = z.enum(semantic);
  const byMeaning = z.strictObject({
    semantic: z.strictObject({
      field: semantic.length === 1 ? field.optional() : field,
      prompt: z.string().min(1),
      filter,
      context_size: z.int().min(1).max(2048).optional(),
      dedup: z.enum(['max', 'none']).optional(),
      mode: z.enum(['dense', 'lexical', 'hybrid']).optional(),
    }),
    fields,
    limit: z.int().min(1).max(100).optional(),
  });
  return oneOf({ query: byQuery, summary, semantic: byMeaning }, searchable);
}

/** How each kind of search starts. */
const searchForms = {
  query: '{} for every record, or conditions such as {"filter": {"eq": {"<field>": "text"}}}',
  semantic: '{"prompt": "what to look for"}',
};

/** `query` or `semantic`, with errors for the intended one instead of a failed union. */
function oneOf(
  schemas: {
    readonly query: z.core.$ZodType;
    readonly semantic?: z.core.$ZodType;
    /** Schema for groups of records. */
    readonly summary: (query: Readonly<Record<string, unknown>>) => z.core.$ZodType;
  },
  { typeAt }: Searchable,
): SearchParameters {
  return anyObject.superRefine((params, context) => {
    if ('query' in params && 'semantic' in params && schemas.semantic) {
      context.addIssue(issue([], 'query and semantic are mutually exclusive; pass one'));
      return;
    }
    const other = 'semantic' in params || (!('query' in params) && 'prompt' in params);
    const kind = other && schemas.semantic ? 'semantic' : 'query';
    const { query } = params;
    const grouped = kind === 'query' && isObject(query) && isSummary(query);
    const schema = grouped ? schemas.summary(query) : schemas[kind]!;
    if (!isObject(params[kind])) {
      const also = kind === 'query' && schemas.semantic;
      context.addIssue(
        issue(
          [kind],
          `${params[kind] === undefined ? 'is required' : 'must be an object'}: ${searchForms[kind]}` +
            (also ? `; for semantic search pass semantic instead: ${searchForms.semantic}` : ''),
        ),
      );
    }
    for (const found of z.safeParse(schema, params).error?.issues ?? []) {
      const path = found.path.map(String);
      if (path.length === 1 && path[0] === kind && found.code === 'invalid_type') continue;
      if (found.code !== 'unrecognized_keys') context.issues.push(found as z.core.$ZodRawIssue);
      else {
        // The intended kind of search, and therefore the valid names, are known only here.
        for (const key of found.keys.slice(0, maxIssues))
          context.addIssue(issue([...path, key], explainUnknownKey(key, path)));
      }
    }

    function explainUnknownKey(key: string, path: string[]): string {
      if (grouped && (key === 'fields' || key === 'cursor'))
        return 'cannot be combined with count, groupBy or aggregates';
      if (key === 'semantic' && schemas.semantic) return 'replaces query';
      if (key === 'semantic') return 'is not supported: search this entity with query';
      if (isOperator(key) || (kind === 'query' && typeAt(key) !== undefined)) return `belongs in ${kind}.filter`;
      if (kind === 'semantic' && key === 'cursor') return 'applies only to query: semantic search returns one page';
      if (kind === 'semantic' && key === 'sort') return 'applies only to query: semantic hits are ordered by relevance';
      return misplacedMessage(key, schema, path);
    }
  });
}
