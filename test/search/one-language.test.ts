import { LinearConnector } from 'agent-connectors/linear';
import { operators } from 'agent-connectors/search';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { caseCount } from '../cases.js';
import { failure } from '../failure.js';
import { execute, startTestService } from '../service/http/setup.js';
import { operators as oracleOperators } from '../service/store/oracle/check.js';

const library = new LinearConnector({ transport: async () => ({ data: [], meta: {} }) }) as any;
const action = 'context_store_search';

/** Searches issues in a new service. */
async function startSearching() {
  const running = await startTestService({ limits: { rate: 0 } });
  const acme = await running.tenant();
  const connector = await acme.connect('linear', running.sandbox.vendors.linear.credentials.api_key);
  return (params: object) => execute(acme, connector, 'issues', action, params);
}

/** The problems that the library finds without sending anything. */
async function inLibrary(params: object) {
  const { message, issues, hint } = await failure(library.check('issues', action, params));
  return { message, issues: issues!, hint };
}

const filtered = (filter: unknown) => ({ query: { filter } });
const sorted = (...fields: string[]) => ({ query: { sort: fields.map((field) => ({ [field]: 'asc' })) } });
const nested = (levels: number, wrap: (inner: object) => object) =>
  Array.from({ length: levels }).reduce<object>(wrap, { eq: { title: 'x' } });
const deep = (levels: number) => Array.from({ length: levels }).reduce<object>((inner) => ({ inner }), {});
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const texts = ['title', 'id', 'identifier', 'url', 'branchName', 'stateId', 'teamId', 'projectId', 'cycleId'];
const others = ['parentId', 'creatorId', 'assigneeId', 'priority', 'estimate', 'number', 'sortOrder', 'createdAt'];
const fields = [...texts, ...others];

/** What the library once accepted and the service then rejected: why, the parameters, and the path of the problem. */
const drifts: ReadonlyArray<readonly [why: string, params: object, path: string, message: RegExp]> = [
  ['sorts by an array', sorted('labelIds'), 'query.sort.0.labelIds', /^is an array/],
  ['sorts by an object', sorted('state'), 'query.sort.0.state', /^is an object/],
  ['has 17 sort keys', sorted(...fields), 'query.sort', /at most 16/],
  [
    'sorts groups by one name twice',
    { query: { count: true, sort: [{ count: 'asc' }, { count: 'desc' }] } },
    'query.sort',
    /at most 1/,
  ],
  [
    'names an aggregate count',
    { query: { aggregates: { count: { max: 'priority' } } } },
    'query.aggregates.count',
    /already used/,
  ],
  [
    'names an aggregate like a group field',
    { query: { groupBy: 'title', aggregates: { title: { max: 'priority' } } } },
    'query.aggregates.title',
    /already used/,
  ],
  [
    'has an aggregate with spaces in its name',
    { query: { aggregates: { 'a b': { max: 'priority' } } } },
    'query.aggregates.a b',
    /letters, digits/,
  ],
  ['groups by a field twice', { query: { groupBy: ['title', 'title'] } }, 'query.groupBy', /twice/],
  ['has a blank prompt', { semantic: { prompt: ' ' } }, 'semantic.prompt', /non-empty/],
  [
    'has a prompt that is too long',
    { semantic: { prompt: 'x'.repeat(10_001) } },
    'semantic.prompt',
    /10000 characters/,
  ],
  [
    'has a text that is too long',
    filtered({ like: { title: 'x'.repeat(10_001) } }),
    'query.filter.like.title',
    /10000 characters/,
  ],
  ['has 1001 conditions', filtered({ or: many(1001, () => ({ eq: { id: 'x' } })) }), 'query.filter', /1000 conditions/],
  [
    'has a filter that is too long',
    filtered({ in: { id: many(101, () => 'x'.repeat(10_000)) } }),
    'query.filter',
    /1000000 characters/,
  ],
  ['has 51 levels of not', filtered(nested(51, (not) => ({ not }))), 'query.filter', /50 levels/],
  [
    'has an element of 21 levels',
    filtered({ contains: { labelIds: deep(21) } }),
    'query.filter.contains.labelIds',
    /20 levels/,
  ],
  [
    'compares text with a relative date',
    filtered({ gt: { title: 'now-7d' } }),
    'query.filter.gt.title',
    /relative dates; dates are .*createdAt/,
  ],
  [
    'compares a date with no date',
    filtered({ gt: { createdAt: 'last week' } }),
    'query.filter.gt.createdAt',
    /date-time, such as/,
  ],
  [
    'compares with a day that does not exist',
    filtered({ eq: { dueDate: '2026-02-30' } }),
    'query.filter.eq.dueDate',
    /date-time/,
  ],
  ['orders objects', filtered({ lt: { state: {} } }), 'query.filter.lt.state', /cannot be compared/],
  [
    'has a path that is too long',
    filtered({ eq: { [`state.${'a'.repeat(500)}`]: 1 } }),
    `query.filter.eq.state`,
    /500 characters/,
  ],
  ['has a path with an empty part', sorted('state.'), 'query.sort.0.state.', /invalid part/],
];

describe('the library and the service report the same, with the same path, if a search', () => {
  test.each(drifts)('%s', async (_, params, path, message) => {
    const local = await inLibrary(params);
    expect(local.issues).toEqual([{ path: expect.stringContaining(path), message: expect.stringMatching(message) }]);
    const search = await startSearching();
    const { status, body } = await search(params);
    expect(status).toBe(422);
    expect(body.message).toBe(local.message);
    expect(body.hint ?? undefined).toBe(local.hint);
    expect(body.errors.map(({ field, message: text }: any) => [field, text])).toEqual(
      local.issues!.map((issue) => [issue.path, `${issue.path} ${issue.message}`]),
    );
  });
});

