import { createSandbox, type FaultKind, type FaultRule, type Sandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { createRequester, noon } from './requester.js';

const fresh = (...faults: FaultRule[]) => createSandbox({ now: () => noon, faults });
const page =
  'query($after: String) { issues(first: 10, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }';
const write =
  'mutation { commentCreate(input: { issueId: "ENG-1", body: "written" }) { success comment { id body } } }';
const comments = async (sandbox: Sandbox) =>
  (await createRequester(sandbox)('{ issue(id: "ENG-1") { comments(first: 250) { nodes { body } } } }')).data.issue
    .comments.nodes.length as number;

function raw(sandbox: Sandbox, query = page, init: RequestInit = {}) {
  return sandbox.fetch('https://api.linear.app/graphql', {
    method: 'POST',
    headers: {
      authorization: sandbox.vendors.linear.credentials.api_key.api_key,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query }),
    ...init,
  });
}

describe('selecting requests', () => {
  it('applies once to any request by default', async () => {
    const sandbox = fresh({ kind: '503' });
    expect((await raw(sandbox)).status).toBe(503);
    expect((await raw(sandbox)).status).toBe(200);
  });

  it('applies to the nth matching request and to the given number of requests', async () => {
    const sandbox = fresh({ kind: '502', rootField: 'viewer', nth: 2, count: 2 });
    const viewer = '{ viewer { id } }';
    const statuses: number[] = [];
    for (const query of [viewer, page, viewer, page, viewer, viewer]) statuses.push((await raw(sandbox, query)).status);
    expect(statuses).toEqual([200, 200, 502, 200, 502, 200]);
  });

  it('applies by vendor and path, and ends when the rules are cleared', async () => {
    const sandbox = fresh({ kind: '500', vendor: 'another', count: Number.POSITIVE_INFINITY });
    sandbox.faults.add({ kind: '500', path: '/oauth', count: Number.POSITIVE_INFINITY });
    const token = () => sandbox.fetch('https://api.linear.app/oauth/token', { method: 'POST' });
    expect((await raw(sandbox)).status).toBe(200);
    expect((await token()).status).toBe(500);
    sandbox.faults.clear();
    expect((await token()).status).toBe(400);
  });

  it('rejects unknown kinds, unknown fields and invalid rates', () => {
    expect(() => fresh({ kind: 'flood' as FaultKind })).toThrow(/unknown fault kind 'flood'/);
    const rule = { kind: '503', times: 3 } as FaultRule;
    expect(() => fresh(rule)).toThrow(/unknown field 'times' in a fault.* count \(number of/);
    expect(() => createSandbox({ chaos: { seed: 1, rate: 2 } })).toThrow(RangeError);
  });
});

describe("responses in place of the vendor's", () => {
  it.each([
    ['http_429', 429, 'text/plain; charset=utf-8'],
    ['500', 500, 'application/json; charset=utf-8'],
    ['502', 502, 'text/html; charset=utf-8'],
    ['503', 503, 'text/plain; charset=utf-8'],
    ['504', 504, 'text/plain; charset=utf-8'],
    ['wrong_content_type', 200, 'text/html; charset=utf-8'],
    ['empty_body', 200, 'application/json; charset=utf-8'],
  ] as const)('%s responds with %i as %s without writing anything', async (kind, status, type) => {
    const sandbox = fresh();
    const before = await comments(sandbox);
    sandbox.faults.add({ kind });
    const response = await raw(sandbox, write);
    expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
    if (kind === '503') expect(await response.text()).toMatch(/^upstream connect error/);
    if (kind === 'empty_body') expect(await response.text()).toBe('');
    expect(await comments(sandbox)).toBe(before);
  });

  it('can come after the vendor has processed the request', async () => {
    const sandbox = fresh();
    const before = await comments(sandbox);
    sandbox.faults.add({ kind: '504', applied: true });
    sandbox.faults.add({ kind: '500', applied: true, nth: 2 });
    expect((await raw(sandbox, write)).status).toBe(504);
    expect((await raw(sandbox, write)).status).toBe(500);
    expect(await comments(sandbox)).toBe(before + 2);
  });

  it("rate_limited uses Linear's own format and returns the wait time", async () => {
    const sandbox = fresh({ kind: 'rate_limited', retryAfter: 7 }, { kind: 'rate_limited', nth: 2 });
    const first = await createRequester(sandbox)(page);
    expect(first.status).toBe(400);
    expect(first.errors?.[0]?.extensions).toMatchObject({ code: 'RATELIMITED', type: 'ratelimited', statusCode: 429 });
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'retry-after': '7',
      'x-ratelimit-requests-reset': String(noon + 3_600_000),
    });
    const second = await createRequester(sandbox)(page);
    expect(second.headers.get('retry-after')).toBeNull();
    expect(second.headers.get('x-ratelimit-requests-remaining')).toBe('0');
    expect((await createRequester(sandbox)(page)).status).toBe(200);
  });

  it('redirect points to another host, and following it fails', async () => {
    const always = { kind: 'redirect', count: 3 } as const;
    const sandbox = fresh({ ...always, location: 'https://elsewhere.example/' });
    const manual = await raw(sandbox, page, { redirect: 'manual' });
    expect([manual.status, manual.headers.get('location')]).toEqual([302, 'https://elsewhere.example/']);
    await expect(raw(sandbox)).rejects.toMatchObject({ cause: { code: 'ENOTFOUND' } });
    await expect(raw(sandbox, page, { redirect: 'error' })).rejects.toThrow(TypeError);
  });

  it('redirect to another origin is followed without the credential', async () => {
    const sandbox = fresh({ kind: 'redirect', location: 'http://other.example/linear/graphql' });
    expect((await raw(sandbox)).status).toBe(405);
    expect(sandbox.requests.map(({ method, credential }) => [method, credential])).toEqual([
      ['POST', 'api_key'],
      ['GET', 'none'],
    ]);
  });

  it('a redirect loop is not followed forever', async () => {
    const location = 'https://api.linear.app/graphql';
    const sandbox = fresh({ kind: 'redirect', location, count: Number.POSITIVE_INFINITY });
    await expect(raw(sandbox)).rejects.toMatchObject({ cause: { message: 'redirect count exceeded' } });
    expect(sandbox.requests).toHaveLength(21);
  });

  it('expired_token responds with 401 once', async () => {
    const sandbox = fresh({ kind: 'expired_token' });
    const answer = await createRequester(sandbox)(page);
    expect([answer.status, answer.errors?.[0]?.extensions.code]).toEqual([401, 'AUTHENTICATION_ERROR']);
    expect((await createRequester(sandbox)(page)).status).toBe(200);
  });

  it.each([
    ['internal_error', 'internal error'],
    ['lock_timeout', 'lock timeout'],
  ] as const)('%s returns an error in an HTTP 200 response without writing anything', async (kind, type) => {
    const sandbox = fresh();
    const before = await comments(sandbox);
    sandbox.faults.add({ kind });
    const answer = await createRequester(sandbox)(write);
    expect(answer).toMatchObject({ status: 200, data: null });
    expect(answer.errors?.[0]).toMatchObject({ path: ['commentCreate'], extensions: { type } });
    expect(await comments(sandbox)).toBe(before);
  });
});

