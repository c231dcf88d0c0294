import type { TokenRefresh, TokenStore } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json, type SentRequest } from './fake-fetch.js';
import { ShelfConnector } from './shelf.js';

const oauth = { client_id: 'client', client_secret: 's3cret-of-client', refresh_token: 'refresh-0' };
const isToken = ({ url }: SentRequest) => url.pathname.endsWith('/oauth/token');

/** A vendor whose refresh tokens are single use; a second use invalidates all of them. */
function singleUse() {
  let count = 0;
  const valid = { access: 'none yet', refresh: oauth.refresh_token };
  const { fetch, sent } = fakeFetch(async (one) => {
    if (!isToken(one)) {
      const good = one.headers.get('authorization') === `Bearer ${valid.access}`;
      return good ? json({ books: [] }) : json({ error: 'expired' }, 401);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
    const used = new URLSearchParams(one.body).get('refresh_token');
    if (used !== valid.refresh) {
      Object.assign(valid, { access: 'revoked', refresh: 'revoked' });
      return json({ error: 'invalid_grant' }, 400);
    }
    count++;
    Object.assign(valid, { access: `access-${count}`, refresh: `refresh-${count}` });
    return json({ access_token: valid.access, refresh_token: valid.refresh, expires_in: 3600 });
  });
  return { fetch, refreshes: () => sent.filter(isToken), expire: () => Object.assign(valid, { access: 'another' }) };
}

/** A store shared by several processes: one lock, one row. */
function sharedStore() {
  let row: TokenRefresh | undefined;
  let line: Promise<unknown> = Promise.resolve();
  const store: TokenStore = {
    alone(work) {
      const turn = line.then(work);
      line = turn.catch(() => {});
      return turn;
    },
    load: () => row,
    save: async (tokens) => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      row = tokens;
    },
  };
  return { store, row: () => row };
}

