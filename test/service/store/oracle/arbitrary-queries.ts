import fc from 'fast-check';
import {
  dateTimes,
  dateTimesNear,
  integers,
  integersNear,
  numbers,
  patternsNear,
  scalars,
  texts,
  textsNear,
  wordsNear,
} from './arbitrary-values.js';
import { invalidations, invalidFilters } from './invalid-queries.js';
import { isObject, isUnknown, type Kind, kindOf, valueAt } from './paths.js';
import type { Entity, Filter, Item, Params, SortKey, Value } from './types.js';

export interface Target {
  readonly path: string;
  readonly kind: Kind;
  readonly values: readonly Value[];
}

// Paths inside the generated objects, so that they are queried with matching types.
const inside: Readonly<Record<string, Kind>> = {
  name: 'string',
  nick: 'string',
  rank: 'number',
  'deep.flag': 'boolean',
  'deep.note': 'string',
  mixed: 'open',
  list: 'array',
};

export function targetsOf(entity: Entity, records: readonly Item[]): Target[] {
  const paths = Object.entries(entity.fields).flatMap(([path, type]): [string, Kind][] => [
    [path, kindOf(entity, path) ?? type],
    ...(type === 'object' ? Object.entries(inside) : []).map(([inner, kind]): [string, Kind] => [
      `${path}.${inner}`,
      kind,
    ]),
  ]);
  const known = paths.filter(([path]) => !path.includes('.') || !isUnknown(records, path));
  return known.map(([path, kind]) => {
    const values = records.map((record) => valueAt(record, path)).filter((value) => value !== null);
    return { path, kind, values };
  });
}

function nearOrFresh<Taken>(target: Target, near: (value: Value) => fc.Arbitrary<Taken>, fresh: fc.Arbitrary<Taken>) {
  if (target.values.length === 0) return fresh;
  const nearby = fc.constantFrom(...target.values).chain(near);
  return fc.oneof({ arbitrary: nearby, weight: 6 }, { arbitrary: fresh, weight: 1 });
}

const isFilled = (value: Value) => value !== '';
const textOf = (value: Value) => (typeof value === 'string' ? value : '');
const elementsOf = (value: Value): readonly Value[] => (Array.isArray(value) ? value : []);

function wantedValues(target: Target): fc.Arbitrary<Value> {
  switch (target.kind) {
    case 'string':
      return nearOrFresh<Value>(target, (value) => textsNear(textOf(value)), texts);
    case 'date-time':
      return nearOrFresh<Value>(target, (value) => dateTimesNear(textOf(value)), dateTimes);
    case 'integer':
      return nearOrFresh<Value>(target, integersNear, integers);
    case 'number':
      return nearOrFresh<Value>(target, (value) => fc.constantFrom(Number(value), Number(value) + 1), numbers);
    case 'boolean':
      return fc.boolean();
    case 'object':
      return nearOrFresh<Value>(
        target,
        (value) => fc.constantFrom(value, { ...(isObject(value) ? (value as Item) : {}), added: 1 }, {}),
        fc.constant({ name: 'alpha' }),
      );
    case 'array':
      return nearOrFresh<Value>(
        target,
        (value) => fc.constantFrom(value, [...elementsOf(value)].reverse(), elementsOf(value).slice(1)),
        fc.array(scalars, { maxLength: 2 }),
      );
    case 'open':
      return nearOrFresh<Value>(target, fc.constant, scalars);
  }
}

function wantedElements(target: Target): fc.Arbitrary<Value> {
  const present = target.values.flatMap(elementsOf).filter((element) => element !== null);
  const parts = fc.constantFrom<Value>({}, { a: 1 }, { b: [2] }, { b: [] }, { name: null }, { deep: { name: 'x' } });
  return present.length === 0 ? scalars : fc.oneof(fc.constantFrom(...present), scalars, parts);
}

const orNull = (values: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: values, weight: 8 }, { arbitrary: fc.constant(null), weight: 1 });