const names = [
  ...fields,
  'trashed',
  'state',
  'state.name',
  'labelIds',
  'labelIds.x',
  'updatedAt',
  'nowhere',
  'titel',
  'state."x',
];
const values = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    'x',
    1,
    1.5,
    -0,
    '12',
    '9007199254740993',
    true,
    null,
    {},
    [],
    ['x'],
    [1, null],
    'now-7d',
    'now',
  ),
  fc.constantFrom<unknown>('2026-01-31', '2026-02-30', '2026-01-31T09:30:00+02:00', 'x'.repeat(10_001), deep(21)),
  // The service reads an integer beyond 2^53 as a string.
  fc.jsonValue({ maxDepth: 2 }).filter((value) => !/\d{16}/.test(JSON.stringify(value))),
);
const condition = fc
  .tuple(fc.constantFrom(...Object.keys(operators), 'equals', 'title'), fc.constantFrom(...names), values)
  .map(([operator, field, value]) => ({ [operator]: { [field]: value } }));
const sound = fc.constantFrom<object>(
  { eq: { title: 'x', priority: null } },
  { gte: { createdAt: 'now-7d' }, lt: { dueDate: '2026-01-31' } },
  { in: { number: [1, 2.5] }, neq: { 'state.name': 'Done' } },
  { contains: { labelIds: 'x' }, any: { labelIds: ['x', 1] } },
  { contains: { title: 'x', 'state.name': 'x' }, startswith: { url: 'x' }, like: { updatedAt: '2026%' } },
  { fuzzy: { title: 'some words' }, keyword: { 'team.name': 'x' } },
);
const filter = fc.letrec<{ filter: object }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: sound, weight: 9 },
    { arbitrary: condition, weight: 3 },
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { maxLength: 2 }))
      .map(([name, list]) => ({ [name]: list })),
    tie('filter').map((not) => ({ not })),
    fc.constantFrom<object>({}, { eq: 'x' }, { and: {} }, []),
  ),
})).filter;
const direction = fc.constantFrom<unknown>('asc', 'desc', 'asc', 'desc', 'up');
const sort = fc.array(
  fc.tuple(fc.constantFrom(...names, 'count'), direction).map(([name, way]) => ({ [name]: way })),
  { maxLength: 3 },
);
const grouping = {
  count: fc.constantFrom<unknown>(true, false, 1),
  groupBy: fc.oneof(fc.constantFrom<unknown>(...names, 7), fc.array(fc.constantFrom(...names), { maxLength: 5 })),
  aggregates: fc.dictionary(
    fc.constantFrom('mean', 'count', 'title', 'a b'),
    fc
      .tuple(fc.constantFrom('avg', 'max', 'median'), fc.constantFrom(...names))
      .map(([operator, field]) => ({ [operator]: field })),
    { maxKeys: 2, noNullPrototype: true },
  ),
};
const query = fc.oneof(
  fc.record({ filter, sort, other: fc.constant(1) }, { requiredKeys: [] }),
  fc.record({ filter, sort }, { requiredKeys: ['filter'] }),
  fc.record({ filter, sort, ...grouping }, { requiredKeys: [] }),
);
const semantic = fc.record(
  {
    prompt: fc.constantFrom<unknown>('crash', ' ', 7),
    filter,
    field: fc.constantFrom('description', 'title'),
    context_size: fc.constantFrom<unknown>(1, 2048, 2049),
    dedup: fc.constantFrom('max', 'some'),
  },
  { requiredKeys: ['prompt'] },
);
const shape = {
  fields: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 2 }),
  limit: fc.constantFrom<unknown>(1, 2, 10, 100, 101, 10_000, 10_001, 1.5, '1'),
};
const searches = fc.oneof(
  { arbitrary: fc.record({ query, ...shape }, { requiredKeys: ['query'] }), weight: 4 },
  { arbitrary: fc.record({ semantic, ...shape }, { requiredKeys: ['semantic'] }), weight: 1 },
);

/** The service alone knows what a filter costs, and which paths records have. */
const isServiceOnly = (message: string) =>
  /exceeds the limit of 2000|is not in any record|leads into the array/.test(message);

test('a search is valid for the library if and only if the service accepts it', { timeout: 300_000 }, async () => {
  const search = await startSearching();
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(searches, async (params) => {
      const { status, body } = await search(params);
      const local = await library.check('issues', action, params).catch((error: unknown) => error);
      if (status === 200) accepted += 1;
      if (local === undefined) expect(status === 200 || isServiceOnly(body.message), body.message).toBe(true);
      else expect([status, body.message]).toEqual([422, local.message]);
    }),
    { numRuns: caseCount(3000) },
  );
  expect(accepted).toBeGreaterThan(caseCount(3000) / 20);
});

test('correcting filters with the field first takes no longer the deeper they are', async () => {
  const wrong = nested(40, (not) => ({ not, title: 'x' }));
  const started = performance.now();
  const { issues } = await inLibrary(filtered(wrong));
  expect(issues.length).toBeGreaterThan(0);
  // An attempt per level takes a few milliseconds; two for each level above took hours.
  expect(performance.now() - started).toBeLessThan(20_000);
});

test("editors show an operator's description", async () => {
  const { readFile } = await import('node:fs/promises');
  const source = await readFile(new URL('../../src/search/language/operators.ts', import.meta.url), 'utf8');
  for (const [name, { description }] of Object.entries(operators))
    expect(source).toContain(`  /** ${description} */\n  ${name}: {`);
});

test('the reference implementation knows every operator', () => {
  expect([...oracleOperators.keys()].sort()).toEqual(Object.keys(operators).sort());
});
