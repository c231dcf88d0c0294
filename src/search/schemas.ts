import type { ActionSchemas } from '../action/action.js';
import type { FieldTypes } from './language/fields.js';
import { defaultHits, defaultLimit, maxContextSize, maxGroupFields, maxHits, maxLimit } from './language/limits.js';
import { type Operator, operators } from './language/operators.js';
import { aggregateOperators, periods } from './language/summary.js';
import type { Search } from './types.js';

const types: Readonly<Record<keyof FieldTypes, string>> = {
  string: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  object: 'object',
  array: 'array',
};

const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

const nullable = (type: string) => ({ anyOf: [{ type }, { type: 'null' }] });

const filter = (names: readonly string[]) => ({
  ...object({
    ...Object.fromEntries(
      Object.entries<Operator>(operators).map(([name, { description, extension }]) => [
        name,
        { type: 'object', description: `${description} { <field>: <value> }`, ...(extension && { extension }) },
      ]),
    ),
    not: { type: 'object', description: 'A filter that must not match.' },
    and: { type: 'array', items: { type: 'object' }, description: 'Filters that must all match.' },
    or: { type: 'array', items: { type: 'object' }, description: 'Filters; at least one must match.' },
  }),
  description: `Conditions; {} matches every record; several operators in one object must all match. Fields: ${names.join(', ')}. Use dotted paths for nested fields.`,
});

/** A field to group by, or a field and a period of time. */
const groupKey = (path: object) => ({
  anyOf: [path, { type: 'object', additionalProperties: { enum: [...periods] }, minProperties: 1, maxProperties: 1 }],
});

/** Parameters that request groups instead of records. */
const summary = (path: object) => ({
  count: { type: 'boolean', extension: true, description: 'Only the number of records.' },
  groupBy: {
    anyOf: [groupKey(path), { type: 'array', minItems: 1, maxItems: maxGroupFields }],
    extension: true,
    description: 'Count by fields, or by periods: { <field>: "month" }.',
  },
  timeZone: {
    type: 'string',
    extension: true,
    description: 'Of periods; default: UTC.',
  },
  aggregates: {
    type: 'object',
    additionalProperties: {
      ...object(Object.fromEntries(aggregateOperators.map((name) => [name, path]))),
      minProperties: 1,
      maxProperties: 1,
    },
    extension: true,
    description: '{ <name>: { avg: <field> } } per group.',
  },
});

/** JSON Schemas for searching an entity. Filters can nest without limit, which a schema without references cannot express. */
export function searchSchemas({ fields, semantic, extensions }: Search): ActionSchemas {
  const all = Object.entries(fields).flatMap(([type, names]) =>
    (names ?? []).map((name): [string, string] => [name, types[type as keyof FieldTypes]]),
  );
  const names = all.map(([name]) => name);
  const path = { type: 'string', description: 'A searchable field, or a dotted path into one.' };
  const projection = { type: 'array', items: path, description: 'Paths to include.' };
  const sort = {
    type: 'array',
    items: { type: 'object', additionalProperties: { enum: ['asc', 'desc'] }, minProperties: 1, maxProperties: 1 },
    description: 'In order, each { <field>: "asc" | "desc" }; for groups also { count: … }.',
  };
  const byQuery = object(
    {
      query: {
        ...object({ filter: filter(names), sort, ...summary(path) }),
        description: 'Filter and sort conditions; {} matches every record.',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: maxLimit,
        default: defaultLimit,
        description: 'Maximum number of records.',
      },
      cursor: { type: 'string', description: 'meta.cursor from the previous page.' },
      fields: projection,
    },
    ['query'],
  );
  const record = object(
    Object.fromEntries(
      all.map(([name, type]) => [name, { ...nullable(type), ...(extensions?.includes(name) && { extension: true }) }]),
    ),
  );
  const meta = object(
    {
      has_more: { type: 'boolean' },
      cursor: nullable('string'),
      took_ms: nullable('integer'),
      total: { type: 'integer', extension: true, description: 'Total count; on the first page.' },
      total_is_exact: { type: 'boolean', extension: true, description: 'False if there may be more.' },
      complete: {
        type: 'boolean',
        extension: true,
        description: 'Whether the replica has everything that the search reads, as of readiness.synced_at.',
      },
      missing: {
        type: 'array',
        items: { type: 'object' },
        extension: true,
        description: 'What the replica lacks: reason, entity, detail, and field, count, before or after if known.',
      },
      unmatched_words: {
        type: 'array',
        items: { type: 'string' },
        extension: true,
        description: 'Rare words of the prompt that no hit contains; there are fewer hits then.',
      },
      time_zone: {
        type: 'object',
        extension: true,
        description: 'Of periods.',
      },
      empty: {
        type: 'object',
        extension: true,
        description: 'If nothing was found: records searched, last update of the replica, sample values.',
      },
    },
    ['has_more', 'cursor', 'took_ms'],
  );
  const semanticFields = Object.entries(semantic ?? {});
  if (semanticFields.length === 0) return { params: byQuery, data: record, meta };

  const byMeaning = object(
    {
      semantic: {
        ...object(
          {
            field: { enum: semanticFields.map(([name]) => name), description: 'The field to search.' },
            prompt: { type: 'string', description: 'What to search for.' },
            filter: filter(names),
            context_size: {
              type: 'integer',
              minimum: 1,
              maximum: maxContextSize,
              description: 'Characters of context per hit.',
            },
            dedup: {
              enum: ['max', 'none'],
              default: 'max',
              description: 'The best passage from each record, or all passages.',
            },
            mode: { enum: ['dense', 'lexical', 'hybrid'], extension: true, description: 'Ranking mode.' },
          },
          semanticFields.length === 1 ? ['prompt'] : ['field', 'prompt'],
        ),
        description: 'A semantic search.',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: maxHits,
        default: defaultHits,
        description: 'Maximum number of hits.',
      },
      fields: projection,
    },
    ['semantic'],
  );
  const strings = (list: readonly string[] = []) => Object.fromEntries(list.map((name) => [name, nullable('string')]));
  const [, found] = semanticFields[0]!;
  const hit = object(
    {
      entity: object(strings(semanticFields.flatMap(([, { entity_fields }]) => entity_fields))),
      metadata: object(
        {
          score: { type: 'number' },
          context: { type: 'string', description: 'The matched passage.' },
          ...strings([...(found.attribution ?? []), ...(found.enrichments ?? [])]),
        },
        ['score', 'context'],
      ),
    },
    ['entity', 'metadata'],
  );
  return { params: { anyOf: [byQuery, byMeaning] }, data: { anyOf: [record, hit] }, meta };
}