describe('tokens in a store', () => {
  it('are fetched once by programs that share them, and survive a restart', async () => {
    const vendor = singleUse();
    const { store, row } = sharedStore();
    const program = () => new ShelfConnector({ credentials: oauth, fetch: vendor.fetch, tokens: store });
    await Promise.all(Array.from({ length: 20 }, () => program().execute('books', 'list')));
    expect(vendor.refreshes()).toHaveLength(1);
    expect(row()).toMatchObject({ access_token: 'access-1', refresh_token: 'refresh-1' });

    vendor.expire();
    const programs = [program(), program()];
    await Promise.all(programs.flatMap((one) => [one.execute('books', 'list'), one.execute('books', 'list')]));
    expect(row()).toMatchObject({ refresh_token: 'refresh-2' });
    await program().execute('books', 'list');
    expect(vendor.refreshes()).toHaveLength(2);
  });

  it('are stored before the new token is used', async () => {
    const vendor = singleUse();
    const { store, row } = sharedStore();
    const seen: unknown[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      if (!String(input).endsWith('/oauth/token')) seen.push(row()?.access_token);
      return vendor.fetch(input, init);
    };
    await new ShelfConnector({ credentials: oauth, fetch, tokens: store }).execute('books', 'list');
    expect(seen).toEqual(['access-1']);
  });

  it('that cannot be stored are kept and stored by the next call', async () => {
    const vendor = singleUse();
    const { store, row } = sharedStore();
    let broken = true;
    const tokens: TokenStore = {
      ...store,
      save: async (refresh) => {
        if (broken) throw new Error('disk full');
        await store.save(refresh);
      },
    };
    const connector = new ShelfConnector({ credentials: oauth, fetch: vendor.fetch, tokens });
    const error = await failure(connector.execute('books', 'list'));
    expect([error.code, error.retryable]).toEqual(['aborted', true]);
    expect(JSON.stringify(error) + error.stack).not.toMatch(/access-1|refresh-1/);
    broken = false;
    await connector.execute('books', 'list');
    expect(vendor.refreshes()).toHaveLength(1);
    expect(row()).toMatchObject({ refresh_token: 'refresh-1' });
  });

  it('are renewed if the stored ones have expired', async () => {
    const vendor = singleUse();
    const { store, row } = sharedStore();
    await store.save({
      access_token: 'old',
      refresh_token: oauth.refresh_token,
      expires_at: '2020-01-01T00:00:00.000Z',
    });
    await new ShelfConnector({ credentials: oauth, fetch: vendor.fetch, tokens: store }).execute('books', 'list');
    expect(vendor.refreshes()).toHaveLength(1);
    expect(row()).toMatchObject({ access_token: 'access-1' });
  });

  it('are refreshed if the vendor rejects those that another program stored', async () => {
    const vendor = singleUse();
    const { store, row } = sharedStore();
    await store.save({ access_token: 'stored', refresh_token: oauth.refresh_token, expires_at: null });
    const credentials = { ...oauth, access_token: 'own', refresh_token: 'used' };
    const connector = new ShelfConnector({ credentials, fetch: vendor.fetch, tokens: store });
    await Promise.all([connector.execute('books', 'list'), connector.execute('books', 'list')]);
    expect(vendor.refreshes()).toHaveLength(1);
    expect(row()).toMatchObject({ access_token: 'access-1', refresh_token: 'refresh-1' });
  });

  it('are not refreshed twice if the vendor rejects new ones as well', async () => {
    const { fetch, sent } = fakeFetch((one) => (isToken(one) ? json({ access_token: 'new' }) : json({}, 401)));
    const { store } = sharedStore();
    await store.save({ access_token: 'stored', refresh_token: 'refresh-1', expires_at: null });
    const credentials = { ...oauth, access_token: 'own' };
    const error = await failure(
      new ShelfConnector({ credentials, fetch, tokens: store, retries: 0 }).execute('books', 'list'),
    );
    expect([error.code, sent.map((one) => one.headers.get('authorization'))]).toEqual([
      'unauthorized',
      ['Bearer own', 'Bearer stored', null, 'Bearer new'],
    ]);
  });

  it.each([
    ['is still valid', '2100-01-01T00:00:00.000Z', 1],
    ['has expired', '2020-01-01T00:00:00.000Z', 2],
  ])(
    'are loaded again if another program used the refresh token first, and its access token %s',
    async (_, expires_at, refreshes) => {
      const { store, row } = sharedStore();
      const theirs = { access_token: 'theirs', refresh_token: 'refresh-1', expires_at };
      const { fetch, sent } = fakeFetch(async (one) => {
        if (!isToken(one)) return json({ books: [] });
        if (new URLSearchParams(one.body).get('refresh_token') !== 'refresh-1') {
          await store.save(theirs);
          return json({ error: 'invalid_grant' }, 400);
        }
        return json({ access_token: 'own', refresh_token: 'refresh-2', expires_in: 3600 });
      });
      await new ShelfConnector({ credentials: oauth, fetch, tokens: store }).execute('books', 'list');
      expect([sent.filter(isToken).length, row()?.access_token]).toEqual([
        refreshes,
        refreshes === 1 ? 'theirs' : 'own',
      ]);
    },
  );

  it('that are no longer valid are named in the hint, since they take precedence over the credentials', async () => {
    const { fetch, sent } = fakeFetch(() => json({ error: 'invalid_grant' }, 400));
    const { store } = sharedStore();
    await store.save({ access_token: 'stored', refresh_token: 'revoked', expires_at: '2020-01-01T00:00:00.000Z' });
    const { code, hint } = await failure(
      new ShelfConnector({ credentials: oauth, fetch, tokens: store, retries: 0 }).execute('books', 'list'),
    );
    expect([code, hint]).toEqual(['invalid_credentials', expect.stringMatching(/Authorize.*saved in `tokens`/)]);
    expect(sent.map(({ body }) => new URLSearchParams(body).get('refresh_token'))).toEqual(['revoked']);
  });

  it('are also passed to onTokenRefresh once they are saved', async () => {
    const vendor = singleUse();
    const { store, row } = sharedStore();
    const seen: unknown[] = [];
    const hooks = { onTokenRefresh: (tokens: TokenRefresh) => void seen.push([tokens, row()]) };
    await new ShelfConnector({ credentials: oauth, fetch: vendor.fetch, tokens: store, hooks }).execute(
      'books',
      'list',
    );
    expect(seen).toEqual([[row(), row()]]);
  });

  it('are revoked even if another program refreshed them last', async () => {
    const { fetch, vendors, clock } = createSandbox();
    const credentials = vendors.linear.credentials.oauth;
    const { store, row } = sharedStore();
    const program = () => new LinearConnector({ credentials, fetch, tokens: store });
    const first = program();
    await first.teams.list();
    clock.advance(25 * 3_600_000);
    await program().teams.list();
    expect(await first.revoke()).toBe(true);
    const { refresh_token } = row()!;
    const refreshing = new LinearConnector({ credentials: { ...credentials, refresh_token }, fetch }).teams.list();
    expect((await failure(refreshing)).code).toBe('invalid_credentials');
  });

  it('are revoked after a refresh that another program has already started', async () => {
    const { fetch: sandbox, vendors } = createSandbox();
    const credentials = vendors.linear.credentials.oauth;
    const { store, row } = sharedStore();
    const program = () => new LinearConnector({ credentials, fetch, tokens: store });
    const revoked: unknown[] = [];
    let ended: Promise<boolean> | undefined;
    const fetch: typeof globalThis.fetch = (input, init) => {
      if (String(input).endsWith('/token')) ended = program().revoke();
      if (String(input).endsWith('/revoke')) revoked.push(new URLSearchParams(String(init?.body)).get('token'));
      return sandbox(input, init);
    };
    await program().teams.list();
    expect([await ended, revoked]).toEqual([true, [row()?.refresh_token]]);
  });

  it('that are not stored yet are revoked instead of the stored ones', async () => {
    const { fetch, vendors } = createSandbox();
    const credentials = vendors.linear.credentials.oauth;
    let stored: TokenRefresh | undefined;
    let issued: TokenRefresh | undefined;
    const tokens: TokenStore = {
      ...sharedStore().store,
      load: () => stored,
      save: (renewed) => {
        issued = renewed;
        throw new Error('disk full');
      },
    };
    const connector = new LinearConnector({ credentials, fetch, tokens, retries: 0 });
    expect((await failure(connector.teams.list())).code).toBe('aborted');
    stored = { access_token: 'old', refresh_token: 'old', expires_at: null };
    expect(await connector.revoke()).toBe(true);
    const { refresh_token } = issued!;
    const refreshing = new LinearConnector({ credentials: { ...credentials, refresh_token }, fetch }).teams.list();
    expect((await failure(refreshing)).code).toBe('invalid_credentials');
  });

  it.each(['alone', 'load'] as const)(
    'that cannot be read because %s fails are not blamed on the vendor',
    async (name) => {
      const { fetch, sent } = fakeFetch(() => json({}));
      const cause = Object.assign(new Error('database is down'), { code: 'ECONNREFUSED' });
      const tokens: TokenStore = { ...sharedStore().store, [name]: () => Promise.reject(cause) };
      const linear = new LinearConnector({ credentials: oauth, fetch, tokens, retries: 0 });
      for (const call of [linear.teams.list(), linear.revoke()]) {
        const error = await failure(call);
        expect([error.code, error.retryable, error.hint, error.cause]).toEqual(['aborted', true, undefined, cause]);
        expect(error.message).toMatch(/token store/);
      }
      cause.message = `cannot read ${oauth.refresh_token}`;
      const error = await failure(linear.teams.list());
      expect([(error.cause as Error).message, (error.cause as { code?: string }).code]).toEqual([
        'cannot read [redacted]',
        'ECONNREFUSED',
      ]);
      expect(sent).toEqual([]);
    },
  );
});
