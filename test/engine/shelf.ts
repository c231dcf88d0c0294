import {
  accessToken,
  action,
  apiKey,
  type ConnectorOptions,
  connector,
  entity,
  get,
  type Limits,
  many,
  oauthRefresh,
  one,
  path,
  post,
  record,
  type Steps,
  saved,
} from 'agent-connectors';
import * as z from 'zod';

const id = z.string().trim().min(1);

/** A book, with one field taken from elsewhere in the payload and one object passed on unchanged. */
const Book = record(
  {
    id: z.string(),
    title: z.string().nullable(),
    pages: z.number().nullable(),
    author: z.looseObject({ name: z.string() }).nullable(),
    shelf: z.string().nullable(),
  },
  { shelf: ({ place }) => place?.shelf },
);

const Cursor = z.object({ next: z.string().nullable() });

const search = {
  fields: {
    string: ['id', 'title'],
    number: ['price'],
    integer: ['pages'],
    boolean: ['lent'],
    object: ['author'],
    array: ['tags'],
  },
  semantic: {
    title: { entity_fields: ['id'] },
    blurb: { entity_fields: ['id', 'title'], enrichments: ['authorName'] },
  },
} as const;

/** A small REST vendor: a class with the test's limits, endpoints and refresh style. */
export function shelfConnector(options: { limits?: Limits; style?: 'form' | 'query'; absolute?: string } = {}) {
  return connector({
    name: 'shelf',
    title: 'Shelf',
    description: 'Books on shelves.',
    version: '1.0.0',
    definitionId: '00000000-0000-4000-8000-000000000001',
    endpoints: { api: 'https://api.shelf.example/v1', auth: 'https://login.shelf.example' },
    auth: {
      api_key: apiKey('A key.', 'bearer'),
      access_token: accessToken('A token.'),
      oauth: oauthRefresh('An application.', { path: '/oauth/token', style: options.style ?? 'form' }),
    },
    limits: options.limits,
    entities: {
      books: entity({
        description: 'Books.',
        search,
        actions: {
          list: action({
            description: 'List books.',
            params: z.strictObject({
              cursor: z.string().min(1).optional(),
              size: z.int().min(1).max(100).optional(),
              language: z.enum(['de', 'en']).optional(),
              since: z.iso.date().optional(),
              tags: z.array(z.string()).min(1).optional(),
              within: z.strictObject({ from: z.number(), until: z.number().optional() }).optional(),
            }),
            returns: many(Book, Cursor),
            request: ({ cursor, size, language, tags }) => get('/books', { cursor, size: size ?? 2, language, tags }),
            read: ({ books, next }) => ({ data: books, meta: { next: next ?? null } }),
            next: ({ next }) => next !== null && { cursor: next },
            example: { size: 10 },
          }),
          get: action({
            description: 'Get a book.',
            params: z.strictObject({ id }),
            returns: one(Book),
            request: (params) => get(options.absolute ?? path`/books/${params.id}`),
            example: { id: 'b1' },
          }),
          create: action({
            description: 'Add a book; its id is made here.',
            params: z.strictObject({ title: z.string().min(1) }),
            returns: saved('book', Book),
            request: function* ({ title }, call): Steps {
              return yield {
                ...post('/books', { id: call.id, title }),
                settle: { by: 'id', id: call.id, request: get(path`/books/${call.id}`), read: (body) => body },
              };
            },
            example: { title: 'Emma' },
          }),
          update: action({
            description: 'Rename a book.',
            params: z.strictObject({ id, title: z.string().optional() }),
            returns: saved('book', Book),
            request: (params) => ({
              method: 'PATCH',
              url: options.absolute ?? path`/books/${params.id}`,
              json: { title: params.title },
            }),
            example: { id: 'b1', title: 'Emma' },
          }),
          move: action({
            description: 'Look where a book is, then put it elsewhere.',
            effect: 'write',
            params: z.strictObject({ id, shelf: z.string() }),
            returns: saved('book', Book),
            request: function* (params): Steps {
              const book = yield { ...get(path`/books/${params.id}`), effect: 'read' };
              return yield {
                method: 'PUT',
                url: path`/books/${params.id}/place`,
                json: { from: book.id, to: params.shelf },
              };
            },
            example: { id: 'b1', shelf: 'A' },
          }),
          delete: action({
            description: 'Throw a book away.',
            params: z.strictObject({ id }),
            returns: saved('book', Book),
            request: (params) => ({ method: 'DELETE', url: path`/books/${params.id}` }),
            example: { id: 'b1' },
          }),
        },
      }),
    },
  });
}

/** The connector with default settings. */
export const ShelfConnector = shelfConnector();

/** Credentials for tests in which they do not matter. */
export const key = { api_key: 'shelf_key_0123456789' } as const;

/** The connector with a given `fetch`. */
export const shelf = (
  fetch: typeof globalThis.fetch,
  options: Omit<ConnectorOptions<typeof ShelfConnector.manifest>, 'fetch'> = {},
) => new ShelfConnector({ credentials: key, ...options, fetch });

/** A payload as sent by the vendor. */
export const book = (bookId: string, more: object = {}) => ({
  id: bookId,
  title: `Title of ${bookId}`,
  pages: 100,
  author: { name: 'Jane' },
  place: { shelf: 'A' },
  ...more,
});
