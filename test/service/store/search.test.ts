import { describe, expect, it } from 'vitest';
import type { Store } from '../../../service/src/data/records/types.js';
import { collection, kinds, newStore, searchIds, tasks } from './fixtures.js';

const records = [
  {
    id: 'a',
    title: 'Fix the login page',
    notes: 'It breaks\u0000 at 100%',
    createdAt: '2024-03-01T10:00:00+02:00',
    ownerId: 'ann',
    priority: 1,
    views: '9007199254740993',
    done: false,
    state: { name: 'open', rank: 2 },
    labels: ['bug', 'web'],
  },
  {
    id: 'b',
    title: 'Write the report',
    createdAt: '2024-03-01T08:00:00Z',
    priority: 3,
    views: 9007199254740992,
    done: true,
    state: { name: 'closed', rank: 1 },
    labels: ['web'],
    unlisted: 'not kept',
  },
  { id: 'c', title: 'Plan the release', createdAt: '2024-02-01', priority: null, views: '42', state: null, labels: [] },
];

it('ends a page of long records before its limit, yields to other work while reading it, and continues after it on the next page', async () => {
  const store = await newStore({ folder: ':memory:', entities: [tasks] });
  const long = 'x'.repeat(2 * 2 ** 20);
  const written = Array.from({ length: 5 }, (_, index) => ({ id: `a${index}`, state: { long } }));
  await store.write(collection, written);
  const query = { sort: [{ id: 'desc' }] };
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const first = await store.search({ ...collection, params: { query, limit: 100 } });
  clearImmediate(timer);
  // One turn per record: other work does not have to wait until all have been read.
  expect(turns).toBeGreaterThanOrEqual(3);
  expect([first.data.length, first.meta.has_more]).toEqual([4, true]);
  const rest: string[] = [];
  for (let cursor = first.meta.cursor; cursor !== null; ) {
    const page = await store.search({ ...collection, params: { query, limit: 100, cursor } });
    rest.push(...page.data.map(({ id }) => String(id)));
    cursor = page.meta.cursor;
  }
  const ids = [...first.data.map(({ id }) => String(id)), ...rest];
  expect(ids).toEqual(written.map(({ id }) => id).reverse());
});

