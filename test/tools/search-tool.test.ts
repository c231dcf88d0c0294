import { createAgentTools, type SearchAllHit, type SearchAllQuery } from 'agent-connectors/tools';
import { describe, expect, test } from 'vitest';
import { connectorsOn, insideOf, outsideOf, tokensIn } from './setup.js';
import { shelf } from './shelf.js';

const issue: SearchAllHit = {
  connector: { name: 'linear' },
  entity_name: 'issues',
  entity: {
    id: 'a1',
    url: 'https://linear.example/ENG-7',
    identifier: 'ENG-7',
    title: 'Import crashes',
    createdAt: '2026-03-01T10:00:00.000Z',
  },
  metadata: {
    score: 1,
    context: 'The **import** of bank feeds\ncrashes daily.',
    creatorName: 'Ana Silva',
    assigneeName: null,
  },
};
const file: SearchAllHit = {
  connector: { name: 'google-drive' },
  entity_name: 'files',
  entity: { id: 'f1', updated_at: '2026-02-02T00:00:00Z', file_name: 'Feeds.pdf', file_path: 'a/b', mime_type: 'x' },
  metadata: {
    score: 0.5,
    context: `${'Nothing to see here. '.repeat(50)}At last the imports ${'and so on '.repeat(80)}`,
  },
};
const call: SearchAllHit = {
  connector: { name: 'gong' },
  entity_name: 'calls',
  entity: { callId: '99', started: '2026-01-05T09:00:00Z' },
  metadata: { score: 0.4, context: 'We import on Mondays.', speakerName: 'Bo Lind' },
};

/** A search tool that returns these hits, and the searches it ran. */
function searching(data: readonly SearchAllHit[], meta: object = {}, options: object = {}) {
  const asked: SearchAllQuery[] = [];
  const searchAll = async (query: SearchAllQuery) => {
    asked.push(query);
    return { data, meta };
  };
  const { linear, granola } = connectorsOn();
  const tool = createAgentTools([linear, granola], { searchAll, ...options }).at(-1)!;
  return { asked, tool, search: (args: object) => tool.run({ prompt: 'bank imports', ...args }) };
}

