import { createSandbox, type GongCredentials } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { authorizationOf, createRequester, unlimitedSandbox } from './requester.js';

const users = 'https://api.gong.io/v2/users';
const customer = 'https://us-55616.api.gong.io';
const tokenAddress = 'https://app.gong.io/oauth2/generate-customer-token';

type Client = Pick<GongCredentials['oauth'], 'client_id' | 'client_secret' | 'refresh_token'>;

const refresh = async (sandbox: ReturnType<typeof unlimitedSandbox>, client: Client, more: RequestInit = {}) => {
  const query = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: client.refresh_token });
  const authorization = `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`;
  const response = await sandbox.fetch(`${tokenAddress}?${query}`, {
    method: 'POST',
    headers: { authorization },
    ...more,
  });
  return { status: response.status, body: (await response.json()) as any };
};

describe('keys', () => {
  it.each([
    ['none', undefined],
    ['a wrong secret', `Basic ${btoa('GONGSANDBOXBASICKEY:wrong')}`],
    ['no base64', 'Basic ???'],
    ['an unknown token', 'Bearer nobody'],
  ])('are rejected with 401: %s', async (_, authorization) => {
    const response = await unlimitedSandbox().fetch(
      users,
      authorization === undefined ? {} : { headers: { authorization } },
    );
    expect(response.status).toBe(401);
    const body = (await response.json()) as any;
    expect(body).toEqual({ requestId: response.headers.get('x-traceid'), errors: [expect.any(String)] });
  });

  it("company keys work at both URLs, but not at another customer's", async () => {
    const sandbox = unlimitedSandbox();
    expect((await createRequester(sandbox, 'basic', customer)('/v2/users')).status).toBe(200);
    expect((await createRequester(sandbox, 'oauth_with_token', customer)('/v2/users')).status).toBe(200);
    for (const credential of ['basic', 'oauth_with_token', 'regional'] as const) {
      const elsewhere = createRequester(sandbox, credential, 'https://company-17.api.gong.io');
      expect((await elsewhere('/v2/users')).status).toBe(401);
    }
  });

  it("regional keys work only at the customer's own URL", async () => {
    const sandbox = unlimitedSandbox();
    const { base_url } = sandbox.vendors.gong.credentials.regional;
    expect(base_url).toBe(customer);
    expect((await createRequester(sandbox, 'regional', base_url)('/v2/users')).status).toBe(200);
    const elsewhere = await createRequester(sandbox, 'regional')('/v2/users');
    expect(elsewhere.status).toBe(401);
    expect(elsewhere.body).toEqual({ requestId: expect.any(String), message: 'Unauthorized' });
    const below = createRequester(sandbox, 'regional', 'http://127.0.0.1:4010/gong/us-55616');
    expect((await below('/v2/users')).status).toBe(200);
    expect((await createRequester(sandbox, 'regional', 'http://127.0.0.1:4010/gong')('/v2/users')).status).toBe(401);
  });

  it('stop working when revoked', async () => {
    const sandbox = unlimitedSandbox();
    sandbox.revoke(sandbox.vendors.gong.credentials.basic.access_key);
    sandbox.revoke(sandbox.vendors.gong.credentials.oauth_with_token.access_token);
    expect((await createRequester(sandbox)('/v2/users')).status).toBe(401);
    expect((await createRequester(sandbox, 'oauth_with_token')('/v2/users')).status).toBe(401);
    expect((await createRequester(sandbox, 'regional', customer)('/v2/users')).status).toBe(200);
  });
});

