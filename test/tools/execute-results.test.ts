import { describe, expect, test } from 'vitest';
import { connectorsOn, insideOf, outsideOf, readAll, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

const things = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `${at}`, text: 'x', size: at }));

describe('a list', () => {
  test.each([
    ['linear', 'issues', 'first'],
    ['granola', 'notes', 'page_size'],
    ['drive', 'files', 'pageSize'],
  ] as const)('of %s returns 25 records by default', async (name, entity, parameter) => {
    const { [name]: connector } = connectorsOn();
    const { execute } = toolsOf(connector);
    const { data } = await execute.run({ entity, action: 'list', select_fields: ['id'] });
    expect((data as any).data).toHaveLength(25);
    const few = await execute.run({ entity, action: 'list', params: { [parameter]: 2 } });
    expect((few.data as any).data).toHaveLength(2);
  });

  test('returns the same number even if the action has a larger default', async () => {
    const { connector, sent } = shelf(() => ({ data: [], meta: { next: null } }));
    const { execute } = toolsOf(connector);
    await execute.run({ entity: 'things', action: 'list' });
    await execute.run({ entity: 'things', action: 'list', params: { limit: 700 } });
    expect(sent.map(({ params }) => params.limit)).toEqual([25, 700]);
  });

  test('can be read page by page using only the text', async () => {
    const { granola } = connectorsOn();
    const { execute } = toolsOf(granola);
    const seen: string[] = [];
    for (let params: object = {}; ; ) {
      const { text } = await execute.run({ entity: 'notes', action: 'list', params, select_fields: ['id'] });
      const [columns, ...ids] = insideOf(text).inside.split('\n');
      expect(columns).toBe('id');
      seen.push(...ids);
      const [, next] = /repeat the call with (\{.+\}) in params/.exec(text) ?? [];
      if (next === undefined) break;
      params = JSON.parse(next);
    }
    expect(seen.length).toBeGreaterThan(30);
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('a search', () => {
  const found = () => shelf(() => ({ data: things(1), meta: { has_more: false, cursor: null, took_ms: 1 } }));
  const search = { entity: 'things', action: 'context_store_search' };

  test('with conditions returns 25 records; a semantic one returns the usual ten', async () => {
    const { connector, sent } = found();
    const { execute } = toolsOf(connector);
    await execute.run({ ...search, params: { query: {} } });
    await execute.run({ ...search, params: { semantic: { prompt: 'x' } } });
    await execute.run({ ...search, params: { query: {}, limit: 100 } });
    expect(sent.map(({ params }) => params.limit)).toEqual([25, undefined, 100]);
  });

  test('that is semantic returns 300 characters around a hit by default', async () => {
    const { connector, sent } = found();
    const { execute } = toolsOf(connector);
    await execute.run({ ...search, params: { semantic: { prompt: 'x' } } });
    await execute.run({ ...search, params: { semantic: { prompt: 'x', context_size: 2000 } } });
    const semantic = sent.map((one) => (one.params as { semantic: object }).semantic);
    expect(semantic).toEqual([
      { prompt: 'x', context_size: 300 },
      { prompt: 'x', context_size: 2000 },
    ]);
  });

  test('without a service says what to do instead', async () => {
    const { execute } = toolsOf(connectorsOn().linear);
    const { text, isError } = await execute.run({
      entity: 'issues',
      action: 'context_store_search',
      params: { query: {} },
    });
    expect(isError).toBe(true);
    expect(text).toMatch(/^Failed: hosted_only[\s\S]+list and get work without/);
  });

  test('is suggested by a list with unsupported filters, if it is allowed', async () => {
    const filtered = { entity: 'things', action: 'list', params: { filter: 'x' } };
    const lead = 'Hint: things.context_store_search filters';
    const inspect = async () => ({ mode: 'hosted' as const, context_store_readiness: null, warnings: [] });
    const connector = Object.assign(shelf(() => ({ data: [] })).connector, { inspect });
    expect((await toolsOf(connector).execute.run(filtered)).text).toContain(lead);
    const { text } = await toolsOf(connector, { allow: ['*.list'] }).execute.run(filtered);
    expect(text).toContain('filter is unknown');
    expect(text).not.toContain(lead);
    const local = await toolsOf(connectorsOn().linear).execute.run({ ...filtered, entity: 'issues' });
    expect(local.text).not.toContain('context_store_search filters');
  });

  test('that finds nothing reports how many records were searched, how recent they are, and what exists', async () => {
    const fields = { 'state.name': { values: ['Backlog', 'Done'], note: 'eq is case-sensitive' } };
    const empty = { of: 268, as_of: '2026-11-23T12:49:03.000Z', fields };
    const none = async (meta: object) => {
      const { connector } = shelf(() => ({ data: [], meta: { has_more: false, cursor: null, took_ms: 1, ...meta } }));
      return (await toolsOf(connector).execute.run({ ...search, params: { query: {} } })).text;
    };
    const text = await none({ empty });
    expect(outsideOf(text)).toContain(
      '0 of 268 things (replica of 2026-11-23 12:49 UTC). For values of the filtered fields, see meta.empty.',
    );
    // Values come from the vendor, so they stay between the marks.
    expect(outsideOf(text)).not.toContain('Backlog');
    expect(insideOf(text).inside).toMatch(/state\.name.*Backlog.*eq is case-sensitive/);
    expect(await none({ empty: { of: 0, as_of: null } })).toContain('The replica has no things.');
    const updating = { readiness: { status: 'initializing', ready_for_search: false }, empty };
    expect(await none(updating)).toMatch(/0 of 268 things .*The replica may be incomplete: see meta\.readiness/);
  });

  test('says first, in words, what the replica does not have', async () => {
    const missing = [
      { reason: 'withheld', entity: 'things', permanent: true, count: 2, detail: '2 private records left out.' },
      { reason: 'sync_failed', entity: 'things', after: '2026-11-23T12:49:03.000Z', detail: 'The last sync failed.' },
      { reason: 'first_sync', entity: 'things', before: '2026-02-24T00:00:00.000Z', detail: 'It is running.' },
    ];
    const meta = { total: 7, complete: false, missing, has_more: false, cursor: null };
    const { execute } = toolsOf(shelf(() => ({ data: [{ id: 'a' }], meta })).connector);
    const { text } = await execute.run({ ...search, params: { query: {} } });
    expect(insideOf(text).inside.split('\n').slice(0, 4)).toEqual([
      'Incomplete after 2026-11-23T12:49:03.000Z: The last sync failed.',
      'Incomplete before 2026-02-24T00:00:00.000Z: It is running.',
      'Not included: 2 private records left out.',
      'meta {"total":7}',
    ]);
  });

  test('says once what the vendor withholds, also if the result has several parts', async () => {
    const gap = { reason: 'withheld', entity: 'things', detail: '2 private records left out.' };
    const failed = { ...gap, reason: 'sync_failed', detail: 'The last sync failed.' };
    const meta = { missing: [{ ...gap, permanent: true }, failed], has_more: false, cursor: null };
    const data = Array.from({ length: 200 }, (_, id) => ({ id: `record-${id}`, name: 'x'.repeat(40) }));
    const { connector } = shelf(() => ({ data, meta }));
    const { execute } = toolsOf(connector, { maxOutputTokens: 1_000 });
    const call = { ...search, params: { query: {} } };
    const parts = await readAll(execute, call);
    const said = (texts: string[], words: string) => texts.map((text) => text.includes(words));
    expect(said(parts, 'private')).toEqual([true, ...parts.slice(1).map(() => false)]);
    expect(parts.join('')).not.toContain('data has changed');
    expect(parts.join('\n').match(/record-\d+/g)).toHaveLength(200);
    const again = await execute.run(call);
    expect(said([again.text], 'private')).toEqual([false]);
    expect(said([again.text], 'last sync failed')).toEqual([true]);
    const full = await execute.run({ ...call, view: 'full' });
    const other = await execute.run(call, { reported: new Set() });
    expect(said([full.text, other.text], 'private')).toEqual([true, true]);
    const fresh = toolsOf(connector);
    expect(said([(await fresh.execute.run(call)).text], 'private')).toEqual([true]);
    expect((await fresh.execute.run(call)).data).toMatchObject({ meta: { missing: meta.missing } });
  });

  test("that finds nothing refers to the replica's status", async () => {
    const meta = { has_more: false, cursor: null, took_ms: 1, readiness: { status: 'initializing' } };
    const { execute } = toolsOf(shelf(() => ({ data: [], meta })).connector);
    const { text } = await execute.run({ ...search, params: { query: {} } });
    expect(outsideOf(text)).toContain('see meta.readiness');
    expect(insideOf(text).inside).toContain('initializing');
  });
});

describe('an empty list', () => {
  const list = (meta: object, params?: object) =>
    toolsOf(shelf(() => ({ data: [], meta: { next: null, ...meta } })).connector).execute.run({
      entity: 'things',
      action: 'list',
      params,
    });

  test('names the filters that excluded everything', async () => {
    expect(outsideOf((await list({}, { colour: 'red', limit: 5 })).text)).toContain('Nothing matches colour;');
  });

  test('without filters is complete', async () => {
    expect((await list({})).text).toContain('There are no things that these credentials can see.');
  });

  test('that has a next page says so', async () => {
    const { text } = await list({ next: 'p2' });
    expect(text).toContain('empty, but it is not the last');
    expect(text).toContain('repeat the call with {"cursor":"p2"} in params');
  });

  test('with excluded records says so', async () => {
    expect((await list({ private_dropped: 3 })).text).toContain('see meta.private_dropped');
  });
});

describe('fields', () => {
  test('can be selected and excluded, even inside arrays', async () => {
    const { execute } = toolsOf(connectorsOn().linear);
    const run = (more: object) => execute.run({ entity: 'issues', action: 'list', params: { first: 3 }, ...more });
    const { data: chosen } = (await run({ select_fields: ['title', 'state.name'] })).data as any;
    expect(Object.keys(chosen[0])).toEqual(['title', 'state']);
    expect(Object.keys(chosen[0].state)).toEqual(['name']);
    const { data: rest } = (await run({ exclude_fields: 'description, team' })).data as any;
    expect(Object.keys(rest[0])).not.toEqual(expect.arrayContaining(['description']));
    expect(Object.keys(rest[0])).toContain('title');
  });

  test('given as null, an empty text or an empty list are as if omitted', async () => {
    const { execute } = toolsOf(connectorsOn().linear);
    const run = (more: object) => execute.run({ entity: 'teams', action: 'list', params: { first: 3 }, ...more });
    const { data } = await run({});
    for (const empty of [null, '', [], '[]']) {
      expect((await run({ select_fields: empty, exclude_fields: empty })).data).toEqual(data);
    }
  });

  test("that do not exist get suggestions, with the tool's names", async () => {
    const { execute } = toolsOf(connectorsOn().linear);
    const { text, isError } = await execute.run({ entity: 'issues', action: 'list', select_fields: '["titel"]' });
    expect(isError).toBe(true);
    expect(text).toContain("select_fields: 'titel' is not a field. Did you mean 'title'?");
  });

  test('that account for most of a large result are named', async () => {
    const heavy = Array.from({ length: 25 }, (_, at) => ({
      id: `${at}`,
      name: 'x',
      text: 'word '.repeat(200),
      size: 1,
    }));
    const { execute } = toolsOf(shelf(() => ({ data: heavy, meta: { next: null } })).connector);
    const { text } = await execute.run({ entity: 'things', action: 'list', view: 'full' });
    expect(text).toMatch(
      /To reduce the result: select_fields .+ exclude_fields with text \(\d+ %\), or a smaller limit\.$/,
    );
  });
});
