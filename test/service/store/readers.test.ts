import { describe, expect, it } from 'vitest';
import { cosine, vectorOf, WordEmbedder } from './embedder.js';
import { collection, kinds, newStore, tasks } from './fixtures.js';
import { embedAll } from './semantic-sample.js';

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

describe('a semantic search in SQLite', { timeout: 60_000 }, () => {
  const words = Array.from({ length: 30 }, (_, index) => `word${index}`);
  const all = Array.from({ length: 900 }, (_, index) => {
    const isSeen = (index * 7) % 10 < 7;
    const own = [1, 2, 3, 4].map((step) => words[(index * step + Math.floor(index / 30)) % 30]);
    // Nearly all records about the plan are hidden, and the hidden ones mention it most.
    const plans = isSeen ? Number(index % 30 === 0) : index < 820 ? 3 : 0;
    return {
      id: `t${index}`,
      notes: `${own.join(' ')}${' plan'.repeat(plans)}`,
      done: isSeen,
      labels: [isSeen ? 'anyone' : 'user:bo@x.test'],
    };
  });
  const entity = { ...tasks, semantic: ['notes'], readers: 'labels' };
  const open = async () => {
    const store = await newStore({ folder: ':memory:', entities: [entity], embedders: [new WordEmbedder()] });
    await store.write(collection, all, ({ notes }) => [
      {
        field: 'notes',
        text: String(notes),
        passages: [{ start: 0, end: String(notes).length, attribution: {} }],
      },
    ]);
    await embedAll(store);
    return async (of: object, prompt: string, mode: string, more: object = {}) => {
      const params = { semantic: { prompt, mode, ...more }, limit: 20 };
      const { hits } = await store.semanticSearch({ ...collection, ...of, params });
      return hits.map(({ record, score }) => ({ id: record.id, score }));
    };
  };
  const isSeen = (id: unknown) => all.find((one) => one.id === id)!.done;

  it('ranks the records a reader can see as if no others existed, even if few are hidden or hidden ones would rank first', async () => {
    const search = await open();
    const filter = { filter: { eq: { done: true } } };
    const vectors = all.filter(({ done }) => done).map(({ notes }) => vectorOf(notes));
    for (const prompt of ['word1 word2', 'plan', 'plan word4']) {
      const wanted = vectors.map((vector) => cosine(vector, vectorOf(prompt))).sort((one, other) => other - one);
      const dense = await search(ana, prompt, 'dense');
      expect(dense).toHaveLength(20);
      for (const [place, { score }] of dense.entries()) expect(score).toBeCloseTo(Math.max(0, wanted[place]!), 3);
      for (const mode of ['lexical', 'dense', 'hybrid']) {
        const found = await search(ana, prompt, mode);
        expect(found).toHaveLength(20);
        expect(found.filter(({ id }) => !isSeen(id))).toEqual([]);
        expect(await search({}, prompt, mode, filter)).toEqual(found);
        expect(await search(ana, prompt, mode, { filter: { like: { id: 't%' } } })).toEqual(found);
      }
    }
  });
});
