import { ConnectorError } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { insideOf, outsideOf, tokensIn, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

const things = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `${at}`, text: 'x', size: at }));
const list = { entity: 'things', action: 'list' };
const onPage = (data: unknown, meta: object, options = {}) =>
  toolsOf(shelf(() => ({ data, meta: { next: null, ...meta } })).connector, options).execute;

describe('the next page', () => {
  const { vendors, fetch } = createSandbox({ seed: 7 });
  const credentials = Object.values(vendors['google-analytics'].credentials)[0]! as never;
  const { execute } = toolsOf(new GoogleAnalyticsConnector({ credentials, fetch }));
  const run = (params: object) =>
    execute.run({ entity: 'pages', action: 'list', params: { property_id: '320200001', ...params } });

  test('of a report is given as an offset, along with the total number of rows', async () => {
    const { text, data } = await run({ limit: 3 });
    const total = (data as { meta: { row_count: number } }).meta.row_count;
    expect(total).toBeGreaterThan(3);
    expect(text).toContain(`${total} in total. For the next page, repeat the call with {"offset":3} in params.`);
    expect(outsideOf((await run({ limit: 3, offset: 3 })).text)).toContain('{"offset":6}');
    const exact = outsideOf((await run({ limit: 3, offset: total - 3 })).text);
    expect(exact).not.toMatch(/next page|more/);
  });

  test('is not mentioned if the last record is on a full page', async () => {
    const { text } = await onPage(things(31), {}).run({ ...list, params: { limit: 31 } });
    expect(outsideOf(text)).not.toMatch(/more|next page/);
  });

  test('comes with the record count if the vendor provides one', async () => {
    const { text } = await onPage(things(2), { next: 'p2', total_records: 7 }).run(list);
    expect(outsideOf(text)).toContain('7 in total. For the next page, repeat the call with {"cursor":"p2"}');
  });

  test('is given with its value and meta in the first part of a truncated result', async () => {
    const data = things(400);
    const { text } = await onPage(data, { next: 'abc==' }, { maxOutputTokens: 500 }).run(list);
    expect(text).toContain('Truncated:');
    expect(outsideOf(text)).toContain('{"cursor":"abc=="}');
    expect(insideOf(text).inside).toMatch(/^id\|text\|size\n0\|x\|0\n/);
  });

  test.each(['do as I say', 'a\nb', 'x'.repeat(5_000)])('stays inside the fence if it is %j', async (next) => {
    const { text } = await onPage(things(1), { next }).run(list);
    expect(outsideOf(text)).toContain('cursor set to meta.next.');
    expect(insideOf(text).inside).toContain(`meta ${JSON.stringify({ next })}`);
    expect(outsideOf(text)).not.toContain(next);
  });

  test('is not offered without a cursor', async () => {
    expect((await onPage(things(1), { next: '', hasMore: true }).run(list)).text).toContain(
      'the vendor sent no cursor',
    );
  });

  test('is derived from meta if a connector cannot provide it', async () => {
    const { connector } = shelf(({ params }) => ({ data: things(params.limit), meta: { next: 'p2' } }));
    const bare = {
      describe: () => connector.describe(),
      execute: (...args: Parameters<typeof connector.execute>) => connector.execute(...args),
    };
    const { text } = await toolsOf(bare as never).execute.run(list);
    expect(outsideOf(text)).toContain('repeat the call with {"cursor":"p2"} in params');
  });

  test('of an empty report is not derived from required parameters', async () => {
    const dateRanges = [{ startDate: '2015-09-01', endDate: '2015-09-02' }];
    const { text, data } = await run({ dateRanges });
    expect((data as { data: unknown[] }).data).toEqual([]);
    expect(outsideOf(text)).toContain('The period may be empty: try another (dateRanges).');
    expect(outsideOf(text)).not.toContain('property_id');
  });
});

describe('advice to reduce a large result', () => {
  const hintOf = async (data: unknown) =>
    (await onPage(data, {}).run({ ...list, view: 'full' })).text.split('\n').at(-1);

  test.each([
    ['one field', { transcript: 'word '.repeat(400) }],
    ['one field and an id', { callId: '1', transcript: 'word '.repeat(400) }],
    ['two fields', { dimensionValues: 'word '.repeat(300), metricValues: 'word '.repeat(100) }],
  ])('does not suggest omitting the only content: %s', async (_, record) => {
    const hint = await hintOf(Array.from({ length: 25 }, () => record));
    expect(hint).toBe('To reduce the result: select_fields with only the fields you need, or a smaller limit.');
  });

  test('suggests fewer ids or a shorter period if the page size cannot be set', async () => {
    const { vendors, fetch } = createSandbox({ seed: 7 });
    const credentials = Object.values(vendors.gong.credentials)[0]! as never;
    const { execute } = toolsOf(new GongConnector({ credentials, fetch }), { maxOutputTokens: 500 });
    const listed = await execute.run({ entity: 'calls', action: 'list', select_fields: ['id'] });
    expect(listed.text).toContain('or a shorter period (fromDateTime, toDateTime).');
    const callIds = insideOf(listed.text).inside.split('\n').slice(1, 6);
    const run = (filter: object) => execute.run({ entity: 'call_transcripts', action: 'list', params: { filter } });
    const { text } = await run({ callIds });
    expect(text).toContain('or fewer filter.callIds.');
    expect(text).not.toContain('exclude_fields');
    const period = { fromDateTime: '2001-01-01T00:00:00Z', toDateTime: '2001-01-02T00:00:00Z' };
    const none = await run(period);
    expect(outsideOf(none.text)).toContain('try another (filter.fromDateTime, filter.toDateTime).');
  });

  test('suggests omitting the largest fields if others are useful', async () => {
    const record = { id: '1', title: 'x', state: 'done', note: null, text: 'word '.repeat(400) };
    expect(await hintOf(Array.from({ length: 25 }, () => record))).toContain('exclude_fields with text (');
  });
});

describe('the hint after a failure', () => {
  const missing = () =>
    shelf(() => {
      throw new ConnectorError('not_found', 'No such thing.');
    }).connector;
  const get = { entity: 'things', action: 'get', params: { id: '9' } };

  test('names the connector if there are several', async () => {
    const { execute } = toolsOf({ left: missing(), right: missing() });
    expect((await execute.run({ connector: 'right', ...get })).text).toContain(
      'More: read_skill_docs with connector "right" and section "',
    );
    // Without a connector in the call, there is no page to name.
    expect((await execute.run(get)).text).not.toContain('More:');
    expect((await toolsOf(missing()).execute.run(get)).text).toContain('More: read_skill_docs with section "');
  });

  test('suggests a search only if a service can run it', async () => {
    expect((await toolsOf(missing()).execute.run(get)).text).toContain('Get ids from things.list.');
    const served = { mode: 'hosted', context_store_readiness: null, warnings: [] };
    const hosted = Object.assign(missing(), { inspect: async () => served });
    expect((await toolsOf(hosted).execute.run(get)).text).toContain('things.list or things.context_store_search');
  });
});

test('continue needs no other arguments, with one connector or several', async () => {
  const { connector } = shelf(() => ({ data: things(400), meta: { next: null } }));
  const { execute } = toolsOf({ left: connector, right: shelf(() => null).connector }, { maxOutputTokens: 500 });
  expect(execute.inputSchema).toMatchObject({ required: [] });
  const { data } = await execute.run({ connector: 'left', ...list });
  const rest = await execute.run({ continue: (data as { continue: string }).continue });
  expect(rest.isError).toBe(false);
  expect(tokensIn(rest.text)).toBeLessThanOrEqual(500);
});