describe('OAuth', () => {
  it('exchanges a refresh token for a new token pair only once', async () => {
    const sandbox = unlimitedSandbox();
    const { oauth } = sandbox.vendors.gong.credentials;
    const first = await refresh(sandbox, oauth);
    expect(first).toMatchObject({
      status: 200,
      body: { token_type: 'bearer', expires_in: 86_400, api_base_url_for_customer: customer },
    });
    expect(first.body.scope).toContain('api:calls:read:extensive');
    expect(await refresh(sandbox, oauth)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const second = await refresh(sandbox, { ...oauth, refresh_token: first.body.refresh_token });
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(first.body.refresh_token);
    const headers = { authorization: `Bearer ${second.body.access_token}` };
    expect((await sandbox.fetch(`${second.body.api_base_url_for_customer}/v2/users`, { headers })).status).toBe(200);
  });

  it('reads parameters only from the query string and requires client credentials in a Basic header', async () => {
    const sandbox = unlimitedSandbox();
    const { oauth } = sandbox.vendors.gong.credentials;
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: oauth.refresh_token });
    const authorization = `Basic ${btoa(`${oauth.client_id}:${oauth.client_secret}`)}`;
    const form = await sandbox.fetch(tokenAddress, { method: 'POST', headers: { authorization }, body });
    expect([form.status, ((await form.json()) as any).error]).toEqual([400, 'invalid_request']);
    expect(await refresh(sandbox, { ...oauth, client_secret: 'x' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    const other = sandbox.vendors.gong.credentials.limited;
    expect((await refresh(sandbox, { ...other, refresh_token: oauth.refresh_token })).status).toBe(400);
    expect((await refresh(sandbox, oauth)).status).toBe(200);
  });

  it("returns the requested base URL if it is not one of Gong's", async () => {
    const sandbox = unlimitedSandbox();
    const { client_id, client_secret, refresh_token } = sandbox.vendors.gong.credentials.oauth;
    const url = `http://127.0.0.1:4010/gong/oauth2/generate-customer-token?grant_type=refresh_token&refresh_token=${refresh_token}`;
    const headers = { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` };
    const body = (await (await sandbox.fetch(url, { method: 'POST', headers })).json()) as any;
    expect(body.api_base_url_for_customer).toBe('http://127.0.0.1:4010/gong');
  });

  it('expires access tokens after a day, or immediately on request', async () => {
    const sandbox = unlimitedSandbox();
    const ask = createRequester(sandbox, 'oauth_with_token');
    sandbox.clock.advance(86_399_000);
    expect((await ask('/v2/users')).status).toBe(200);
    sandbox.clock.advance(1_000);
    expect(await ask('/v2/users')).toMatchObject({ status: 401, body: { errors: [expect.stringMatching(/expired/)] } });
    const fresh = unlimitedSandbox();
    fresh.expireTokens();
    expect((await createRequester(fresh, 'oauth_with_token')('/v2/users')).status).toBe(401);
    expect((await createRequester(fresh)('/v2/users')).status).toBe(200);
  });

  it.each([
    ['/v2/calls/extensive', { filter: {} }, 'api:calls:read:extensive'],
    ['/v2/calls/transcript', { filter: {} }, 'api:calls:read:transcript'],
    ['/v2/stats/activity/aggregate', { filter: {} }, 'api:stats:user-actions'],
    ['/v2/stats/activity/day-by-day', { filter: {} }, 'api:stats:user-actions:detailed'],
    ['/v2/stats/interaction', { filter: {} }, 'api:stats:interaction'],
    ['/v2/stats/activity/scorecards', { filter: {} }, 'api:stats:scorecards'],
    ['/v2/workspaces', undefined, 'api:workspaces:read'],
    ['/v2/settings/scorecards', undefined, 'api:settings:scorecards:read'],
    ['/v2/settings/trackers', undefined, 'api:settings:trackers:read'],
    ['/v2/library/folders', undefined, 'api:library:read'],
    ['/v2/library/folder-content', undefined, 'api:library:read'],
    ['/v2/coaching', undefined, 'api:coaching:read'],
  ])('responds with 401 if a scope is missing: %s', async (path, body, scope) => {
    const ask = createRequester(unlimitedSandbox(), 'limited');
    expect(await ask(path, body)).toMatchObject({
      status: 401,
      body: { errors: [`You don't have permission to use '${scope}' in your app.`] },
    });
  });

  it('lets a client with limited scopes list users and calls', async () => {
    const ask = createRequester(unlimitedSandbox(), 'limited');
    expect((await ask('/v2/users')).status).toBe(200);
    expect((await ask('/v2/calls')).status).toBe(200);
  });
});

describe('limits', () => {
  const asking = (limits = {}) => {
    const sandbox = createSandbox({ now: () => noon });
    sandbox.vendors.gong.limits = limits;
    return { sandbox, ask: createRequester(sandbox) };
  };

  it('allow three requests per second, across all keys', async () => {
    const { sandbox, ask } = asking();
    const others = [ask, createRequester(sandbox, 'oauth_with_token'), createRequester(sandbox, 'regional', customer)];
    for (const other of others) expect((await other('/v2/users')).status).toBe(200);
    const refused = await ask('/v2/users');
    expect(refused).toMatchObject({ status: 429, body: { errors: [expect.any(String)] } });
    expect(refused.headers.get('retry-after')).toBe('1');
    sandbox.clock.advance(1_000);
    expect((await ask('/v2/users')).status).toBe(200);
  });

  it('allow a configured number of requests per day, then return the time until the reset', async () => {
    const { sandbox, ask } = asking({ requestsPerSecond: 100, requestsPerDay: 2 });
    await ask('/v2/users');
    await ask('/v2/users');
    const refused = await ask('/v2/users');
    // Noon in UTC is 14:00 in the company's time zone.
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(10 * 3600)]);
    sandbox.clock.advance(10 * 3_600_000);
    expect((await ask('/v2/users')).status).toBe(200);
  });

  it('do not count rejected requests, token requests or recordings', async () => {
    const { sandbox, ask } = asking({ requestsPerSecond: 2 });
    await sandbox.fetch(users);
    const contentSelector = { exposedFields: { media: true } };
    const { calls } = (await ask('/v2/calls/extensive', { filter: {}, contentSelector })).body;
    const { audioUrl } = calls.find(({ media }: any) => media).media;
    for (let turn = 0; turn < 5; turn += 1) {
      const response = await sandbox.fetch(audioUrl, { headers: { range: 'bytes=0-0' } });
      expect(response.status).toBe(206);
    }
    await refresh(sandbox, sandbox.vendors.gong.credentials.oauth);
    expect((await ask('/v2/users')).status).toBe(200);
    expect((await ask('/v2/users')).status).toBe(429);
  });
});

