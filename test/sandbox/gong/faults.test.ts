import type { FaultKind } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { allPages, createRequester, listedCalls, unlimitedSandbox } from './requester.js';

const _always = (kind: FaultKind) => ({ kind, count: Number.POSITIVE_INFINITY });

describe('faults', () => {
  it.each([
    ['rate_limited', 429],
    ['expired_token', 401],
    ['500', 500],
    ['internal_error', 500],
    ['lock_timeout', 503],
    ['refused', 403],
  ] as const)("%s responds with %i in Gong's own format, once", async (kind, status) => {
    const ask = createRequester(unlimitedSandbox({ kind }));
    const refused = await ask('/v2/calls');
    expect(refused).toMatchObject({ status, body: { requestId: expect.any(String), errors: [expect.any(String)] } });
    expect((await ask('/v2/calls')).status).toBe(200);
  });

  it('rate_limited returns the wait time, in seconds or hours', async () => {
    const ask = createRequester(
      unlimitedSandbox({ kind: 'rate_limited' }, { kind: 'rate_limited', retryAfter: 14_400, nth: 2 }),
    );
    expect((await ask('/v2/users')).headers.get('retry-after')).toBe('1');
    expect((await ask('/v2/users')).headers.get('retry-after')).toBe('14400');
  });

  it('half_page and empty_page return fewer rows without losing any', async () => {
    const whole = await listedCalls(createRequester(unlimitedSandbox()));
    expect(await listedCalls(createRequester(unlimitedSandbox({ kind: 'half_page', count: 4 })))).toEqual(whole);
    for (const nth of [1, 2]) {
      expect(await listedCalls(createRequester(unlimitedSandbox({ kind: 'empty_page', nth })))).toEqual(whole);
    }
    const pages = await allPages(createRequester(unlimitedSandbox({ kind: 'half_page' })), '/v2/calls/extensive');
    expect(pages.map((page) => page.records.currentPageSize)).toEqual([50, 98]);
  });

  it('null_cursor ends a list too early', async () => {
    const { records } = (await createRequester(unlimitedSandbox({ kind: 'null_cursor' }))('/v2/calls')).body;
    expect(records).toEqual({ totalRecords: 150, currentPageSize: 100, currentPageNumber: 0, cursor: null });
  });

  it('affect the token endpoint, and a lost response invalidates the refresh token', async () => {
    const path = '/oauth2';
    const sandbox = unlimitedSandbox(
      { kind: '503', path },
      { kind: 'expired_token', path, nth: 2 },
      { kind: '500', path, nth: 3 },
      { kind: 'reset_after', path, nth: 4 },
    );
    const { client_id, client_secret, refresh_token } = sandbox.vendors.gong.credentials.oauth;
    const refresh = async () => {
      const query = new URLSearchParams({ grant_type: 'refresh_token', refresh_token });
      const headers = { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` };
      const url = `https://app.gong.io/oauth2/generate-customer-token?${query}`;
      return (await sandbox.fetch(url, { method: 'POST', headers })).status;
    };
    expect([await refresh(), await refresh(), await refresh()]).toEqual([503, 400, 500]);
    await expect(refresh()).rejects.toThrow('fetch failed');
    expect(await refresh()).toBe(400);
  });
});