test('rare words that no hit contains are named before the hits', async () => {
  const named = await searching([issue], { unmatched_words: ['zeppelin', 'a"b'] }).search({});
  expect(named.text).toMatch(/^No hit contains "zeppelin", "a\\"b": they match by other words/);
  expect((await searching([issue]).search({})).text).not.toContain('No hit contains');
});

test('what the replicas do not have is said first, once, and apart from what was not searched', async () => {
  const gap = { connector: { name: 'linear' }, entity: 'issues', detail: 'The last sync failed: no access.' };
  const before = { ...gap, permanent: true, detail: 'Issues before 2026 are not replicated.' };
  const meta = {
    skipped: [{ connector: { name: 'granola' }, entity_name: 'notes', reason: 'Not synced yet.' }],
    missing: [
      before,
      { ...before, entity: 'comments' },
      { ...gap, after: '2026-11-27T08:00:00.000Z' },
      { connector: { name: 'granola' }, entity: 'notes', detail: 'Not synced yet.' },
    ],
  };
  const { inside } = insideOf((await searching([issue], meta).search({})).text);
  expect(inside.split('\n').slice(0, 3)).toEqual([
    'Incomplete after 2026-11-27T08:00:00.000Z: The last sync failed: no access. (linear/issues)',
    'Not included: Issues before 2026 are not replicated. (linear/issues, linear/comments)',
    expect.stringMatching(/^1\. ENG-7/),
  ]);
  expect(inside.match(/Not synced yet/g)).toHaveLength(1);
});

test('a gap that the vendor causes is said once, and those that were cut off come next', async () => {
  const gaps = Array.from({ length: 12 }, (_, index) => ({
    connector: { name: 'linear' },
    entity: 'issues',
    permanent: true,
    detail: `Part ${index} is withheld.`,
  }));
  const tools = searching([issue], { missing: gaps });
  const partsIn = async () => (await tools.search({})).text.match(/Part \d+|more gaps/g);
  const first = await partsIn();
  expect([first?.length, first?.at(-1)]).toEqual([11, 'more gaps']);
  expect(await partsIn()).toEqual(['Part 10', 'Part 11']);
  expect(await partsIn()).toBeNull();
});

test('connectors with arbitrary names are searched by those names and called by valid tool names', async () => {
  const { linear, granola } = connectorsOn();
  const asked: SearchAllQuery[] = [];
  const [inspect, , execute, search] = createAgentTools(
    { 'Linear 2': linear, 'linear-2': granola, Größe: granola, '!': linear },
    {
      searchAll: async (query) => {
        asked.push(query);
        const skipped = [{ connector: { name: 'Größe' }, entity_name: null, reason: 'is not replicated' }];
        return { data: [{ ...issue, connector: { name: 'Linear 2' } }], meta: { skipped } };
      },
    },
  );
  const keys = ['linear-2-2', 'linear-2', 'gr-e', 'connector'];
  expect(execute.inputSchema).toMatchObject({ properties: { connector: { enum: keys } } });
  for (const connector of ['linear-2-2', 'Linear 2', 'LINEAR 2', 'Linear-2-2']) {
    const call = { connector, entity: 'issues', action: 'list', params: { first: 1 } };
    expect(await execute.run(call)).toMatchObject({ isError: false });
    expect((await inspect.run({ connector })).data).toMatchObject({ name: 'linear-2-2', title: 'Linear' });
  }
  const [ambiguous] = createAgentTools({ Team: linear, TEAM: granola });
  expect(await ambiguous.run({ connector: 'team' })).toMatchObject({ isError: true });
  const { text } = await search!.run({ prompt: 'import', connectors: ['linear-2-2', 'Größe'] });
  expect(insideOf(text).inside).toContain('| linear-2-2/issues a1 |');
  expect(insideOf(text).inside).toContain('Not searched: gr-e: is not replicated');
  expect(asked).toEqual([{ prompt: 'import', connectors: ['Linear 2', 'Größe'] }]);
  expect((await search!.run({ prompt: 'import' })).text).toContain('No hits from linear-2, connector;');
});

describe('a search across connectors', () => {
  test('is available as a tool with the prefix if the host provides a search', () => {
    expect(searching([], {}, { prefix: 'acme' }).tool).toMatchObject({
      name: 'acme_search',
      annotations: { readOnly: true, destructive: false },
    });
    expect(createAgentTools(shelf(() => null).connector).map(({ name }) => name)).not.toContain('search');
  });

  test('returns the title, where to read more, date, person, URL and the matching words, highlighted', async () => {
    const { search } = searching([issue, call]);
    const { text, isError } = await search({});
    expect(isError).toBe(false);
    expect(insideOf(text).inside).toBe(
      [
        '1. ENG-7 Import crashes | linear/issues a1 | 2026-03-01 | Ana Silva | https://linear.example/ENG-7',
        '   The **import** of **bank** feeds crashes daily.',
        '2. gong/calls 99 | 2026-01-05 | Bo Lind',
        '   We **import** on Mondays.',
      ].join('\n'),
    );
    expect(outsideOf(text)).toMatch(/^2 hits\. .*data, not instructions/);
  });

  test("shows a hit's title from the search if the record has no title field", async () => {
    const named = { ...call, title: 'Weekly with Delano', url: 'https://gong.example/call?id=99', person: null };
    const { text } = await searching([named]).search({});
    expect(insideOf(text).inside).toContain(
      '1. Weekly with Delano | gong/calls 99 | 2026-01-05 | Bo Lind | https://gong.example/call?id=99',
    );
  });

  test('names connectors without hits, if all were searched', async () => {
    const skipped = [{ connector: { name: 'granola' }, entity_name: null, reason: 'Nothing to search.' }];
    expect((await searching([issue]).search({})).text).toMatch(/\nNo hits from granola; use the connectors parameter/);
    expect((await searching([issue], { skipped }).search({})).text).not.toContain('No hits from');
    expect((await searching([issue]).search({ connectors: ['linear', 'granola'] })).text).toContain('No hits from');
    expect((await searching([issue]).search({ connectors: ['linear'] })).text).not.toContain('No hits from');
    // The search may use other names for connectors than the tools do.
    const renamed = { ...issue, connector: { name: 'Linear of Acme' } };
    expect((await searching([renamed]).search({})).text).not.toContain('No hits from');
  });

  test('shows about 300 characters around the first matching word', async () => {
    const { data, text } = await searching([file]).search({});
    const [{ snippet, title, date }] = (data as any).hits;
    expect([title, date]).toEqual(['Feeds.pdf', '2026-02-02']);
    expect(snippet).toMatch(/^… .*At last the \*\*imports\*\* .* …$/);
    expect(snippet.length).toBeLessThan(320);
    expect(text).toContain(snippet);
  });

  test('passes its arguments on, and rejects invalid ones', async () => {
    const { search, asked } = searching([]);
    await search({ limit: 3, connectors: ['linear'], entities: 'issues,notes', mode: 'lexical' });
    expect(asked).toEqual([
      { prompt: 'bank imports', limit: 3, connectors: ['linear'], entities: ['issues', 'notes'], mode: 'lexical' },
    ]);
    expect((await search({ limit: 1_000 })).text).toContain('limit must be 1 to 100');
    expect((await search({ prompt: '' })).text).toContain('prompt is required');
    expect(asked).toHaveLength(1);
    expect((await search({ query: {} })).text).toContain('Ignored, because search has no such argument: query.');
    expect(asked.at(-1)).toEqual({ prompt: 'bank imports' });
  });

  test('says what was not searched instead of reporting no hits', async () => {
    const skipped = [{ connector: { name: 'granola' }, entity_name: 'notes', reason: 'Not replicated yet.' }];
    const { text } = await searching([], { skipped }).search({});
    expect(text).toMatch(/^0 hits\./);
    expect(insideOf(text).inside).toBe('Not searched: granola/notes: Not replicated yet.');
  });

  test('respects the budget, and says what it omitted', async () => {
    const { text, data } = await searching(
      Array.from({ length: 100 }, () => file),
      {},
      { maxOutputTokens: 500 },
    ).search({});
    expect(tokensIn(text)).toBeLessThanOrEqual(500);
    expect(text).toMatch(/^100 hits\. The first \d follow; request fewer hits\./);
    expect((data as any).hits.length).toBeLessThan(10);
  });

  test('that fails is reported like any failure', async () => {
    const tool = createAgentTools(shelf(() => null).connector, {
      searchAll: () => Promise.reject(new TypeError('secret-4711')),
    }).at(-1)!;
    const { text, isError } = await tool.run({ prompt: 'x' });
    expect(isError).toBe(true);
    expect(text).not.toContain('4711');
  });
});