describe('broken connections and bodies', () => {
  it('reset_before loses the request, reset_after the response', async () => {
    const sandbox = fresh();
    const before = await comments(sandbox);
    for (const [kind, written] of [
      ['reset_before', 0],
      ['reset_after', 1],
    ] as const) {
      sandbox.faults.add({ kind });
      const failure = await raw(sandbox, write).catch((error) => error);
      expect(failure).toBeInstanceOf(TypeError);
      expect(failure).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
      expect(await comments(sandbox)).toBe(before + written);
    }
  });

  it('truncated_body sends less than its Content-Length; truncated_json does not', async () => {
    const sandbox = fresh({ kind: 'truncated_body' }, { kind: 'truncated_json', nth: 2 });
    const cut = await raw(sandbox);
    expect(cut.status).toBe(200);
    const promised = Number(cut.headers.get('content-length'));
    expect(promised).toBeGreaterThan(0);
    await expect(cut.text()).rejects.toMatchObject({ name: 'TypeError', message: 'terminated' });
    const half = await (await raw(sandbox)).text();
    expect(() => JSON.parse(half)).toThrow(SyntaxError);
    expect(half.length).toBeLessThan(promised);
  });

  it('slow_headers and slow_body delay the response but deliver it completely', async () => {
    const sandbox = fresh({ kind: 'slow_headers', ms: 60 }, { kind: 'slow_body', ms: 5, nth: 2 });
    const began = performance.now();
    const late = await raw(sandbox);
    expect(performance.now() - began).toBeGreaterThan(50);
    expect(await late.json()).toHaveProperty('data.issues');
    const trickling = await raw(sandbox);
    const chunks: number[] = [];
    for await (const chunk of trickling.body!) chunks.push(chunk.length);
    expect(chunks.length).toBeGreaterThan(8);
  });

  it('can be aborted while waiting for the headers or the body', async () => {
    const sandbox = fresh({ kind: 'slow_headers', ms: 60_000 }, { kind: 'slow_body', ms: 60_000, nth: 2 });
    const reason = new DOMException('Enough', 'TimeoutError');
    const waiting = new AbortController();
    const pending = raw(sandbox, page, { signal: waiting.signal });
    setTimeout(() => waiting.abort(reason), 10);
    await expect(pending).rejects.toBe(reason);

    const reading = new AbortController();
    const response = await raw(sandbox, page, { signal: reading.signal });
    setTimeout(() => reading.abort(reason), 10);
    await expect(response.text()).rejects.toBe(reason);

    await expect(raw(sandbox, page, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('misleading lists', () => {
  it('half_page returns fewer rows than requested with a cursor for more', async () => {
    const sandbox = fresh();
    const whole = (await createRequester(sandbox)(page)).data.issues.nodes;
    sandbox.faults.add({ kind: 'half_page' });
    const half = (await createRequester(sandbox)(page)).data.issues;
    expect(half.nodes).toEqual(whole.slice(0, 5));
    expect(half.pageInfo.hasNextPage).toBe(true);
    const next = (await createRequester(sandbox)(page, { after: half.pageInfo.endCursor })).data.issues.nodes;
    expect(next.slice(0, 5)).toEqual(whole.slice(5));
  });

  it('endless_cursor returns the same cursor repeatedly', async () => {
    const sandbox = fresh({ kind: 'endless_cursor', count: Number.POSITIVE_INFINITY });
    const ask = createRequester(sandbox);
    const first = (await ask(page)).data.issues.pageInfo;
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await ask(page, { after: first.endCursor })).data.issues.pageInfo).toEqual({
        hasNextPage: true,
        endCursor: first.endCursor,
      });
    }
  });

  it('null_cursor reports more results but returns no cursor', async () => {
    const { pageInfo } = (await createRequester(fresh({ kind: 'null_cursor' }))(page)).data.issues;
    expect(pageInfo).toEqual({ hasNextPage: true, endCursor: null });
  });

  it('only affects the outermost list', async () => {
    const nested =
      '{ teams(first: 4) { nodes { states(first: 8) { nodes { id } pageInfo { endCursor } } } pageInfo { endCursor } } }';
    const { teams } = (await createRequester(fresh({ kind: 'null_cursor' }))(nested)).data;
    expect(teams.pageInfo.endCursor).toBeNull();
    expect(teams.nodes[0].states.pageInfo.endCursor).toBeTypeOf('string');
  });

  it('partial_data has both data and errors', async () => {
    const answer = await createRequester(fresh({ kind: 'partial_data' }))(page);
    expect(answer.status).toBe(200);
    expect(answer.data.issues.nodes).toHaveLength(10);
    expect(answer.errors).toHaveLength(1);
  });

  it('success_false writes nothing and gives no reason', async () => {
    const sandbox = fresh();
    const before = await comments(sandbox);
    sandbox.faults.add({ kind: 'success_false', rootField: 'commentCreate' });
    sandbox.faults.add({ kind: 'success_false', rootField: 'issueUpdate' });
    const created = await createRequester(sandbox)(write);
    expect(created.errors).toBeUndefined();
    expect(created.data.commentCreate.success).toBe(false);
    expect(await comments(sandbox)).toBe(before);
    const updated = await createRequester(sandbox)(
      'mutation { issueUpdate(id: "ENG-1", input: { title: "x" }) { success issue { id } } }',
    );
    expect(updated.data.issueUpdate).toEqual({ success: false, issue: null });
    expect((await createRequester(sandbox)('{ issue(id: "ENG-1") { title } }')).data.issue.title).not.toBe('x');
  });
});

describe('chaos', () => {
  const struck = async (seed: number, rate: number) => {
    const sandbox = createSandbox({ now: () => noon, chaos: { seed, rate, kinds: ['502', '503', 'rate_limited'] } });
    for (let turn = 0; turn < 100; turn += 1) await raw(sandbox, '{ viewer { id } }');
    return sandbox.requests.map((request) => request.fault ?? null);
  };

  it('is reproducible for a seed, roughly matches the requested rate, and is off at rate 0', async () => {
    const faults = await struck(5, 0.3);
    expect(faults).toEqual(await struck(5, 0.3));
    expect(faults).not.toEqual(await struck(6, 0.3));
    const count = faults.filter((fault) => fault !== null).length;
    expect(count).toBeGreaterThan(15);
    expect(count).toBeLessThan(45);
    expect(new Set(faults).size).toBe(4);
    expect((await struck(5, 0)).every((fault) => fault === null)).toBe(true);
  });
});
