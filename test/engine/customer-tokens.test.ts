import type { Hooks, TokenRefresh } from 'agent-connectors';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { application, BureauConnector, isTokenRequest, requestedHosts } from './customers.js';
import { fakeFetch, json, type SentRequest } from './fake-fetch.js';
import { visibleText } from './visible.js';

const client = `Basic ${btoa(`${application.client_id}:${application.client_secret}`)}`;
const bearer = ({ headers }: SentRequest) => headers.get('authorization');

/** A vendor that returns these base URLs, one with each token, and accepts only the newest token. */
function bureau(addresses: readonly unknown[], answer?: (one: SentRequest) => Response | undefined) {
  let count = 0;
  const { fetch, sent } = fakeFetch((one) => {
    if (isTokenRequest(one)) {
      const customer_url = addresses[Math.min(count, addresses.length - 1)];
      count++;
      return json({
        access_token: `access-${count}`,
        refresh_token: `refresh-${count}`,
        expires_in: 86_400,
        ...(customer_url !== undefined && { customer_url }),
      });
    }
    return answer?.(one) ?? (bearer(one) === `Bearer access-${count}` ? json({ id: 'n1' }) : json({}, 401));
  });
  const told: TokenRefresh[] = [];
  const hooks: Hooks = { onTokenRefresh: (tokens) => void told.push(tokens) };
  const make = (more: object = {}, options: object = {}) =>
    new BureauConnector({ credentials: { ...application, ...more }, fetch, hooks, ...options });
  return { sent, told, make, calls: () => sent.filter((one) => !isTokenRequest(one)) };
}

describe('the base URL returned with the tokens', () => {
  it('is used starting with the first request, and reported with the tokens', async () => {
    const { sent, told, make } = bureau(['https://us-12.api.bureau.example']);
    await make().notes.get({ id: 'n1' });
    expect(requestedHosts(sent)).toEqual([
      ['app.bureau.example', client],
      ['us-12.api.bureau.example', 'Bearer access-1'],
    ]);
    expect(sent[0]!.url.search).toBe(`?grant_type=refresh_token&refresh_token=${application.refresh_token}`);
    expect(told).toEqual([
      {
        access_token: 'access-1',
        refresh_token: 'refresh-1',
        expires_at: expect.any(String),
        base_url: 'https://us-12.api.bureau.example',
      },
    ]);
  });

  it.each(['https://us-12.api.bureau.example/v2/', 'us-12.api.bureau.example', 'https://us-12.api.bureau.example/v2'])(
    'is reported in a form that can be stored and passed back (%s)',
    async (address) => {
      const { told, make } = bureau([address]);
      await make().notes.get({ id: 'n1' });
      const { access_token, refresh_token, base_url } = told[0]!;
      expect(base_url).toBe('https://us-12.api.bureau.example');
      const { sent, make: again } = bureau([undefined], () => json({ id: 'n1' }));
      await again({ access_token, refresh_token, base_url }).notes.get({ id: 'n1' });
      expect(requestedHosts(sent)).toEqual([['us-12.api.bureau.example', 'Bearer access-1']]);
    },
  );

  it('takes precedence over the one in the credentials', async () => {
    const { calls, told, make } = bureau(['https://us-13.api.bureau.example']);
    await make({ base_url: 'us-12.api.bureau.example' }).notes.get({ id: 'n1' });
    expect(calls().map(({ url }) => url.host)).toEqual(['us-13.api.bureau.example']);
    expect(told[0]!.base_url).toBe('https://us-13.api.bureau.example');
  });

  it("falls back to the one in the credentials, or the vendor's, if it is missing", async () => {
    for (const more of [{ base_url: 'us-12.api.bureau.example' }, {}]) {
      const { calls, told, make } = bureau([undefined]);
      await make(more).notes.get({ id: 'n1' });
      const known = 'base_url' in more;
      expect(calls()[0]!.url.host).toBe(known ? 'us-12.api.bureau.example' : 'api.bureau.example');
      expect('base_url' in told[0]!).toBe(known);
    }
  });

  it('yields to a URL set by the caller but is still reported', async () => {
    const { calls, told, make } = bureau(['https://us-12.api.bureau.example']);
    await make({}, { endpoints: { api: 'https://proxy.company.example' } }).notes.get({ id: 'n1' });
    expect(calls().map(({ url }) => url.host)).toEqual(['proxy.company.example']);
    expect(told[0]!.base_url).toBe('https://us-12.api.bureau.example');
  });

  it('receives the retried request if a renewal changes it', async () => {
    for (const action of ['get', 'update'] as const) {
      const { sent, told, make } = bureau(['https://us-12.api.bureau.example', 'https://us-13.api.bureau.example']);
      const connector = make({ access_token: 'stale', base_url: 'us-11.api.bureau.example' });
      await connector.execute('notes', action as 'get', { id: 'n1', ...(action === 'update' && { text: 'x' }) });
      await connector.notes.get({ id: 'n1' });
      expect(requestedHosts(sent)).toEqual([
        ['us-11.api.bureau.example', 'Bearer stale'],
        ['app.bureau.example', client],
        ['us-12.api.bureau.example', 'Bearer access-1'],
        ['us-12.api.bureau.example', 'Bearer access-1'],
      ]);
      expect(told).toHaveLength(1);
    }
  });

  it('receives all requests of 100 concurrent calls', async () => {
    const { sent, calls, make } = bureau(['https://us-12.api.bureau.example']);
    const connector = make({ access_token: 'stale' });
    await Promise.all(Array.from({ length: 100 }, () => connector.notes.get({ id: 'n1' })));
    expect(sent.filter(isTokenRequest)).toHaveLength(1);
    const good = calls().filter((one) => bearer(one) === 'Bearer access-1');
    expect(good).toHaveLength(100);
    expect(new Set(good.map(({ url }) => url.host))).toEqual(new Set(['us-12.api.bureau.example']));
  });

  it('lets requests to absolute URLs on its origin carry the token', async () => {
    const { sent, make } = bureau(['https://us-12.api.bureau.example'], () => json({ id: 'n1' }));
    const connector = make();
    for (const host of ['us-12.api.bureau.example', 'us-13.api.bureau.example', 'evil.example']) {
      await connector.notes.follow({ address: `https://${host}/v2/notes/n1` });
    }
    expect(requestedHosts(sent).slice(1)).toEqual([
      ['us-12.api.bureau.example', 'Bearer access-1'],
      ['us-13.api.bureau.example', null],
      ['evil.example', null],
    ]);
  });
});

