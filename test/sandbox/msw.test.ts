import https from 'node:https';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox, type FaultKind, type VendorContext } from 'agent-connectors-sandbox';
import { handlers, respondOnce } from 'agent-connectors-sandbox/msw';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { larderVendor } from '../../examples/larder/src/vendor.js';
import { failure } from '../failure.js';
import { noon } from './requester.js';

const sandbox = createSandbox({ seed: 1, scale: 0.3, vendors: { larder: larderVendor } });
const { linear, granola, gong, 'google-drive': drive, 'google-analytics': analytics, larder } = sandbox.vendors;
const server = setupServer(...handlers(sandbox));
const address = 'https://api.linear.app/graphql';

/** Sends a GraphQL document to Linear. */
const ask = (query = '{ issues(first: 20) { nodes { id title } } }', init: RequestInit = {}) =>
  fetch(address, {
    method: 'POST',
    headers: { authorization: linear.credentials.api_key.api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
    ...init,
  });

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  server.resetHandlers();
  sandbox.reset();
});
afterAll(() => server.close());

describe('handlers', () => {
  it.each([
    ['linear', () => new LinearConnector({ credentials: linear.credentials.api_key }).teams.list()],
    ['granola', () => new GranolaConnector({ credentials: granola.credentials.api_key }).notes.list()],
    ['gong', () => new GongConnector({ credentials: gong.credentials.basic }).users.list()],
    ['google-drive', () => new GoogleDriveConnector({ credentials: drive.credentials.oauth }).files.list()],
    [
      'google-analytics',
      () => {
        const connector = new GoogleAnalyticsConnector({ credentials: analytics.credentials.oauth });
        return connector.traffic_sources.list({ property_id: analytics.properties.website });
      },
    ],
  ])('give the connector of %s its vendor', async (vendor, call) => {
    expect((await call()).data).not.toEqual([]);
    expect(sandbox.requests.at(-1)).toMatchObject({ vendor, status: 200 });
  });

  it('serve added vendors', async () => {
    const headers = { authorization: `Bearer ${larder.credentials.api_key.api_key}` };
    const response = await fetch('https://api.larder.example/v1/jars/jar_1', { headers });
    expect(await response.json()).toMatchObject({ id: 'jar_1' });
    expect(response.headers.get('date')).not.toBeNull();
  });

  it('leave other hosts to msw, and paths that a sandbox server would serve', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    for (const url of ['https://api.linear.example/graphql', 'http://127.0.0.1:9/linear/graphql']) {
      await expect(fetch(url)).rejects.toThrow('onUnhandledRequest');
    }
    print.mockRestore();
    expect(sandbox.requests).toEqual([]);
  });

  it('serve node:https', async () => {
    const headers = { authorization: `Bearer ${granola.credentials.api_key.api_key}` };
    const status = await new Promise((resolve, reject) => {
      const sent = https.request('https://public-api.granola.ai/v1/folders', { headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      sent.once('error', reject).end();
    });
    expect(status).toBe(200);
  });
});

describe('faults', () => {
  it.each<[FaultKind, number]>([
    ['http_429', 429],
    ['500', 500],
    ['502', 502],
    ['503', 503],
    ['504', 504],
    ['rate_limited', 400],
    ['expired_token', 401],
    ['wrong_content_type', 200],
    ['empty_body', 200],
  ])('%s has status %i', async (kind, status) => {
    sandbox.faults.add({ kind, retryAfter: 7 });
    expect((await ask()).status).toBe(status);
    expect(sandbox.requests).toMatchObject([{ fault: kind, status }]);
  });

  it('keep their Retry-After', async () => {
    sandbox.faults.add({ kind: '503', retryAfter: 7 });
    expect((await ask()).headers.get('retry-after')).toBe('7');
  });

  it.each(['reset_before', 'reset_after'] as const)('%s fails without a response', async (kind) => {
    sandbox.faults.add({ kind });
    await expect(ask()).rejects.toThrow(TypeError);
    expect(sandbox.requests).toMatchObject([{ fault: kind, status: 0 }]);
  });

  it('a connector retries a read, and resolves a write whose response was lost', async () => {
    const connector = new LinearConnector({ credentials: linear.credentials.api_key });
    sandbox.faults.add({ kind: 'reset_before', rootField: 'teams' });
    const [team] = (await connector.teams.list()).data;
    sandbox.faults.add({ kind: 'reset_after', rootField: 'issueCreate' });
    const { data } = await connector.issues.create({ teamId: team!.id, title: 'Only once' });
    const { data: newest } = await connector.issues.list({ first: 10 });
    expect(newest.filter(({ title }) => title === 'Only once').map(({ id }) => id)).toEqual([data.issue.id]);
  });

  it('truncated_body breaks off, and truncated_json ends normally', async () => {
    sandbox.faults.add({ kind: 'truncated_body' });
    sandbox.faults.add({ kind: 'truncated_json', nth: 2 });
    await expect((await ask()).text()).rejects.toThrow('terminated');
    await expect((await ask()).json()).rejects.toThrow(SyntaxError);
  });

  it('slow_headers and slow_body deliver everything, in pieces', async () => {
    sandbox.faults.add({ kind: 'slow_headers', ms: 20 });
    sandbox.faults.add({ kind: 'slow_body', ms: 1, nth: 2 });
    expect((await ask()).status).toBe(200);
    let chunks = 0;
    for await (const _ of (await ask()).body!) chunks += 1;
    expect(chunks).toBeGreaterThan(8);
  });

  it('a stalled response can be aborted, before its headers and within its body', async () => {
    const reason = new DOMException('Enough', 'TimeoutError');
    const abort = new AbortController();
    sandbox.faults.add({ kind: 'slow_headers', ms: 600_000 });
    const waiting = ask(undefined, { signal: abort.signal });
    setTimeout(() => abort.abort(reason), 10);
    await expect(waiting).rejects.toBe(reason);

    const abortBody = new AbortController();
    sandbox.faults.add({ kind: 'slow_body', ms: 600_000, after: 10 });
    const { body } = await ask(undefined, { signal: abortBody.signal });
    const reader = body!.getReader();
    expect((await reader.read()).value).toHaveLength(10);
    abortBody.abort(reason);
    await expect(reader.read()).rejects.toBe(reason);
  });

  it('a stalled body ends a call at its timeout', async () => {
    const connector = new LinearConnector({ credentials: linear.credentials.api_key, retries: 0, timeoutMs: 200 });
    sandbox.faults.add({ kind: 'slow_body', ms: 600_000 });
    expect(await failure(connector.teams.list())).toMatchObject({ code: 'timeout' });
  });

  it('a redirect is visible to a client that does not follow it, and followed by one that does', async () => {
    const authorization = `Bearer ${granola.credentials.api_key.api_key}`;
    const notes = (redirect: RequestRedirect) =>
      fetch('https://public-api.granola.ai/v1/notes', { headers: { authorization }, redirect });
    const location = 'https://public-api.granola.ai/v1/folders';
    sandbox.faults.add({ kind: 'redirect', location, count: 2 });
    const response = await notes('manual');
    expect([response.status, response.headers.get('location')]).toEqual([302, location]);
    const followed = await notes('follow');
    expect([followed.status, followed.url]).toEqual([200, location]);
    expect(sandbox.requests.map(({ path }) => path)).toEqual(['/v1/notes', '/v1/notes', '/v1/folders']);
  });

  it('a bug in an added vendor is not mistaken for a broken connection', async () => {
    const broken = createSandbox({
      vendors: {
        broken: {
          origins: ['https://broken.example'],
          create: (context: VendorContext) => ({
            ...larderVendor.create(context),
            notes: () => ({ credential: 'none', body: null }),
            answer: () => {
              throw new TypeError('x is undefined');
            },
          }),
        },
      },
    });
    server.use(...handlers(broken));
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    const response = await fetch('https://broken.example/x');
    print.mockRestore();
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ message: 'x is undefined' });
  });
});

