import { isObject, kindOf } from './paths.js';
import type { Entity, Params } from './types.js';

const wrongValues: Readonly<Record<string, readonly unknown[]>> = {
  string: [1, true, ['alpha'], { name: 'alpha' }],
  'date-time': [1709289000000, true, 'yesterday'],
  number: ['1', 'alpha', true, [1]],
  integer: ['alpha', true, [1]],
  boolean: ['true', 1],
  object: ['alpha', 1],
  array: ['alpha', 1, true],
};

/** Invalid filters for an entity. */
export function invalidFilters(entity: Entity): unknown[] {
  const [first = ''] = Object.keys(entity.fields);
  const wrong = Object.keys(entity.fields).flatMap((path) =>
    (wrongValues[kindOf(entity, path) ?? ''] ?? []).flatMap((value) => [
      { eq: { [path]: value } },
      { neq: { [path]: value } },
      { in: { [path]: [null, value] } },
    ]),
  );
  const unknown = ['nowhere', `${first}x`, 'nowhere.name', '__proto__x', 'toString'].flatMap((path) => [
    { eq: { [path]: 'alpha' } },
    { gte: { [path]: 1 } },
    { in: { [path]: ['alpha'] } },
  ]);
  return [
    ...wrong,
    ...unknown,
    { and: [{}] },
    'alpha',
    [],
    { equals: { [first]: 'alpha' } },
    { eq: 'alpha' },
    { in: { [first]: 'alpha' } },
    { like: { [first]: 1 } },
    { keyword: { [first]: 1 } },
    { fuzzy: { [first]: true } },
    { and: { eq: { [first]: null } } },
    { or: { eq: { [first]: null } } },
    { and: ['alpha'] },
    { not: [{ eq: { [first]: null } }] },
  ];
}

const withSort = (params: Params, sort: unknown): unknown => ({ ...params, query: { ...params.query, sort } });

/** Ways to make valid parameters invalid outside the filter. */
export const invalidations: readonly ((params: Params) => unknown)[] = [
  ...[0, -1, 10_001, 1.5, '10'].map((limit) => (params: Params) => ({ ...params, limit })),
  ...[[{ nowhere: 'asc' }], [{ 'nowhere.name': 'desc' }], { id: 'asc' }, ['id'], [{ id: 'up' }], [{ id: 1 }], 'id'].map(
    (sort) => (params: Params) => withSort(params, sort),
  ),
  ...[['nowhere'], 'id', [1]].map((fields) => (params: Params) => ({ ...params, fields })),
  (params) => ({ ...params, cursor: 5 }),
  (params) => ({ ...params, query: 'alpha' }),
  (params) => ({ ...params, semantic: { prompt: 'alpha' } }),
  (params) => Object.fromEntries(Object.entries(params).filter(([name]) => name !== 'query')),
  (params) => ({ ...params, query: isObject(params.query) ? [params.query] : [] }),
];
