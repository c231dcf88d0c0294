import fc from 'fast-check';
import { expect } from 'vitest';
import type { Store } from '../../../service/src/data/records/types.js';
import { seedOf } from '../../cases.js';
import { filtersOver, type Target, targetsOf } from './oracle/arbitrary-queries.js';
import { summarize } from './oracle/summary.js';
import type { Entity, Item, Params } from './oracle/types.js';
import { samplesOf } from './sample.js';

const plain = ['string', 'number', 'integer', 'boolean', 'date-time'];

/** Queries that group and aggregate records. */
function summariesOver(entity: Entity, records: readonly Item[]): fc.Arbitrary<Params> {
  const targets = targetsOf(entity, records).filter(({ path }) => !/\.list$/.test(path));
  // The result uses this name for a group's record count.
  const groupable = targets.filter(
    ({ kind, path }) => path !== 'count' && (plain.includes(kind) || path.includes('.')),
  );
  const aggregateOf = ({ path, kind }: Target) => {
    const numeric = path.includes('.') || kind === 'number' || kind === 'integer';
    const operators = numeric ? ['avg', 'sum', 'min', 'max', 'count_distinct'] : ['min', 'max', 'count_distinct'];
    return fc.constantFrom(...operators).map((operator) => ({ [operator]: path }));
  };
  const measurable = groupable.filter(({ kind, path }) => kind !== 'boolean' || path.includes('.'));
  const aggregates = fc.dictionary(
    fc.constantFrom('first', 'second', 'third'),
    fc.constantFrom(...measurable).chain(aggregateOf),
    { minKeys: 1, noNullPrototype: true },
  );
  const groupBy = fc.shuffledSubarray(
    groupable.map(({ path }) => path),
    { minLength: 1, maxLength: 2 },
  );
  const query = fc.record(
    { filter: filtersOver(targetsOf(entity, records), 1), groupBy, aggregates, count: fc.constant(true) },
    { requiredKeys: ['count'] },
  );
  return query.chain((made) => {
    const names = ['count', ...(made.groupBy ?? [])];
    const directions = fc.constantFrom('asc' as const, 'desc' as const);
    const keys = fc.shuffledSubarray(names, { maxLength: Math.min(2, names.length) });
    const sort = fc.tuple(keys, directions).map(([list, direction]) => list.map((name) => ({ [name]: direction })));
    return fc
      .option(sort, { nil: undefined })
      .map((order) => ({ query: { ...made, ...(order && { sort: order }) } }) as Params);
  });
}

/** Compares a store's aggregates with those of a full scan. */
export async function compareSummaries(store: Store, queries: number): Promise<number> {
  const sets = 20;
  let compared = 0;
  for (const [index, sample] of samplesOf(seedOf(20261123), sets, 1).entries()) {
    const of = { connectorId: sample.connectorId, type: 'sample', entity: sample.name };
    await store.write(of, sample.records);
    const made = fc.sample(summariesOver(sample.entity, sample.records), {
      seed: seedOf(index),
      numRuns: Math.ceil(queries / sets),
    });
    for (const params of made) {
      const { data, meta } = await store.search({ ...of, params });
      const wanted = summarize(sample.records, sample.entity, params);
      expect(data, JSON.stringify({ query: params.query, records: sample.records })).toEqual(wanted);
      expect(meta).toMatchObject({ has_more: false, cursor: null, total: wanted.length, total_is_exact: true });
      compared += 1;
    }
  }
  return compared;
}
