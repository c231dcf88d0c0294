import fc from 'fast-check';
import { expect } from 'vitest';
import type { Store } from '../../../service/src/data/records/types.js';
import { filtersOver, type Target, targetsOf } from './oracle/arbitrary-queries.js';
import { summarize } from './oracle/summary.js';
import type { Entity, Item, Params } from './oracle/types.js';
import { type Sample, samplesOf } from './sample.js';

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
    const operators = numeric ? ['avg', 'sum', 'min', 'max'] : ['min', 'max'];
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

/** Floating-point sums depend on the order of addition; `scale`, the largest possible sum, bounds the difference. */
function isClose(one: unknown, other: unknown, scale: number): boolean {
  if (typeof one !== 'number' || typeof other !== 'number') return Object.is(one, other);
  return Math.abs(one - other) <= 1e-9 * scale || one === other;
}

function compareRows(found: readonly Item[], wanted: readonly Item[], { query }: Params, sample: Sample): void {
  const sums = Object.entries(query.aggregates ?? {}).filter(([, one]) => 'sum' in one || 'avg' in one);
  const without = (row: Item) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !sums.some(([sum]) => sum === name)));
  const context = JSON.stringify({ query, records: sample.records });
  expect(found.map(without), context).toEqual(wanted.map(without));
  const scale = JSON.stringify(sample.records)
    .match(/-?\d+(\.\d+)?(e[+-]?\d+)?/g)
    ?.reduce((sum, number) => sum + Math.abs(Number(number)), 0);
  // Whether a sum overflows also depends on the order.
  if (!Number.isFinite(scale)) return;
  for (const [index, row] of found.entries()) {
    for (const [name] of sums)
      expect(
        isClose(row[name], wanted[index]![name], scale!),
        `${name} ${row[name]} ${wanted[index]![name]} ${context}`,
      ).toBe(true);
  }
}

/** Compares a store's aggregates with those of a full scan. */
export async function compareSummaries(store: Store, queries: number): Promise<number> {
  const sets = 20;
  let compared = 0;
  for (const [index, sample] of samplesOf(20261123, sets, 1).entries()) {
    const of = { connectorId: sample.connectorId, type: 'sample', entity: sample.name };
    await store.write(of, sample.records);
    const made = fc.sample(summariesOver(sample.entity, sample.records), {
      seed: index,
      numRuns: Math.ceil(queries / sets),
    });
    for (const params of made) {
      const { data, meta } = await store.search({ ...of, params });
      const wanted = summarize(sample.records, sample.entity, params);
      compareRows(data as Item[], wanted, params, sample);
      expect(meta).toMatchObject({ has_more: false, cursor: null, total: wanted.length, total_is_exact: true });
      compared += 1;
    }
  }
  return compared;
}