describe('the request log', () => {
  it('names the credential and contains no secret', async () => {
    const sandbox = unlimitedSandbox();
    await createRequester(sandbox)('/v2/calls/extensive', {
      filter: {},
      contentSelector: { exposedFields: { media: true } },
    });
    await createRequester(sandbox, 'oauth_with_token')('/v2/users');
    await refresh(sandbox, sandbox.vendors.gong.credentials.oauth);
    await sandbox.fetch('https://media.gong-sandbox.example/media/x?X-Amz-Signature=secret&X-Amz-Date=now');
    expect(sandbox.requests).toMatchObject([
      { credential: 'basic', headers: { authorization: '<basic>' }, body: { filter: {} } },
      { credential: 'oauth_with_token', headers: { authorization: 'Bearer <oauth_with_token>' }, body: null },
      { credential: 'none', query: { grant_type: 'refresh_token', refresh_token: '<secret>' } },
      { credential: 'none', query: { 'X-Amz-Signature': '<secret>', 'X-Amz-Date': 'now' } },
    ]);
    expect(JSON.stringify(sandbox.requests)).not.toMatch(/gong-sandbox-(basic|access|refresh|client)/);
    expect(authorizationOf(sandbox, 'basic')).toMatch(/^Basic /);
  });
});

describe('URLs', () => {
  it('return 404 if unknown, and 405 for the wrong method', async () => {
    const sandbox = unlimitedSandbox();
    const ask = createRequester(sandbox);
    expect(await ask('/v2/nothing')).toMatchObject({ status: 404, body: { errors: [expect.any(String)] } });
    const posted = await ask('/v2/users', {});
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
    await expect(sandbox.fetch('https://gong.io/v2/users')).rejects.toThrow('fetch failed');
    await expect(sandbox.fetch('https://a.b.api.gong.io/v2/users')).rejects.toThrow('fetch failed');
  });
});
