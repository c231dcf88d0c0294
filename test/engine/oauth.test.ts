import type { TokenRefresh } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it, vi } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json, type SentRequest } from './fake-fetch.js';
import { ShelfConnector, shelfConnector } from './shelf.js';
import { skipBackoff } from './time.js';

const oauth = { client_id: 'client+id', client_secret: 's3cret&=%', refresh_token: 'r3fresh/0' };
const isToken = ({ url }: SentRequest) => url.pathname.endsWith('/oauth/token');
const bearer = ({ headers }: SentRequest) => headers.get('authorization');

/** A vendor that rotates its tokens: `access-1` is issued with `refresh-1`, and only the newest is valid. */
function rotating(more: object = { expires_in: 3_600 }) {
  let count = 0;
  const valid = { access: 'none yet', refresh: oauth.refresh_token };
  const { fetch, sent } = fakeFetch(async (one) => {
    if (!isToken(one)) {
      return bearer(one) === `Bearer ${valid.access}` ? json({ books: [] }) : json({ error: 'expired' }, 401);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (new URLSearchParams(one.body).get('refresh_token') !== valid.refresh)
      return json({ error: 'invalid_grant' }, 400);
    count++;
    Object.assign(valid, { access: `access-${count}`, refresh: `refresh-${count}` });
    return json({ access_token: valid.access, refresh_token: valid.refresh, token_type: 'bearer', ...more });
  });
  const expire = () => Object.assign(valid, { access: 'another' });
  return { fetch, sent, expire, refreshes: () => sent.filter(isToken) };
}

describe('a refresh', () => {
  it('is sent as a form (RFC 6749) with the client credentials in the body', async () => {
    const { fetch, refreshes } = rotating();
    await new ShelfConnector({ credentials: oauth, fetch }).execute('books', 'list');
    const [request] = refreshes();
    expect(request!.method).toBe('POST');
    expect(request!.url.href).toBe('https://login.shelf.example/oauth/token');
    expect(request!.headers.get('content-type')).toBe('application/x-www-form-urlencoded');
    expect(request!.headers.get('authorization')).toBeNull();
    expect(Object.fromEntries(new URLSearchParams(request!.body))).toEqual({ grant_type: 'refresh_token', ...oauth });
    expect(request!.body).toContain('client_secret=s3cret%26%3D%25');
  });

  it.each([400, 401, 403, 404])(
    'answered with a web page and %i says nothing about the credentials',
    async (status) => {
      const page = '<!DOCTYPE html><html><head><title>Blocked</title></head></html>';
      const { fetch } = fakeFetch(() => new Response(page, { status, headers: { 'content-type': 'text/html' } }));
      const shelf = new ShelfConnector({ credentials: oauth, fetch, retries: 0 });
      const error = await failure(shelf.execute('books', 'list'));
      expect(error).toMatchObject({ code: 'vendor_error', status, retryable: true });
      expect(error.hint).toContain('proxy or gateway');
    },
  );

  it('is sent as a query with the client credentials in a Basic header, if the scheme requires it', async () => {
    const { fetch, sent } = fakeFetch((one) => (isToken(one) ? json({ access_token: 'a-1' }) : json({ books: [] })));
    const Style = shelfConnector({ style: 'query' });
    await new Style({ credentials: oauth, fetch }).execute('books', 'list');
    expect(sent[0]!.url.search).toBe('?grant_type=refresh_token&refresh_token=r3fresh%2F0');
    expect(sent[0]!.body).toBe('');
    expect(sent[0]!.headers.get('authorization')).toBe(`Basic ${btoa('client+id:s3cret&=%')}`);
    expect(bearer(sent[1]!)).toBe('Bearer a-1');
  });

  it("for Linear goes to Linear's own URL", async () => {
    const { fetch, sent } = fakeFetch((one) =>
      isToken(one) ? json({ access_token: 'a-1' }) : json({ data: { team: { id: 't' } } }),
    );
    await new LinearConnector({ credentials: oauth, fetch }).teams.get({ id: 't' });
    expect(sent[0]!.url.href).toBe('https://api.linear.app/oauth/token');
    expect(bearer(sent[1]!)).toBe('Bearer a-1');
  });

  it('is not made while the given access token is valid', async () => {
    const { fetch, sent } = fakeFetch(() => json({ books: [] }));
    await new ShelfConnector({ credentials: { ...oauth, access_token: 'given' }, fetch }).execute('books', 'list');
    expect(sent.map(bearer)).toEqual(['Bearer given']);
  });

  it('is made once for 100 callers without a token', async () => {
    const { fetch, sent, refreshes } = rotating();
    const connector = new ShelfConnector({ credentials: oauth, fetch });
    await Promise.all(Array.from({ length: 100 }, () => connector.execute('books', 'list')));
    expect(refreshes()).toHaveLength(1);
    expect(sent).toHaveLength(101);
  });

  it('is made once for 100 callers whose token is rejected', async () => {
    const { fetch, expire, sent, refreshes } = rotating();
    const connector = new ShelfConnector({ credentials: oauth, fetch });
    await connector.execute('books', 'list');
    expire();
    await Promise.all(Array.from({ length: 100 }, () => connector.execute('books', 'list')));
    expect(refreshes()).toHaveLength(2);
    expect(sent.filter((one) => bearer(one) === 'Bearer access-2')).toHaveLength(100);
  });

  it('uses the rotated refresh token next time', async () => {
    const { fetch, expire, refreshes } = rotating();
    const connector = new ShelfConnector({ credentials: oauth, fetch });
    for (let time = 0; time < 3; time++) {
      await connector.execute('books', 'list');
      expire();
    }
    const used = refreshes().map(({ body }) => new URLSearchParams(body).get('refresh_token'));
    expect(used).toEqual(['r3fresh/0', 'refresh-1', 'refresh-2']);
  });

  it('is made shortly before the token expires', async () => {
    const { fetch, sent, refreshes } = rotating({ expires_in: 600 });
    const connector = new ShelfConnector({ credentials: oauth, fetch });
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
    await connector.execute('books', 'list');
    clock.mockImplementation(() => now + 530_000);
    await connector.execute('books', 'list');
    expect(refreshes()).toHaveLength(1);
    clock.mockImplementation(() => now + 545_000);
    await connector.execute('books', 'list');
    expect(refreshes()).toHaveLength(2);
    expect(sent.filter((one) => !isToken(one)).map(bearer)).toEqual([
      'Bearer access-1',
      'Bearer access-1',
      'Bearer access-2',
    ]);
    clock.mockRestore();
  });

  it('accepts a missing expires_in or one given as a string', async () => {
    for (const more of [{ expires_in: '3600' }, {}]) {
      const told: TokenRefresh[] = [];
      const { fetch, refreshes } = rotating(more);
      const hooks = { onTokenRefresh: (tokens: TokenRefresh) => void told.push(tokens) };
      const connector = new ShelfConnector({ credentials: oauth, fetch, hooks });
      await connector.execute('books', 'list');
      await connector.execute('books', 'list');
      expect(refreshes()).toHaveLength(1);
      expect(told[0]!.expires_at === null).toBe(!('expires_in' in more));
    }
  });

  it('that is rejected asks the user to reauthorize', async () => {
    const { fetch, sent } = fakeFetch(() => json({ error: 'invalid_grant', error_description: 'token revoked' }, 400));
    const error = await failure(new ShelfConnector({ credentials: oauth, fetch }).execute('books', 'list'));
    expect(error).toMatchObject({ code: 'invalid_credentials', status: 400, retryable: false, docs: 'auth' });
    expect(error.vendor).toMatchObject({ code: 'invalid_grant', message: 'token revoked' });
    expect(error.hint).toContain('refresh_token');
    expect(sent).toHaveLength(1);
  });

  it('that fails transiently is retried', async () => {
    skipBackoff();
    for (const action of ['list', 'update'] as const) {
      let failed = false;
      const { fetch, sent } = fakeFetch((one) => {
        if (!isToken(one)) return json(action === 'list' ? { books: [] } : { id: 'b1' });
        if (failed) return json({ access_token: 'a-1' });
        failed = true;
        return new Response('upstream', { status: 500 });
      });
      const connector = new ShelfConnector({ credentials: oauth, fetch }) as any;
      await connector.execute('books', action, action === 'list' ? {} : { id: 'b1' });
      expect(sent.filter(isToken)).toHaveLength(2);
    }
  });

  it.each([json({ token: 'x' }), json([]), new Response('OK'), json({ access_token: '' }), json({ access_token: 5 })])(
    'that returns no token is a failure (%#)',
    async (reply) => {
      const { fetch } = fakeFetch(() => reply.clone());
      const connector = new ShelfConnector({ credentials: oauth, fetch, retries: 0 });
      expect((await failure(connector.execute('books', 'list'))).code).toBe('invalid_response');
    },
  );
});

describe('a rejected access token', () => {
  it('fails instead of looping if it was only just renewed', async () => {
    const { fetch, sent } = fakeFetch((one) => (isToken(one) ? json({ access_token: 'a' }) : json({}, 401)));
    const error = await failure(new ShelfConnector({ credentials: oauth, fetch }).execute('books', 'list'));
    expect(error).toMatchObject({ code: 'unauthorized', status: 401 });
    expect(sent.map((one) => (isToken(one) ? 'token' : 'call'))).toEqual(['token', 'call', 'token', 'call']);
  });

  it('is also renewed for a write, since a rejected write was not executed', async () => {
    const { fetch, expire, refreshes } = rotating();
    const connector = new ShelfConnector({ credentials: oauth, fetch });
    await connector.execute('books', 'list');
    expire();
    await failure(
      connector.execute('books', 'update', { id: 'b1', title: 'T' }).then(() => Promise.reject(new Error())),
    ).catch(() => {});
    expect(refreshes()).toHaveLength(2);
  });

  it.each([{ api_key: 'k3y-abcdef' }, { access_token: 't0ken-abcdef' }])(
    'without a refresh token is not renewed',
    async (credentials) => {
      const { fetch, sent } = fakeFetch(() => json({}, 401));
      const error = await failure(new ShelfConnector({ credentials, fetch }).execute('books', 'list'));
      expect(error).toMatchObject({ code: 'unauthorized', docs: 'auth' });
      expect(sent).toHaveLength(1);
      expect(bearer(sent[0]!)).toBe(`Bearer ${Object.values(credentials)[0]}`);
    },
  );
});

describe('onTokenRefresh', () => {
  it('is awaited before the new token is used, and receives both tokens', async () => {
    const order: string[] = [];
    const told: TokenRefresh[] = [];
    const { fetch } = rotating();
    const watched: typeof fetch = (input, init) => {
      order.push(String(input).includes('/oauth/token') ? 'refresh' : 'call');
      return fetch(input, init);
    };
    const onTokenRefresh = async (tokens: TokenRefresh) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      order.push('stored');
      told.push(tokens);
    };
    await new ShelfConnector({ credentials: oauth, fetch: watched, hooks: { onTokenRefresh } }).execute(
      'books',
      'list',
    );
    expect(order).toEqual(['refresh', 'stored', 'call']);
    expect(told).toEqual([{ access_token: 'access-1', refresh_token: 'refresh-1', expires_at: expect.any(String) }]);
    const seconds = (Date.parse(told[0]!.expires_at!) - Date.now()) / 1_000;
    expect(seconds).toBeGreaterThan(3_400);
    expect(seconds).toBeLessThanOrEqual(3_600);
  });

  it('receives the old refresh token if the vendor does not rotate it', async () => {
    const told: TokenRefresh[] = [];
    const { fetch } = fakeFetch((one) => (isToken(one) ? json({ access_token: 'a-1' }) : json({ books: [] })));
    const hooks = { onTokenRefresh: (tokens: TokenRefresh) => void told.push(tokens) };
    await new ShelfConnector({ credentials: oauth, fetch, hooks }).execute('books', 'list');
    expect(told).toEqual([{ access_token: 'a-1', refresh_token: oauth.refresh_token, expires_at: null }]);
  });

  it('fails the call if it throws, and is called again by the next call without losing a token', async () => {
    let broken = true;
    const told: TokenRefresh[] = [];
    const { fetch, sent, refreshes } = rotating();
    const onTokenRefresh = (tokens: TokenRefresh) => {
      if (broken) throw new Error('disk full');
      told.push(tokens);
    };
    const connector = new ShelfConnector({ credentials: oauth, fetch, hooks: { onTokenRefresh }, retries: 0 });
    const error = await failure(connector.execute('books', 'list'));
    expect(error).toMatchObject({ code: 'aborted', message: expect.stringContaining('onTokenRefresh') });
    expect((error.cause as Error).message).toBe('disk full');
    expect(sent).toHaveLength(1);
    broken = false;
    await connector.execute('books', 'list');
    expect(refreshes()).toHaveLength(1);
    expect(told).toMatchObject([{ access_token: 'access-1', refresh_token: 'refresh-1' }]);
    await connector.execute('books', 'list');
    expect(told).toHaveLength(1);
  });
});
