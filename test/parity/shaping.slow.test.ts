import type { ExecuteOptions } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { type LocalAction, localActions, type Subject } from '../../sandbox/src/testing/subject.js';
import { normalise, type Outcome, outcomeOf } from './outcome.js';
import { type Pair, pairOf, paramsOn, type Route } from './pair.js';
import type { ParitySubject } from './subject.js';
import { gong, linear, subjects } from './subjects/index.js';

const actionsOf = ({ Connector }: ParitySubject, fits: (action: LocalAction) => boolean) =>
  localActions({ Connector } as Subject)
    .filter(fits)
    .map((tried) => [tried.label, tried] as const);

type Run = (way: Route, params: object) => Promise<{ data: any; meta: any }>;

/** Runs several calls each way, one after another, expects equal results, and returns them. */
async function same(pair: Pair, subject: ParitySubject, { label }: LocalAction, runs: readonly Run[]) {
  const [direct, throughService] = await Promise.all(
    [pair.local, pair.hosted].map(async (way) => {
      const params = await paramsOn(way, subject, label);
      const outcomes: Outcome[] = [];
      for (const run of runs) {
        outcomes.push(normalise(await outcomeOf(() => run(way, params)), way, subject, label));
      }
      return outcomes;
    }),
  );
  for (const outcome of direct!) expect(outcome).not.toHaveProperty('error');
  expect(throughService).toStrictEqual(direct);
  return direct!.map(({ data }) => [data].flat() as object[]);
}

const withOptions =
  ({ entity, action }: LocalAction, options: ExecuteOptions): Run =>
  ({ connector }, params) =>
    connector.execute(entity, action, params, options);

/** Up to four pages. */
const paged =
  ({ entity, action }: LocalAction, small: object): Run =>
  async ({ connector }, params) => {
    const pages: unknown[] = [];
    for await (const page of connector.paginate(entity, action, { ...params, ...small }).pages()) {
      pages.push(page);
      if (pages.length === 4) break;
    }
    return { data: pages, meta: {} };
  };

describe.each(subjects)('%s returns the same result in both modes', (_name, subject) => {
  const fieldsOf = ({ entity, action }: LocalAction) => {
    const described = subject.Connector.describe().entities.find(({ name }) => name === entity)!;
    const { data } = described.actions.find(({ name }) => name === action)!;
    const fields = Object.entries(data!.properties as Record<string, object>);
    // No path can go into a string.
    return fields.map(([name, schema]) => [
      name,
      /"(object|array)"/.test(JSON.stringify(schema)) ? `${name}.id` : name,
    ]);
  };

  test.each(actionsOf(subject, ({ paginated }) => paginated))('page by page, from %s', async (_, tried) => {
    const run = paged(tried, subject.small(tried.label));
    const [pages] = await same(await pairOf(subject), subject, tried, [run]);
    expect(pages!.length).toBeGreaterThan(0);
  });

  test.each(actionsOf(subject, ({ reads, binary }) => reads && !binary))(
    'with selected fields, from %s',
    async (_, tried) => {
      const [[first = ''] = [], [second = first, inner = second] = []] = fieldsOf(tried);
      const [whole, chosen, rest] = await same(await pairOf(subject), subject, tried, [
        withOptions(tried, { raw: true, maxStringLength: 3 }),
        withOptions(tried, { selectFields: [first, inner] }),
        withOptions(tried, { excludeFields: [second] }),
      ]);
      expect(whole![0]).toHaveProperty([first]);
      expect([first, second]).toEqual(expect.arrayContaining(Object.keys(chosen![0]!)));
      expect(rest![0]).not.toHaveProperty([second]);
    },
  );
});

const listed = (subject: ParitySubject, list: string) => actionsOf(subject, ({ label }) => label === list)[0]![1];

test('results are the same with no field selected, and with a field known only to the vendor', async () => {
  const issues = listed(linear, 'issues.list');
  const [none, unlisted] = await same(await pairOf(linear), linear, issues, [
    withOptions(issues, { selectFields: [] }),
    withOptions(issues, { raw: true, selectFields: ['title', 'nonsense', ''] }),
  ]);
  expect(none![0]).toEqual({});
  expect(Object.keys(unlisted![0]!)).toEqual(['title']);
});

test('a field that was not selected is not a schema mismatch', async () => {
  const told: unknown[] = [];
  const options = { hooks: { onResponseMismatch: (event: unknown) => told.push(event) } };
  const issues = listed(linear, 'issues.list');
  const [[issue]] = (await same(await pairOf(linear, { options }), linear, issues, [
    withOptions(issues, { selectFields: ['state.name'] }),
  ])) as [object[]];
  expect(issue).toEqual({ state: { name: expect.any(String) } });
  expect(told).toEqual([]);
});

test('a connector setting has the same effect through the service', async () => {
  const pair = await pairOf(gong, { settings: { includePrivate: true } });
  const calls = listed(gong, 'calls.list');
  const connector = new gong.Connector({
    credentials: gong.credentials(pair.local.sandbox),
    endpoints: `${pair.local.url}/gong`,
    includePrivate: true,
  });
  const ways = { ...pair, local: { ...pair.local, connector } };
  const [records] = await same(ways, gong, calls, [withOptions(calls, {})]);
  expect(records!.some((call) => (call as { isPrivate: boolean }).isPrivate)).toBe(true);
});
