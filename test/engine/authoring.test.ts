import {
  accessToken,
  action,
  connector,
  entity,
  get,
  many,
  oauthRefresh,
  one,
  record,
  type Steps,
} from 'agent-connectors';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';

const Note = record({ id: z.string(), text: z.string().nullable() });
const read = (more: object = {}) =>
  action({
    description: 'Read.',
    params: z.strictObject({}),
    returns: one(Note),
    request: () => get('/notes/1'),
    example: {},
    ...more,
  });

/** A connector with one entity, whose actions the test supplies. */
const made = (actions: Record<string, ReturnType<typeof read>>, name = 'notes') =>
  connector({
    name: 'made',
    title: 'Made',
    description: 'Made by a test.',
    version: '1.0.0',
    definitionId: '00000000-0000-4000-8000-000000000002',
    endpoints: { api: 'https://api.made.example' },
    auth: {
      token: accessToken('A token.'),
      oauth: oauthRefresh('An application.', { path: '/oauth/token', style: 'form' }),
    },
    entities: { [name]: entity({ description: 'Notes.', actions }) },
  });

const credentials = { access_token: 'made-token-0123' };

describe('a manifest', () => {
  it.each(['execute', 'paginate', 'describe', 'constructor', 'toString'])('cannot call an entity %s', (name) => {
    expect(() => made({ get: read() }, name)).toThrow(`an entity cannot be named '${name}'`);
  });

  it('treats actions with unknown names as having the most severe effect, unless they declare an effect', async () => {
    const { fetch, sent } = fakeFetch(() => json({ id: '1' }));
    const Made = made({ purge: read(), peek: read({ effect: 'read' }) });
    const notes = new Made({ credentials, fetch, readOnly: true }) as any;
    expect((await failure(notes.notes.purge())).code).toBe('denied_by_policy');
    await notes.notes.peek();
    expect(sent).toHaveLength(1);
    expect(Made.describe().entities[0]!.actions.map(({ effect }) => effect)).toEqual(['destroy', 'read']);
  });

  it('can continue after a failed step', async () => {
    const request = function* (): Steps {
      try {
        return yield get('/notes/draft');
      } catch {
        return yield get('/notes/1');
      }
    };
    const { fetch, sent } = fakeFetch(({ url }) =>
      url.pathname.endsWith('draft') ? json({}, 404) : json({ id: '1' }),
    );
    const Made = made({ get: read({ request }) });
    const { data } = await (new Made({ credentials, fetch }) as any).notes.get();
    expect(data.id).toBe('1');
    expect(sent).toHaveLength(2);
  });

  it('that does not catch a failed step passes the error on', async () => {
    const request = function* (): Steps {
      return yield get('/notes/1');
    };
    const { fetch } = fakeFetch(() => json({}, 403));
    const Made = made({ get: read({ request }) });
    expect((await failure((new Made({ credentials, fetch }) as any).notes.get())).code).toBe('forbidden');
  });

  it('whose own code throws reports a ConnectorError instead of the original error', async () => {
    const { fetch } = fakeFetch(() => json({ id: '1' }));
    const fail = () => {
      throw new TypeError('x is not a function');
    };
    for (const more of [{ read: fail }, { request: fail }]) {
      const Made = made({ get: read(more) });
      const error = await failure((new Made({ credentials, fetch }) as any).notes.get());
      expect(error).toMatchObject({ code: 'invalid_response', retryable: false });
      expect(error.message).toContain('notes.get');
    }
  });

  it('can require several types and describes what each parameter requires', async () => {
    const params = z.strictObject({
      when: z.union([z.string(), z.int()]),
      count: z.int(),
      kind: z.enum(['a', 'b']),
      mail: z.email().optional(),
    });
    const Made = made({ get: read({ params }) });
    const notes = new Made({ credentials }) as any;
    expect((await failure(notes.notes.get({}))).issues).toEqual([
      { path: 'when', message: 'is required (see the parameter table)' },
      { path: 'count', message: 'is required (number)' },
      { path: 'kind', message: 'is required (one of "a", "b")' },
    ]);
    expect((await failure(notes.notes.get({ when: true, count: 1.5, kind: 'c', mail: 'x' }))).issues).toEqual([
      { path: 'when', message: 'does not match any accepted form' },
      { path: 'count', message: 'must be an integer' },
      { path: 'kind', message: 'must be one of "a", "b"' },
      { path: 'mail', message: 'must be a valid email' },
    ]);
  });

  it('returns each list as a single page if no next is defined', async () => {
    const list = action({
      description: 'List.',
      params: z.strictObject({}),
      returns: many(Note, z.object({})),
      request: () => get('/notes'),
      read: (body) => ({ data: body.notes }),
      example: {},
    });
    const { fetch, sent } = fakeFetch(() => json({ notes: [{ id: '1' }, { id: '2' }] }));
    const Made = made({ list: list as any });
    const found: unknown[] = [];
    for await (const note of (new Made({ credentials, fetch }) as any).paginate('notes', 'list')) found.push(note);
    expect(found).toEqual([
      { id: '1', text: null },
      { id: '2', text: null },
    ]);
    expect(sent).toHaveLength(1);
  });

  it('that calls another origin does not renew the token when that origin rejects it', async () => {
    const oauth = { client_id: 'c', client_secret: 's3cret', refresh_token: 'r3fresh', access_token: 'given-token' };
    const { fetch, sent } = fakeFetch(() => json({}, 401));
    const Made = made({ get: read({ request: () => get('https://elsewhere.example/notes/1') }) });
    const error = await failure((new Made({ credentials: oauth, fetch }) as any).notes.get());
    expect(error.code).toBe('unauthorized');
    expect(sent.map(({ url }) => url.host)).toEqual(['elsewhere.example']);
  });
});
