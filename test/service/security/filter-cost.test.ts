import { describe, expect, it } from 'vitest';
import { collection, kinds, tasks } from '../store/fixtures.js';

/** Text with this many words of typical length. */
const text = (length: number) => Array.from({ length }, (_, index) => `word${index}`).join(' ');

describe.each(kinds)('a filter that is too expensive, in %s,', (_, open) => {
  it('is rejected with its cost and the limit', async () => {
    const store = await open([tasks]);
    const search = (filter: object) => store.search({ ...collection, params: { query: { filter } } });
    const fuzzy = Array.from({ length: 50 }, () => ({ fuzzy: { notes: text(200) } }));
    await expect(search({ or: fuzzy })).rejects.toMatchObject({
      code: 'invalid_params',
      issues: [
        {
          path: 'query.filter',
          message:
            'costs 101000, which exceeds the limit of 2000: 50 fuzzy conditions cost 101000; use fewer or shorter ones',
        },
      ],
    });
    await expect(search({ like: { notes: `%${'a'.repeat(3000)}b` } })).rejects.toThrow('1 like condition costs 3012');
    await expect(search({ any: { labels: Array.from({ length: 20_000 }, String) } })).rejects.toThrow(
      'exceeds the limit of 2000',
    );
  });

  it('costs far more than the filters in real programs', async () => {
    const store = await open([tasks]);
    const filter = {
      and: [
        { or: Array.from({ length: 20 }, () => ({ fuzzy: { title: text(3) } })) },
        { or: Array.from({ length: 20 }, () => ({ like: { notes: '%some words of a sentence%' } })) },
        { in: { ownerId: Array.from({ length: 5000 }, String) } },
        { keyword: { notes: text(30) } },
      ],
    };
    expect((await store.search({ ...collection, params: { query: { filter } } })).data).toEqual([]);
  });
});
