import fc from 'fast-check';
import { invalidQueriesOver, queriesOver } from './arbitrary-queries.js';
import { dateTimes, integers, notDateTimes, numbers, scalars, texts } from './arbitrary-values.js';
import { kindOf, valueAt } from './paths.js';
import type { Entity, Item, Params, Value } from './types.js';

/** Records and the parameters of a search over them; `valid` says whether the search must be accepted. */
export interface Case {
  readonly records: readonly Item[];
  readonly params: Params;
  readonly valid: boolean;
}

/** Entities with fields of every type: one has a string id, the other an id made up of a number and a string. */
export const sampleEntities: readonly Entity[] = [
  {
    fields: {
      id: 'string',
      title: 'string',
      body: 'string',
      size: 'number',
      count: 'integer',
      archived: 'boolean',
      createdAt: 'string',
      closedAt: 'string',
      state: 'object',
      labels: 'array',
    },
    dateTimes: ['createdAt', 'closedAt'],
    key: ['id'],
  },
  {
    fields: {
      id: 'integer',
      workspace: 'string',
      name: 'string',
      started: 'string',
      metaData: 'object',
      parts: 'array',
    },
    dateTimes: ['started'],
    key: ['id', 'workspace'],
  },
];

const orNull = (values: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: values, weight: 5 }, { arbitrary: fc.constant(null), weight: 1 });

const lists: fc.Arbitrary<Value> = fc.array(
  fc.oneof(
    { arbitrary: scalars, weight: 8 },
    {
      arbitrary: fc.constantFrom<Value>(
        null,
        [],
        ['1'],
        { name: 'alpha' },
        { a: 1, b: [2] },
        { deep: { name: 'x', a: 1 } },
      ),
      weight: 2,
    },
  ),
  { maxLength: 4 },
);

const objects: fc.Arbitrary<Value> = fc
  .record(
    {
      name: orNull(texts),
      rank: orNull(numbers),
      deep: orNull(fc.record({ flag: orNull(fc.boolean()), note: orNull(texts) })),
      mixed: orNull(fc.oneof(scalars, lists)),
      list: orNull(lists),
      nick: texts,
    },
    { requiredKeys: ['name', 'rank', 'deep', 'mixed', 'list'] },
  )
  .map((value) => value as Value);

function valuesOf(entity: Entity, field: string): fc.Arbitrary<Value> {
  const isKey = entity.key.includes(field);
  switch (kindOf(entity, field)) {
    case 'date-time':
      return isKey
        ? dateTimes
        : fc.oneof({ arbitrary: dateTimes, weight: 9 }, { arbitrary: fc.constantFrom(...notDateTimes), weight: 1 });
    case 'integer':
      return isKey ? integers.map(String) : integers;
    case 'number':
      return numbers;
    case 'boolean':
      return fc.boolean();
    case 'array':
      return lists;
    case 'object':
      return objects;
    default:
      return isKey ? fc.oneof(texts, fc.nat(99).map(String)).filter((text) => text !== '') : texts;
  }
}

/** Records of an entity with unique keys; fields outside the key can be null. */
export function recordsOf(entity: Entity, maxLength = 12): fc.Arbitrary<Item[]> {
  const names = Object.keys(entity.fields).filter((name) => !name.includes('.'));
  const values = names.map((name) => {
    const some = valuesOf(entity, name);
    return [name, entity.key.includes(name) ? some : orNull(some)] as const;
  });
  const record = fc.record({ ...Object.fromEntries(values), unlisted: texts }).map((made): Item => ({ ...made }));
  return fc.uniqueArray(record, {
    maxLength,
    selector: (made) => JSON.stringify(entity.key.map((path) => valueAt(made, path))),
  });
}

/** Records of an entity with a valid search over them. */
export function validCases(entity: Entity): fc.Arbitrary<Case> {
  return recordsOf(entity).chain((records) =>
    queriesOver(entity, records).map((params) => ({ records, params, valid: true })),
  );
}

/** Records of an entity with a search over them that must be rejected. */
export function invalidCases(entity: Entity): fc.Arbitrary<Case> {
  return recordsOf(entity, 4).chain((records) =>
    invalidQueriesOver(entity, records).map((params) => ({ records, params, valid: false })),
  );
}

/** Records of an entity with a search over them; one in ten must be rejected. */
export function cases(entity: Entity): fc.Arbitrary<Case> {
  return fc.oneof({ arbitrary: validCases(entity), weight: 9 }, { arbitrary: invalidCases(entity), weight: 1 });
}

/** A number of cases generated from a seed. */
export function casesOfSeed(entity: Entity, seed: number, count: number): Case[] {
  return fc.sample(cases(entity), { seed, numRuns: count });
}