function conditionsOn(target: Target): fc.Arbitrary<Filter> {
  const { kind, path } = target;
  const wanted = wantedValues(target);
  const by = (operators: readonly (keyof Filter)[], values: fc.Arbitrary<Value>) =>
    fc.tuple(fc.constantFrom(...operators), values).map(([name, value]): Filter => ({ [name]: { [path]: value } }));
  const made = [
    by(['eq', 'neq'], orNull(wanted)),
    by(['in'], fc.array(orNull(wanted), { minLength: 1, maxLength: 3 })),
  ];
  if (['string', 'date-time', 'number', 'integer'].includes(kind)) made.push(by(['gt', 'gte', 'lt', 'lte'], wanted));
  if (kind === 'open') {
    const comparable = wanted.filter((value) => typeof value === 'string' || typeof value === 'number');
    made.push(by(['gt', 'gte', 'lt', 'lte'], comparable));
  }
  if (['string', 'date-time', 'open'].includes(kind)) {
    made.push(
      by(
        ['like'],
        nearOrFresh<Value>(target, (value) => patternsNear(textOf(value)), fc.constant('%a%')).filter(isFilled),
      ),
    );
  }
  if (['string', 'date-time', 'open'].includes(kind)) {
    const parts = nearOrFresh<Value>(target, (value) => textsNear(textOf(value)), fc.constant('A')).filter(isFilled);
    made.push(by(['startswith', 'endswith', 'contains'], parts));
  }
  if (['string', 'open'].includes(kind)) {
    const words = nearOrFresh<Value>(target, (value) => wordsNear(textOf(value)), fc.constant('beta'));
    made.push(by(['keyword'], words), by(['fuzzy'], words));
  }
  if (kind === 'array') {
    const elements = wantedElements(target);
    made.push(
      by(['contains', 'array_contains'], elements),
      by(['any'], fc.array(elements, { minLength: 1, maxLength: 3 })),
    );
  }
  return fc.oneof(...made);
}

const together = (first: Filter, second: Filter): Filter => ({ ...first, ...second });

export function filtersOver(targets: readonly Target[], depth: number): fc.Arbitrary<Filter> {
  const condition = fc.constantFrom(...targets).chain(conditionsOn);
  // Several fields under `neq` are not generated, since the specification is ambiguous about them.
  const equality = fc
    .constantFrom(...targets)
    .chain((target) => wantedValues(target).map((value) => ({ [target.path]: value })));
  const simple = [
    { arbitrary: condition, weight: 8 },
    { arbitrary: fc.tuple(condition, condition).map(([first, second]) => together(first, second)), weight: 1 },
    {
      arbitrary: fc.tuple(equality, equality).map(([first, second]): Filter => ({ eq: { ...first, ...second } })),
      weight: 1,
    },
  ];
  if (depth === 0) return fc.oneof(...simple);
  const inner = filtersOver(targets, depth - 1);
  const parts = fc.array(inner, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    ...simple,
    { arbitrary: parts.map((and): Filter => ({ and })), weight: 1 },
    { arbitrary: parts.map((or): Filter => ({ or })), weight: 2 },
    { arbitrary: inner.map((not): Filter => ({ not })), weight: 2 },
    { arbitrary: fc.tuple(condition, parts).map(([first, or]): Filter => ({ ...first, or })), weight: 1 },
  );
}

function sortsOver(targets: readonly Target[]): fc.Arbitrary<SortKey[]> {
  const sortable = targets.filter(({ kind }) => !['object', 'array'].includes(kind));
  const keys = fc.shuffledSubarray([...sortable], { minLength: 1, maxLength: Math.min(3, sortable.length) });
  return keys.chain((chosen) =>
    fc.tuple(
      ...chosen.map(({ path }) =>
        fc.constantFrom('asc' as const, 'desc' as const).map((direction): SortKey => ({ [path]: direction })),
      ),
    ),
  );
}

function projectionsOver(targets: readonly Target[]): fc.Arbitrary<string[]> {
  // Keys that an object does not have are not generated, since the specification is ambiguous about them.
  const paths = targets
    .filter(({ path }) => !path.endsWith('.nick'))
    .flatMap(({ path, kind }) => (kind === 'array' ? [path, `${path}.name`, `${path}.deep.name`] : [path]));
  return fc.shuffledSubarray(paths, { minLength: 1, maxLength: 4 });
}

/** Valid search parameters with values close to those in the records. */
export function queriesOver(entity: Entity, records: readonly Item[]): fc.Arbitrary<Params> {
  const targets = targetsOf(entity, records);
  const query = fc.record({ filter: filtersOver(targets, 2), sort: sortsOver(targets) }, { requiredKeys: [] });
  return fc
    .record(
      { query, limit: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(10_000)), fields: projectionsOver(targets) },
      { requiredKeys: ['query'] },
    )
    .map((made) => made as Params);
}

/** Search parameters that must be rejected, each for a single reason. */
export function invalidQueriesOver(entity: Entity, records: readonly Item[]): fc.Arbitrary<Params> {
  const filters = fc
    .tuple(fc.constantFrom(...invalidFilters(entity)), filtersOver(targetsOf(entity, records), 0), fc.nat(4))
    .map(
      ([bad, good, place]) =>
        [bad, { and: [good, bad] }, { or: [bad, good] }, { not: bad }, { ...good, not: bad }][place],
    );
  return fc.oneof(
    fc.tuple(queriesOver(entity, records), filters).map(([params, filter]) => {
      return { ...params, query: { ...params.query, filter } } as Params;
    }),
    fc
      .tuple(queriesOver(entity, records), fc.constantFrom(...invalidations))
      .map(([params, invalidate]) => invalidate(params) as Params),
  );
}
