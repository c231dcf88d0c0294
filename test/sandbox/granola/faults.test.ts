import type { FaultKind } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { allNotes, allPages, createRequester, unlimitedSandbox } from './requester.js';

const raw = (sandbox: ReturnType<typeof unlimitedSandbox>) => {
  const { api_key } = sandbox.vendors.granola.credentials.api_key;
  return sandbox.fetch('https://public-api.granola.ai/v1/notes', { headers: { authorization: `Bearer ${api_key}` } });
};

describe('faults', () => {
  it.each([
    ['rate_limited', 429, 'TOO_MANY_REQUESTS'],
    ['expired_token', 401, 'UNAUTHORIZED'],
    ['500', 500, 'INTERNAL_SERVER_ERROR'],
    ['internal_error', 500, 'INTERNAL_SERVER_ERROR'],
    ['lock_timeout', 503, 'SERVICE_UNAVAILABLE'],
    ['refused', 403, 'FORBIDDEN'],
  ] as const)("%s responds with %i in Granola's own format, once", async (kind, status, code) => {
    const ask = createRequester(unlimitedSandbox({ kind }));
    const refused = await ask('/v1/notes');
    expect(refused).toMatchObject({ status, body: { code } });
    expect(Object.keys(refused.body)).toEqual(['code', 'message', 'requestId', 'timestamp']);
    expect(refused.headers.has('retry-after')).toBe(false);
    expect((await ask('/v1/notes')).status).toBe(200);
  });

  it('rate_limited sends Retry-After only if the rule sets it', async () => {
    const { headers } = await createRequester(unlimitedSandbox({ kind: 'rate_limited', retryAfter: 3 }))('/v1/notes');
    expect(headers.get('retry-after')).toBe('3');
  });

  it.each(['partial_data', 'success_false'] as const)('%s has no effect on Granola', async (kind) => {
    const sandbox = unlimitedSandbox({ kind });
    expect(await (await raw(sandbox)).text()).toBe(await (await raw(sandbox)).text());
    expect(sandbox.requests[0]?.fault).toBe(kind);
  });

  it('refused uses the status and reason from its rule', async () => {
    const ask = createRequester(unlimitedSandbox({ kind: 'refused', status: 413, reason: 'TRANSCRIPT_TOO_LARGE' }));
    expect(await ask('/v1/notes')).toMatchObject({ status: 413, body: { code: 'TRANSCRIPT_TOO_LARGE' } });
  });
});

describe('misleading list pages', () => {
  const whole = () => allNotes(createRequester(unlimitedSandbox()));

  it('half_page reports more results even on the last page', async () => {
    const ask = createRequester(unlimitedSandbox({ kind: 'half_page', path: '/v1/folders' }));
    expect((await ask('/v1/folders', { page_size: 30 })).body).toMatchObject({
      hasMore: true,
      cursor: expect.any(String),
    });
  });

  it('empty_page returns no rows, and its cursor returns the omitted rows', async () => {
    for (const nth of [1, 2]) {
      const pages = await allPages(createRequester(unlimitedSandbox({ kind: 'empty_page', nth })), '/v1/notes', {
        page_size: 30,
      });
      expect(pages[nth - 1]).toMatchObject({ notes: [], hasMore: true, cursor: expect.any(String) });
      expect(pages.flatMap((page) => page.notes)).toEqual(await whole());
    }
  });

  it('null_cursor makes every list report more results but return no cursor', async () => {
    const sandbox = unlimitedSandbox();
    const ask = createRequester(sandbox);
    const [row] = await allNotes(ask);
    const always: { kind: FaultKind; count: number } = { kind: 'null_cursor', count: Number.POSITIVE_INFINITY };
    sandbox.faults.add(always);
    for (const path of ['/v1/notes', `/v1/notes/${row.id}/transcript`, '/v1/folders']) {
      expect((await ask(path)).body).toMatchObject({ hasMore: true, cursor: null });
    }
  });
});