describe('a foreign URL as the base URL', () => {
  it.each([
    'https://evil.example',
    'http://us-12.api.bureau.example',
    'https://us-12.api.bureau.example@evil.example',
    'https://us-12.api.bureau.example.evil.example',
    'https://169.254.169.254',
    'https://CANARY:CANARY@us-12.api.bureau.example',
    'nonsense of a kind',
    '',
    42,
    null,
    { href: 'https://evil.example' },
  ])('is ignored, and the tokens are kept (%j)', async (address) => {
    const { sent, told, make } = bureau([address]);
    const connector = make();
    await connector.notes.get({ id: 'n1' });
    await connector.notes.get({ id: 'n1' });
    expect(requestedHosts(sent)).toEqual([
      ['app.bureau.example', client],
      ['api.bureau.example', 'Bearer access-1'],
      ['api.bureau.example', 'Bearer access-1'],
    ]);
    expect(told).toEqual([{ access_token: 'access-1', refresh_token: 'refresh-1', expires_at: expect.any(String) }]);
  });

  it('does not replace a valid one', async () => {
    const { calls, told, make } = bureau(['https://evil.example']);
    await make({ base_url: 'us-12.api.bureau.example' }).notes.get({ id: 'n1' });
    expect(calls().map(({ url }) => url.host)).toEqual(['us-12.api.bureau.example']);
    expect(told[0]!.base_url).toBe('https://us-12.api.bureau.example');
  });
});

describe('a rejected refresh', () => {
  it("does not show the application's secrets, regardless of how they are echoed", async () => {
    const { fetch } = fakeFetch(({ url, headers }) =>
      json({ error: 'invalid_grant', error_description: `${url} ${headers.get('authorization')}` }, 400),
    );
    const error = await failure(new BureauConnector({ credentials: application, fetch }).notes.get({ id: 'n1' }));
    expect(error.code).toBe('invalid_credentials');
    expect(visibleText(error)).not.toContain('CANARY');
    expect(visibleText(error)).not.toContain(client.split(' ')[1]);
  });

  it('is sent only to the token endpoint', async () => {
    const { fetch, sent } = fakeFetch(() => json({}, 400));
    const credentials = { ...application, base_url: 'us-12.api.bureau.example' };
    await failure(new BureauConnector({ credentials, fetch }).notes.get({ id: 'n1' }));
    expect(sent.map(({ url }) => url.host)).toEqual(['app.bureau.example']);
  });
});
