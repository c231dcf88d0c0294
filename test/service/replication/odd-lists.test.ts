import { expect, test } from 'vitest';
import { type DepotAnswer, startDepot } from './depot.js';
import { syncAndWait } from './setup.js';

type Query = Readonly<Record<string, string>>;

/** A list in pages, in response to cursors. */
const paged =
  (...pages: readonly (readonly object[])[]) =>
  ({ cursor = '0' }: Query): DepotAnswer => ({
    rows: pages[Number(cursor)],
    ...(Number(cursor) + 1 < pages.length && { next: String(Number(cursor) + 1) }),
  });

const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;

test('a record on two pages, which was moved or updated while they were read, is stored once, as sent last', async () => {
  const list = paged(
    [
      { id: 'a', label: 'one', updatedAt: at(1) },
      { id: 'b', label: 'old', updatedAt: at(1) },
    ],
    [
      { id: 'b', label: 'new', updatedAt: at(2) },
      { id: 'b', label: 'newer', updatedAt: at(2) },
      { id: 'c', label: 'three', updatedAt: at(1) },
    ],
  );
  const { search } = await startDepot(['whole', 'changed'], { whole: list, changed: list });
  for (const entity of ['whole', 'changed']) {
    const { data, meta } = await search(entity);
    expect(data.map(({ id, label }: any) => [id, label]).sort()).toEqual([
      ['a', 'one'],
      ['b', 'newer'],
      ['c', 'three'],
    ]);
    expect(meta).toMatchObject({ total: 3, total_is_exact: true, complete: true });
  }
});

test('an empty text, null and a missing value stay what they are, and an id keeps its case and digits', async () => {
  const rows = [
    { id: 'A1', label: '', updatedAt: at(1) },
    { id: 'a1', label: null, updatedAt: at(1) },
    { id: '9007199254740993', updatedAt: at(1) },
  ];
  const { tenant, id, search, answers } = await startDepot(['whole'], { whole: paged(rows) });
  const contents = async () => (await search('whole')).data.map(({ id, label }: any) => [id, label]);
  const expected = [
    ['9007199254740993', null],
    ['A1', ''],
    ['a1', null],
  ];
  expect((await contents()).sort()).toEqual(expected);
  // Numbers above 2^53 in JSON are not rounded, and lists in another order change nothing.
  answers.whole = () =>
    new Response(`{"rows":${JSON.stringify([...rows].reverse()).replace('"9007199254740993"', '9007199254740993')}}`);
  expect((await syncAndWait(tenant, id)).counts).toMatchObject({ inserted: 0, updated: 0, removed: 0, unchanged: 3 });
  expect((await contents()).sort()).toEqual(expected);
});

test('a record that is missing from one list and back in the next has its new values', async () => {
  const { tenant, id, search, answers } = await startDepot(['whole'], {
    whole: paged([{ id: 'a', label: 'before', updatedAt: at(1) }], [{ id: 'b', label: 'b', updatedAt: at(1) }]),
  });
  answers.whole = paged([{ id: 'b', label: 'b', updatedAt: at(1) }]);
  expect((await syncAndWait(tenant, id)).counts.removed).toBe(1);
  answers.whole = paged([{ id: 'a', label: 'after', updatedAt: at(1) }], [{ id: 'b', label: 'b', updatedAt: at(1) }]);
  expect((await syncAndWait(tenant, id)).counts.inserted).toBe(1);
  expect((await search('whole')).data.map(({ label }: any) => label).sort()).toEqual(['after', 'b']);
});

test.each([
  ['a byte order mark', 'application/json', Buffer.from('\ufeff{"rows":[{"id":"a","label":"Café"}]}')],
  [
    'a wrongly declared encoding',
    'application/json; charset=ISO-8859-1',
    Buffer.from('{"rows":[{"id":"a","label":"Café"}]}'),
  ],
])('JSON with %s keeps its letters', async (_, type, body) => {
  const { search } = await startDepot(['whole'], {
    whole: () => new Response(new Uint8Array(body), { headers: { 'content-type': type } }),
  });
  expect((await search('whole')).data.map(({ label }: any) => label)).toEqual(['Café']);
});

test.each([
  ['no content', () => new Response(null, { status: 204 })],
  ['a redirect to a page', () => new Response(null, { status: 302, headers: { location: 'https://login.example/' } })],
  ['a list of null', () => ({ rows: [null] })],
  ['null instead of a list', () => ({ rows: null })],
])('%s instead of a list changes nothing, and searches say so', async (_, answer) => {
  const rows = [{ id: 'a', label: 'one', updatedAt: at(1) }];
  const { tenant, id, search, answers } = await startDepot(['whole'], { whole: paged(rows) });
  answers.whole = answer as () => DepotAnswer;
  await tenant.ask('POST', `/api/v1/integrations/connectors/${id}/sync`);
  await expect.poll(async () => (await search('whole')).meta.complete).toBe(false);
  expect((await search('whole')).data.map(({ label }: any) => label)).toEqual(['one']);
});
