import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { book, ShelfConnector, shelf } from './shelf.js';

type Options = { selectFields?: string[]; excludeFields?: string[]; maxStringLength?: number };

/** Applies shaping options to this data, in a connector whose transport stands in for the vendor. */
async function shaped(data: unknown, options: Options): Promise<any> {
  const connector = new ShelfConnector({ transport: async () => ({ data, meta: { next: null } }) });
  // With `raw`, the first name in a path can be any vendor field, like every name below it.
  return (await connector.execute('books', 'get', { id: 'x' }, { ...options, raw: true })).data;
}

const payload = {
  id: 'b1',
  author: { name: 'Jane', born: { year: 1775, place: 'Steventon' } },
  chapters: [
    { title: 'One', notes: [{ text: 'a', by: 'x' }] },
    { title: 'Two', notes: [] },
  ],
  'a.b': { c: 1, d: 2 },
  settings: { 'dark.mode': true, size: 2 },
};

describe('selectFields and excludeFields', () => {
  it.each([
    [['id'], { id: 'b1' }],
    [['author.name'], { author: { name: 'Jane' } }],
    [['author.born.year'], { author: { born: { year: 1775 } } }],
    [['author', 'author.name'], { author: payload.author }],
    [['author.name', 'author'], { author: payload.author }],
    [['chapters.title'], { chapters: [{ title: 'One' }, { title: 'Two' }] }],
    [['chapters.notes.by'], { chapters: [{ notes: [{ by: 'x' }] }, { notes: [] }] }],
    [['a.b'], { 'a.b': { c: 1, d: 2 } }],
    [['settings.dark.mode'], { settings: { 'dark.mode': true } }],
    [['absent'], {}],
    [['id.deeper'], {}],
  ])('keeps only %j', async (selectFields, kept) => {
    expect(await shaped(payload, { selectFields })).toEqual(kept);
  });

  it.each([
    [['author', 'chapters', 'a.b', 'settings'], { id: 'b1' }],
    [['id', 'chapters', 'a.b', 'settings', 'author.born'], { author: { name: 'Jane' } }],
    [['id', 'author', 'a.b', 'settings', 'chapters.notes'], { chapters: [{ title: 'One' }, { title: 'Two' }] }],
    [['id', 'author', 'a.b', 'chapters', 'settings.dark.mode'], { settings: { size: 2 } }],
  ])('removes %j', async (excludeFields, kept) => {
    expect(await shaped(payload, { excludeFields })).toEqual(kept);
  });

  it('excludes from what was selected', async () => {
    const options = { selectFields: ['author'], excludeFields: ['author.born.place'] };
    expect(await shaped(payload, options)).toEqual({ author: { name: 'Jane', born: { year: 1775 } } });
  });

  it('applies to each record of a list and leaves meta alone', async () => {
    const { fetch } = fakeFetch(() => json({ books: [book('b1'), book('b2')], next: 'c' }));
    const result = await shelf(fetch).execute('books', 'list', {}, { selectFields: ['id', 'author.name'] });
    expect(result).toEqual({
      data: [
        { id: 'b1', author: { name: 'Jane' } },
        { id: 'b2', author: { name: 'Jane' } },
      ],
      meta: { next: 'c' },
    });
  });

  it('keeps a null if a path goes deeper', async () => {
    expect(await shaped({ id: 'x', author: null }, { selectFields: ['author.name'] })).toEqual({ author: null });
  });

  it.each(['titel', 'constructor', '__proto__', 'book.title'])(
    'rejects the path %s before anything is sent',
    async (field) => {
      const { fetch, sent } = fakeFetch(() => json({ books: [] }));
      for (const name of ['selectFields', 'excludeFields']) {
        const error = await failure(shelf(fetch).execute('books', 'list', {}, { [name]: [field] }));
        expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: name }] });
        expect(error.message).toContain('id, title, pages, author, shelf');
      }
      expect(sent).toHaveLength(0);
    },
  );

  it('applies to a saved record nested under its key', async () => {
    const { fetch } = fakeFetch(() => json(book('b1')));
    const { data } = await shelf(fetch).execute('books', 'update', { id: 'b1' }, { selectFields: ['book.id'] });
    expect(data).toEqual({ book: { id: 'b1' } });
  });
});

describe('maxStringLength', () => {
  it('truncates longer strings at any depth and reports how much is missing', async () => {
    const data = { id: 'x', short: 'abcd', author: { bio: 'abcdefgh', notes: ['0123456789'] } };
    expect(await shaped(data, { maxStringLength: 4 })).toEqual({
      id: 'x',
      short: 'abcd',
      author: { bio: 'abcd… [4 more characters]', notes: ['0123… [6 more characters]'] },
    });
  });

  it('never splits a surrogate pair', async () => {
    const { text } = await shaped({ text: 'ab🙂cdef' }, { maxStringLength: 3 });
    expect(text).toBe('ab… [6 more characters]');
  });

  it('accepts a length of 0', async () => {
    expect(await shaped({ text: 'abc' }, { maxStringLength: 0 })).toEqual({ text: '… [3 more characters]' });
  });
});

const keys = fc.constantFrom('a', 'b', 'c', 'a.b', 'b.c', '__proto__', 'constructor', 'é');
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('node'), { maxLength: 3 }),
  object: fc.dictionary(keys, tie('node'), { maxKeys: 4 }),
})).object;
const paths = fc.array(
  fc.array(keys, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
  { minLength: 1, maxLength: 4 },
);

/** Whether everything in `part` is in `whole` at the same position; lists keep their length. */
function within(part: any, whole: any): boolean {
  if (Array.isArray(part)) {
    return Array.isArray(whole) && part.length === whole.length && part.every((item, at) => within(item, whole[at]));
  }
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.keys(part).every((name) => Object.hasOwn(whole, name) && within(part[name], whole[name]));
}

describe('shaping arbitrary data', () => {
  it('only removes data', async () => {
    await fc.assert(
      fc.asyncProperty(value, paths, paths, async (data, selectFields, excludeFields) => {
        expect(within(await shaped(data, { selectFields, excludeFields }), data)).toBe(true);
      }),
    );
  });

  it('is idempotent', async () => {
    await fc.assert(
      fc.asyncProperty(value, paths, async (data, fields) => {
        for (const options of [{ selectFields: fields }, { excludeFields: fields }]) {
          const once = await shaped(data, options);
          expect(await shaped(once, options)).toEqual(once);
        }
      }),
    );
  });

  it('does not modify its input', async () => {
    await fc.assert(
      fc.asyncProperty(value, paths, async (data, fields) => {
        const before = structuredClone(data);
        await shaped(data, { selectFields: fields, excludeFields: fields, maxStringLength: 1 });
        expect(data).toEqual(before);
      }),
    );
  });

  it('never leaves a lone surrogate at the cut', async () => {
    const text = fc.string({ unit: 'grapheme' });
    await fc.assert(
      fc.asyncProperty(text, fc.nat(20), async (given, maxStringLength) => {
        const cut: string = (await shaped({ given }, { maxStringLength })).given;
        const isWellFormed = () => encodeURIComponent(cut);
        expect(isWellFormed).not.toThrow();
        if (given.length <= maxStringLength) expect(cut).toBe(given);
        else expect(given.startsWith(cut.slice(0, cut.lastIndexOf('… [')))).toBe(true);
      }),
    );
  });
});