describe('overrides', () => {
  const titles = async (response: Response) => (await response.json()).data.issues?.nodes.length;

  it("msw's own replace the sandbox for one request", async () => {
    server.use(http.post(address, () => HttpResponse.json({ data: 'override' }), { once: true }));
    expect(await (await ask()).json()).toEqual({ data: 'override' });
    expect(await titles(await ask())).toBe(20);
    expect(sandbox.requests).toHaveLength(1);
  });

  it('respondOnce matches by vendor and GraphQL field', async () => {
    const match = { vendor: 'linear', rootField: 'issues' } as const;
    server.use(respondOnce(sandbox, match, () => HttpResponse.json({ data: 'override' })));
    expect((await (await ask('{ teams { nodes { id } } }')).json()).data.teams.nodes).not.toHaveLength(0);
    await fetch('https://public-api.granola.ai/v1/notes', { method: 'POST', body: 'no JSON' });
    expect(await (await ask()).json()).toEqual({ data: 'override' });
    expect(await titles(await ask())).toBe(20);
  });

  it('respondOnce matches by path, passes the request on, and accepts an added vendor', async () => {
    server.use(
      respondOnce(sandbox, { vendor: 'larder', path: '/v1/jars/' }, ({ request: { url, method } }) =>
        HttpResponse.json({ url, method }),
      ),
    );
    const url = 'https://api.larder.example/v1/jars/jar_1';
    expect((await fetch('https://api.larder.example/v1/jars')).status).toBe(401);
    expect(await (await fetch(url, { method: 'DELETE' })).json()).toEqual({ url, method: 'DELETE' });
    expect((await fetch(url)).status).toBe(401);
  });

  it('respondOnce rejects an unknown vendor at compile time', () => {
    // @ts-expect-error no such vendor
    respondOnce(sandbox, { vendor: 'pantry' }, () => HttpResponse.json({}));
    // @ts-expect-error a vendor of another sandbox
    respondOnce(createSandbox({ now: () => noon }), { vendor: 'larder' }, () => HttpResponse.json({}));
  });
});
