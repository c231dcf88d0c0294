import { accessToken, action, connector, entity, get, many, notes, record } from 'agent-connectors';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { fakeFetch, json } from './fake-fetch.js';

const Book = record({ id: z.string() });

/** A connector that omits books without an id, and reports that. */
class Library extends connector({
  name: 'library',
  title: 'Library',
  description: 'Made by a test.',
  version: '1.0.0',
  definitionId: '00000000-0000-4000-8000-000000000006',
  endpoints: { api: 'https://api.library.example' },
  auth: { token: accessToken('A token.') },
  entities: {
    books: entity({
      description: 'Books.',
      actions: {
        list: action({
          description: 'List books.',
          params: z.strictObject({}),
          returns: many(Book, z.object({ total: z.int(), notes })),
          request: () => get('/books'),
          read: (books: Array<{ id?: string }>) => {
            const kept = books.filter(({ id }) => id);
            const left = books.length - kept.length;
            return {
              data: kept,
              meta: { total: books.length },
              notes: [left > 0 && `${left} without an id left out.`, false],
            };
          },
          example: {},
        }),
      },
    }),
  },
}) {}

const library = (body: object) =>
  new Library({ credentials: { access_token: 'made-token-0123' }, fetch: fakeFetch(() => json(body)).fetch });

test('meta.notes lists what a default omitted, and is absent otherwise', async () => {
  const { meta } = await library([{ id: '1' }, {}]).books.list();
  expectTypeOf(meta.notes).toEqualTypeOf<string[] | undefined>();
  expect(meta).toEqual({ total: 2, notes: ['1 without an id left out.'] });
  expect((await library([{ id: '1' }]).books.list()).meta).toStrictEqual({ total: 1 });
});

test('describe() marks notes as an optional extension', () => {
  const { meta } = Library.describe().entities[0]!.actions[0]!;
  expect(meta).toMatchObject({ required: ['total'], properties: { notes: { type: 'array', extension: true } } });
});
