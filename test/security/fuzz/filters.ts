import { ConnectorError } from 'agent-connectors';
import { operators, type ParsedQuery, parseSearch } from 'agent-connectors/search';
import fc from 'fast-check';
import { expect } from 'vitest';
import { Binder, bindQuery, FaultCollector } from '../../../service/src/data/records/bind.js';
import { Compiler } from '../../../service/src/data/records/compile.js';
import { postgresDialect } from '../../../service/src/data/records/drivers/postgres/dialect.js';
import { sqliteDialect } from '../../../service/src/data/records/drivers/sqlite/dialect.js';
import { searchableIn } from '../../../service/src/data/records/keys.js';
import { layoutOf } from '../../../service/src/data/records/schema.js';
import { TermLookups } from '../../../service/src/data/records/terms.js';
import { Vocabularies } from '../../../service/src/data/records/words/vocabulary.js';
import { check, type Fuzz } from './run.js';
import { own, smallStore, tasks } from './store.js';
import { objectOf, texts, trees } from './values.js';

const inside = ['state.name', 'state.rank', 'state.deep.flag', 'labels.0', 'state.__proto__', 'state."name"'];

/** A marker in every search text that makes it recognizable in SQL. */
const mark = 'zqmark';
const markedTexts = texts.map((text) => `${text}${mark}`);

const path = fc.oneof(
  { arbitrary: fc.constantFrom(...Object.keys(tasks.fields), ...inside), weight: 6 },
  { arbitrary: markedTexts, weight: 1 },
  { arbitrary: markedTexts.map((text) => `state.${text}`), weight: 1 },
);

/** Mostly paths that records have: any other path causes the whole search to be rejected. */
const likelyPath = fc.oneof(
  { arbitrary: fc.constantFrom(...Object.keys(tasks.fields), 'state.name', 'state.rank'), weight: 15 },
  { arbitrary: path, weight: 1 },
);

const dates = fc
  .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());
const value = fc.oneof(
  { arbitrary: markedTexts, weight: 3 },
  { arbitrary: fc.constantFrom<unknown>('open', 'red', 'Task', 3, 2 ** 60, -1.5, true, false, null), weight: 3 },
  { arbitrary: dates, weight: 1 },
  { arbitrary: fc.array(markedTexts, { maxLength: 40 }), weight: 1 },
  { arbitrary: trees, weight: 1 },
);

/** Conditions that a search can request. */
const sound = fc.oneof(
  fc
    .tuple(fc.constantFrom('eq', 'neq', 'gt', 'lte', 'like', 'fuzzy', 'keyword'), markedTexts)
    .chain(([operator, text]) =>
      fc.constantFrom('title', 'state.name', 'state.deep.flag').map((field) => ({ [operator]: { [field]: text } })),
    ),
  fc.array(markedTexts, { maxLength: 40 }).map((title) => ({ in: { title } })),
  trees.map((element) => ({ contains: { labels: element } })),
  fc.array(trees, { maxLength: 4 }).map((labels) => ({ any: { labels } })),
  dates.map((createdAt) => ({ gte: { createdAt } })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((priority) => ({ lt: { priority } })),
);

const filters: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    sound,
    sound,
    sound,
    fc
      .tuple(
        fc.constantFrom(...Object.keys(operators)),
        fc.array(fc.tuple(path, value), { minLength: 1, maxLength: 3 }),
      )
      .map(([operator, tests]) => ({ [operator]: objectOf(tests) })),
    trees,
    fc.array(tie('filter'), { maxLength: 4 }).map((and) => ({ and })),
    fc.array(tie('filter'), { maxLength: 4 }).map((or) => ({ or })),
    tie('filter').map((not) => ({ not })),
    fc.integer({ min: 10, max: 300 }).map((levels) => nested(levels)),
  ),
})).filter;

function nested(levels: number): object {
  let filter: object = { eq: { title: mark } };
  for (let level = 0; level < levels; level++) filter = { not: filter };
  return filter;
}

const sorts = fc.oneof(
  fc.array(fc.tuple(fc.constantFrom('title', 'priority', 'state.name'), fc.constantFrom('asc', 'desc')).map(pair)),
  fc.array(fc.tuple(likelyPath, fc.constantFrom('asc', 'desc', 'up')).map(pair), { maxLength: 3 }),
);

function pair(key: readonly [string, unknown]): object {
  return objectOf([key]);
}

/** Mostly valid, but occasionally anything. */
const usuallyValid = (valid: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { arbitrary: valid, weight: 12 },
    { arbitrary: fc.constant(undefined), weight: 4 },
    { arbitrary: trees, weight: 1 },
  );

const searches = fc.record({
  query: usuallyValid(fc.record({ filter: usuallyValid(filters), sort: usuallyValid(sorts) })),
  fields: usuallyValid(fc.array(likelyPath, { minLength: 1, maxLength: 3 })),
  limit: usuallyValid(fc.integer({ min: 1, max: 100 })),
  cursor: fc.oneof({ arbitrary: fc.constant(undefined), weight: 9 }, { arbitrary: trees, weight: 1 }),
});

const layout = layoutOf(tasks);

/** The SQL of an accepted search, in both dialects. */
function compiled(params: unknown): string[] {
  const { search } = parseSearch(params, searchableIn(tasks)) as { search: ParsedQuery };
  const { condition } = bindQuery(search, new Binder(layout, new FaultCollector(), 0));
  const leads = new TermLookups(1, new Vocabularies());
  return [sqliteDialect(layout), postgresDialect(new Map())].map((dialect) => {
    let marks = 0;
    return new Compiler(dialect, { lookups: leads }).filter(condition, () => `?${++marks}`).sql;
  });
}

/** Any search returns records of its own collection or `invalid_params`, and its texts are never in the SQL. */
export const searchFilters: Fuzz = async (count) => {
  const store = await smallStore(12);
  try {
    let accepted = 0;
    await check(count, searches, async (params) => {
      const outcome = await store.search({ ...own, params }).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        if (!ConnectorError.is(outcome)) throw new Error('no ConnectorError', { cause: outcome });
        expect(outcome.code).toBe('invalid_params');
        return;
      }
      accepted += 1;
      expect(JSON.stringify(outcome)).not.toContain('con_foreign');
      for (const sql of compiled(params)) expect(sql).not.toContain(mark);
    });
    expect(await store.count(own)).toBe(12);
    expect(await store.count({ ...own, connectorId: 'con_foreign' })).toBe(12);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(accepted).toBeGreaterThan(count / 20);
  } finally {
    await store.close();
  }
};