describe.each(kinds)('in %s', { timeout: 600_000 }, (_, open) => {
  it('lists the records that fit the words of a question best first, page by page', async () => {
    const store = await open([tasks]);
    const titles = [
      'Quarterly plan',
      'A plan for the quarterly review of sales',
      'Sales review',
      'The quarterly sales review, postponed',
      'QUARTERLY sales review!',
      'Review of quarterly sales',
      'Lunch',
    ];
    await store.write(
      collection,
      titles.map((title, index) => ({ id: `t${index}`, title, notes: index === 6 ? 'quarterly sales review' : null })),
    );
    const found = async (filter: object, limit = 2) => {
      const ids: unknown[] = [];
      let cursor: string | null = null;
      do {
        const params: object = { query: { filter }, limit, ...(cursor !== null && { cursor }) };
        const page: Awaited<ReturnType<Store['search']>> = await store.search({ ...collection, params });
        ids.push(...page.data.map(({ id }) => id));
        cursor = page.meta.cursor;
      } while (cursor !== null);
      return ids.join(' ');
    };
    const question = 'Quarterly sales review';
    for (const limit of [1, 2, 3, 100]) {
      expect(await found({ keyword: { title: question } }, limit)).toBe('t4 t3 t1 t5 t2 t0');
      const either = { or: [{ keyword: { title: question } }, { keyword: { notes: question } }] };
      expect(await found(either, limit)).toBe('t4 t3 t6 t1 t5 t2 t0');
    }
    expect(await found({ keyword: { title: question }, neq: { title: 'Sales review' } })).toBe('t4 t3 t1 t5 t0');
    expect(await found({ keyword: { title: 'lunch review' } })).toBe('t1 t2 t3 t4 t5 t6');
    expect(await found({ keyword: { title: 'plan' } })).toBe('t0 t1');
    expect(await found({ not: { keyword: { title: question } } })).toBe('t6');
    const long = 'the quarterly review of the sales plan was postponed for lunch';
    expect(await found({ keyword: { title: long } })).toBe('t1 t3 t4 t5 t0 t2 t6');
  });

  it('runs queries with every operator, with pages, sort orders and projections', async () => {
    const store = await open([tasks]);
    await store.write(collection, records);
    const ids = (filter: object, sort?: object[]) => searchIds(store, { query: { filter, ...(sort && { sort }) } });

    expect(await ids({ eq: { createdAt: '2024-03-01T08:00:00.000Z' } })).toEqual(['a', 'b']);
    expect(await ids({ gt: { views: '9007199254740992' } })).toEqual(['a']);
    expect(await ids({ neq: { priority: 1 } })).toEqual(['b', 'c']);
    expect(await ids({ not: { gt: { priority: 1 } } })).toEqual(['a', 'c']);
    expect(await ids({ in: { priority: [null, 3] } })).toEqual(['b', 'c']);
    expect(await ids({ like: { notes: 'it BREAKS% at 100\\%' } })).toEqual(['a']);
    expect(await ids({ keyword: { title: 'REPORT nothing' } })).toEqual(['b']);
    expect(await ids({ fuzzy: { title: 'fix logn' } })).toEqual(['a']);
    expect(await ids({ fuzzy: { title: 'logn fix' } })).toEqual([]);
    expect(await ids({ contains: { labels: 'web' } })).toEqual(['a', 'b']);
    expect(await ids({ array_contains: { labels: 'web' } })).toEqual(['a', 'b']);
    expect(await ids({ contains: { notes: '0%' } })).toEqual(['a']);
    expect(await ids({ contains: { 'state.name': 'LOS' } })).toEqual(['b']);
    expect(await ids({ startswith: { title: 'WRITE' } })).toEqual(['b']);
    expect(await ids({ startswith: { createdAt: '2024-03-01T08' } })).toEqual(['b']);
    expect(await ids({ endswith: { title: 'page' } })).toEqual(['a']);
    expect(await ids({ any: { labels: ['bug', 'none'] } })).toEqual(['a']);
    expect(await ids({ eq: { 'state.name': 'open' } })).toEqual(['a']);
    expect(await ids({ eq: { labels: ['bug', 'web'] } })).toEqual(['a']);
    expect(await ids({ or: [{ eq: { done: true } }, { eq: { state: null } }] })).toEqual(['b', 'c']);
    expect(await ids({ neq: { id: 'zzz' } }, [{ priority: 'desc' }])).toEqual(['b', 'a', 'c']);
    expect(await ids({ neq: { id: 'zzz' } }, [{ 'state.rank': 'asc' }])).toEqual(['b', 'a', 'c']);

    const { data, meta } = await store.search({ ...collection, params: { query: {}, limit: 2 } });
    const { unlisted, ...kept } = records[1] as Record<string, unknown>;
    expect(data).toEqual([records[0], { ...kept, notes: null, ownerId: null }]);
    const total = { total: 3, total_is_exact: true };
    expect(meta).toEqual({ has_more: true, cursor: expect.any(String), took_ms: expect.any(Number), ...total });
    const projected = await store.search({
      ...collection,
      params: { query: {}, fields: ['id', 'state.name'], limit: 3 },
    });
    expect(projected.data).toEqual([
      { id: 'a', state: { name: 'open' } },
      { id: 'b', state: { name: 'closed' } },
      { id: 'c', state: null },
    ]);
    expect(projected.meta).toMatchObject({ has_more: false, cursor: null });
  });

  it('reports the total again after every change', async () => {
    const store = await open([tasks]);
    const total = async (filter: object) => {
      const params = { query: { filter }, limit: 1 };
      return (await store.search({ ...collection, params })).meta.total;
    };
    const totals = () => Promise.all([total({ gte: { priority: 2 } }), total({ lt: { priority: 100 } })]);
    await store.write(
      collection,
      [1, 2, 3].map((priority) => ({ id: `t${priority}`, priority })),
    );
    expect([await totals(), await totals()]).toEqual([
      [2, 3],
      [2, 3],
    ]);
    await store.write(collection, [{ id: 't1', priority: 4 }]);
    expect(await totals()).toEqual([3, 3]);
    await store.remove(collection, ['t2']);
    expect(await totals()).toEqual([2, 2]);
    await store.write({ ...collection, connectorId: 'con_other' }, [{ id: 't9', priority: 9 }]);
    expect(await totals()).toEqual([2, 2]);
  });

  it('decides again after every change whether there are too many records to count', async () => {
    const store = await open([tasks]);
    // At most 18 records are counted with a filter that costs 1,600.
    const costly = Array.from({ length: 40 }, (_, at) => ({ fuzzy: { title: `login${at} page` } }));
    const areExact = async () => {
      const filters = [{ or: costly }, { or: costly.toReversed() }];
      const found = filters.map((filter) => store.search({ ...collection, params: { query: { filter }, limit: 1 } }));
      return (await Promise.all(found)).map(({ meta }) => [meta.total, meta.total_is_exact]);
    };
    const titled = (at: number) => ({ id: `t${at}`, title: 'Login page' });
    const [exact, inexact] = [Array(2).fill([18, true]), Array(2).fill([2, false])];
    await store.write(
      collection,
      Array.from({ length: 18 }, (_, at) => titled(at)),
    );
    expect([await areExact(), await areExact()]).toEqual([exact, exact]);
    await store.write(collection, [titled(18)]);
    expect([await areExact(), await areExact()]).toEqual([inexact, inexact]);
    await store.remove(collection, ['t3']);
    expect(await areExact()).toEqual(exact);
  });

  it('reports a correct total if a page ends early because its records are large', async () => {
    const store = await open([tasks]);
    const notes = 'long text '.repeat(30_000);
    await store.write(
      collection,
      Array.from({ length: 60 }, (_, index) => ({ id: `t${index}`, title: 'Large', notes })),
    );
    for (const filter of [undefined, { eq: { title: 'Large' } }]) {
      const { data, meta } = await store.search({ ...collection, params: { query: { filter }, limit: 10_000 } });
      expect([data.length < 60, meta.has_more]).toEqual([true, true]);
      expect(meta).toMatchObject({ total: 60, total_is_exact: true });
    }
  });

  it('counts what a write inserts, updates and leaves unchanged, and keeps connectors separate', async () => {
    const store = await open([tasks]);
    expect(await store.write(collection, records)).toEqual({ inserted: 3, updated: 0, unchanged: 0 });
    const changed = [{ ...records[0], title: 'Mend the login page' }, records[1]!, { id: 'd' }, { id: 'd' }];
    expect(await store.write(collection, changed)).toEqual({ inserted: 1, updated: 1, unchanged: 1 });
    expect(await searchIds(store, { query: { filter: { keyword: { title: 'fix' } } } })).toEqual([]);
    expect(await searchIds(store, { query: { filter: { fuzzy: { title: 'mendd' } } } })).toEqual(['a']);

    const other = { ...collection, connectorId: 'con_2' };
    await store.write(other, [{ id: 'a', title: 'Another login' }]);
    expect(await searchIds(store, { query: { filter: { keyword: { title: 'login' } } } })).toEqual(['a']);
    expect(await store.get(other, ['a', 'b'])).toMatchObject([{ id: 'a', record: { title: 'Another login' } }]);
    expect(await store.remove(collection, ['a', 'nothing'])).toBe(1);
    expect(await store.count(collection)).toBe(3);
    expect(await store.count(other)).toBe(1);
    expect(await store.removeConnector('con_1')).toBe(3);
    expect([await store.count(collection), await store.connectors()]).toEqual([0, ['con_2']]);
    expect(await store.write(collection, [records[0]!])).toMatchObject({ inserted: 1 });
    expect(await searchIds(store, { query: { filter: { fuzzy: { title: 'logn' } } } })).toEqual(['a']);
  });

  it('distinguishes records with long ids in any script', async () => {
    const store = await open([tasks]);
    const hanzi = (seed: number, length: number) =>
      Array.from({ length }, (_, at) =>
        String.fromCodePoint(0x4e00 + ((seed + at * at * 7919 + at * 104_729) % 20_000)),
      ).join('');
    const shared = hanzi(1, 900);
    const ids = [
      hanzi(2, 320),
      hanzi(3, 400),
      `a${hanzi(4, 333)}`,
      `${shared}x`,
      `${shared}y`,
      `🎉${hanzi(5, 2000)}`,
      'a'.repeat(1000),
      'a'.repeat(1001),
    ];
    const long = ids.map((id, index) => ({
      id,
      title: hanzi(index, 330),
      ownerId: hanzi(index, 333),
      priority: index,
    }));
    expect(await store.write(collection, long)).toMatchObject({ inserted: ids.length });
    expect(await store.write(collection, long)).toMatchObject({ unchanged: ids.length });
    expect(new Set(await searchIds(store, { query: {}, limit: 3 }))).toEqual(new Set(ids));
    for (const [index, id] of ids.entries()) {
      expect(await searchIds(store, { query: { filter: { eq: { id } } } })).toEqual([id]);
      expect(await searchIds(store, { query: { filter: { neq: { id }, eq: { priority: index } } } })).toEqual([]);
    }
    expect(await searchIds(store, { query: { filter: { in: { id: ids.slice(2) } } } })).toHaveLength(ids.length - 2);
    expect((await store.get(collection, ids.slice(0, 5))).map(({ record }) => record.id)).toHaveLength(5);
    expect(await store.remove(collection, ids)).toBe(ids.length);
  });

  it('neither skips nor repeats a record while others are added and removed', async () => {
    const store = await open([tasks]);
    const steady = Array.from({ length: 60 }, (_, index) => ({
      id: `s${index}`,
      priority: index % 7,
      title: 'steady',
    }));
    await store.write(collection, steady);
    const seen: unknown[] = [];
    let cursor: string | null = null;
    for (let page = 0; page === 0 || cursor !== null; page++) {
      const query = { sort: [{ priority: 'desc' }] };
      const { data, meta }: Awaited<ReturnType<typeof store.search>> = await store.search({
        ...collection,
        params: { query, limit: 7, ...(cursor !== null && { cursor }) },
      });
      seen.push(...data.filter(({ title }) => title === 'steady').map(({ id }) => id));
      cursor = meta.cursor;
      await store.write(collection, [{ id: `new${page}`, priority: page % 9 }]);
      await store.remove(collection, [`new${page - 1}`]);
    }
    expect(seen).toHaveLength(60);
    expect(new Set(seen).size).toBe(60);
  });

  it('rejects a cursor that was altered or belongs to another search', async () => {
    const store = await open([tasks]);
    await store.write(collection, records);
    await store.write({ ...collection, connectorId: 'con_2' }, records);
    const params = { query: { sort: [{ title: 'asc' }] }, limit: 1 };
    const { meta } = await store.search({ ...collection, params });
    const cursor = meta.cursor!;
    const flipped = [...cursor].map((sign, index) => (index === 30 ? (sign === 'A' ? 'B' : 'A') : sign)).join('');
    const ask = (of: object, given: object) => store.search({ ...collection, ...of, params: { ...params, ...given } });
    const refusal = { code: 'invalid_params', issues: [{ path: 'cursor' }] };
    await expect(ask({}, { cursor: flipped })).rejects.toMatchObject(refusal);
    await expect(ask({}, { cursor: `${cursor}=` })).rejects.toMatchObject(refusal);
    await expect(ask({}, { cursor: 'x' })).rejects.toMatchObject(refusal);
    await expect(ask({ connectorId: 'con_2' }, { cursor })).rejects.toMatchObject(refusal);
    await expect(ask({}, { cursor, query: { sort: [{ title: 'desc' }] } })).rejects.toMatchObject(refusal);
    await expect(ask({}, { cursor, limit: 2 })).resolves.toMatchObject({ data: [{ id: 'c' }, { id: 'b' }] });
  });

  it('compares texts of any length and sorts them page by page', async () => {
    const store = await open([tasks]);
    const lengths = [1, 500, 999, 1000, 1001, 2500];
    const titles = lengths.flatMap((length) => [
      'a'.repeat(length),
      `${'a'.repeat(length)}b`,
      `b${'ä'.repeat(length)}`,
      `\u{1f600}${'z'.repeat(length)}`,
    ]);
    const records = [...titles, ...titles, null].map((title, index) => ({ id: `t${index + 100}`, title }));
    await store.write(collection, records);
    const byTitle = (one: { title: string | null }, other: { title: string | null }) =>
      Buffer.compare(Buffer.from(one.title!), Buffer.from(other.title!));
    const titled = records.filter(({ title }) => title !== null);
    for (const [direction, sign] of [
      ['asc', 1],
      ['desc', -1],
    ] as const) {
      const wanted = [...titled].sort((one, other) => sign * byTitle(one, other) || (one.id < other.id ? -1 : 1));
      const seen: unknown[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const params = { query: { sort: [{ title: direction }] }, limit: 3, ...(cursor && { cursor }) };
        const { data, meta } = await store.search({ ...collection, params });
        seen.push(...data.map(({ id }) => id));
        cursor = meta.cursor;
      }
      expect(seen).toEqual([...wanted.map(({ id }) => id), 't148']);
    }
    for (const title of titles) {
      const behind = titled.filter((record) => byTitle(record, { title }) > 0).map(({ id }) => id);
      expect(await searchIds(store, { query: { filter: { gt: { title } } }, limit: 100 })).toEqual(behind);
    }
  });
});
