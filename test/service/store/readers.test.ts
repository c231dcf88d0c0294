import { describe, expect, it } from 'vitest';
import { collection, kinds, tasks } from './fixtures.js';

const readers = [['user:ana@x.test'], ['anyone', 'user:bo@x.test'], [], null, ['user:ana@x.test.evil']];
const records = Array.from({ length: 50 }, (_, index) => ({
  id: `t${String(index).padStart(2, '0')}`,
  title: `Task ${index} w${index}`,
  labels: readers[index % readers.length],
}));
const ana = { ...collection, readers: ['user:ana@x.test', 'anyone'] };
const seen = records.filter((_, index) => index % 5 < 2).map(({ id }) => id);

describe.each(kinds)('in %s', { timeout: 600_000 }, (_, open) => {
  it('counts, pages, groups and suggests only what a reader is allowed to see', async () => {
    const store = await open([{ ...tasks, readers: 'labels' }]);
    await store.write(collection, records);
    const found: unknown[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { data, meta } = await store.search({ ...ana, params: { query: {}, limit: 7, ...(cursor && { cursor }) } });
      found.push(...data.map(({ id }) => id));
      if (!cursor) expect(meta).toMatchObject({ total: 20, total_is_exact: true });
      cursor = meta.cursor;
    }
    expect(found.sort()).toEqual(seen);
    const count = await store.search({ ...ana, params: { query: { count: true } } });
    expect(count.data).toEqual([{ count: 20 }]);
    const { data, meta } = await store.search({ ...ana, params: { query: { filter: { eq: { title: 'w2' } } } } });
    expect(data).toEqual([]);
    expect(meta.empty!.of).toBe(20);
    expect(JSON.stringify(meta.empty)).not.toMatch(/w2\b|w3\b|w4\b/);
    expect((await store.get(ana, ['t00', 't02', 't03', 't04'])).map(({ id }) => id)).toEqual(['t00']);
    expect(await store.countHidden(ana)).toBe(30);
    expect(await store.countHidden(collection)).toBe(0);
  });

  it('returns nothing for an entity with unknown readers', async () => {
    const store = await open([tasks]);
    await store.write(collection, records);
    expect((await store.search({ ...ana, params: { query: {} } })).data).toEqual([]);
    expect(await store.get(ana, ['t00'])).toEqual([]);
  });
});
