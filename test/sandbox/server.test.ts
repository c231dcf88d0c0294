import { createSandbox } from 'agent-connectors-sandbox';
import { type SandboxServer, serve } from 'agent-connectors-sandbox/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noon } from './requester.js';

let server: SandboxServer;
beforeAll(async () => {
  server = await serve({ sandbox: createSandbox({ now: () => noon }) });
});
afterAll(() => server.close());
beforeEach(() => server.sandbox.reset());

const ask = async (query: string, init: RequestInit = {}) => {
  const response = await fetch(`${server.url}/linear/graphql`, {
    method: 'POST',
    headers: {
      authorization: server.sandbox.vendors.linear.credentials.api_key.api_key,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query }),
    ...init,
  });
  return response;
};
const control = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${server.url}/_sandbox${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as any };
};
const list = '{ issues(first: 20) { nodes { id title description } } }';

describe('the server', () => {
  it('returns the same response over a socket as in-process', async () => {
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    const response = await ask(list);
    const inProcess = createSandbox({ now: () => noon });
    const same = await inProcess.fetch('https://api.linear.app/graphql', {
      method: 'POST',
      headers: {
        authorization: inProcess.vendors.linear.credentials.api_key.api_key,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: list }),
    });
    expect(await response.text()).toBe(await same.text());
    expect(response.headers.get('x-complexity')).toBe(same.headers.get('x-complexity'));
  });

  it('responds with 404 for other paths', async () => {
    const response = await fetch(`${server.url}/somewhere`);
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: 'not_found', vendors: expect.arrayContaining(['/linear', '/granola']) },
    ]);
  });

  it.each(['reset_before', 'reset_after'] as const)('%s breaks the socket', async (kind) => {
    server.sandbox.faults.add({ kind });
    const failure = await ask(list).catch((error) => error);
    expect(failure).toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNRESET' } });
    expect((await ask(list)).status).toBe(200);
  });

  it('truncated_body closes the socket early', async () => {
    server.sandbox.faults.add({ kind: 'truncated_body' });
    const response = await ask(list);
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100);
    await expect(response.text()).rejects.toMatchObject({ name: 'TypeError', message: 'terminated' });
  });

  it('slow_body trickles the body after the headers', async () => {
    server.sandbox.faults.add({ kind: 'slow_body', ms: 15 });
    const began = performance.now();
    const response = await ask(list);
    const headers = performance.now() - began;
    await response.text();
    expect(performance.now() - began - headers).toBeGreaterThan(100);
  });

  it('stops on request, even while another request is running', async () => {
    const other = await serve({ latency: 60_000 });
    const pending = fetch(`${other.url}/linear/graphql`, { method: 'POST' }).catch((error) => error);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await other.close();
    expect(await pending).toBeInstanceOf(TypeError);
    await expect(fetch(`${other.url}/linear/graphql`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('reports a port that is in use', async () => {
    await expect(serve({ port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('the control endpoints', () => {
  it('return the credentials and the time', async () => {
    const { body } = await control('GET', '/');
    expect(body.vendors.linear.credentials).toEqual(server.sandbox.vendors.linear.credentials);
    expect((await control('POST', '/clock/advance', { ms: 250 })).body).toEqual({ now: noon + 250 });
  });

  it('add and clear faults, one or many, once or forever', async () => {
    expect((await control('POST', '/faults', [{ kind: '502' }, { kind: '503', nth: 2, count: null }])).status).toBe(
      200,
    );
    const statuses: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) statuses.push((await ask(list)).status);
    expect(statuses).toEqual([502, 503, 503, 503]);
    await control('DELETE', '/faults');
    expect((await ask(list)).status).toBe(200);
  });

  it('list and clear the requests', async () => {
    await ask(list);
    const { body } = await control('GET', '/requests');
    expect(body.requests).toMatchObject([{ vendor: 'linear', rootField: 'issues', status: 200 }]);
    await control('DELETE', '/requests');
    expect((await control('GET', '/requests')).body.requests).toEqual([]);
  });

  it('dump, load and reset the state', async () => {
    const { body: before } = await control('GET', '/dump');
    await ask('mutation { issueUpdate(id: "ENG-1", input: { title: "changed" }) { success } }');
    const { body: after } = await control('GET', '/dump');
    expect(after).not.toEqual(before);
    await control('POST', '/reset');
    expect((await control('GET', '/dump')).body).toEqual(before);
    await control('POST', '/load', after);
    expect((await control('GET', '/dump')).body).toEqual(after);
  });

  it('revoke credentials and set limits', async () => {
    const { access_token } = server.sandbox.vendors.linear.credentials.access_token;
    const asToken = () =>
      ask(list, { headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' } });
    expect((await asToken()).status).toBe(200);
    await control('POST', '/expire-tokens');
    expect((await asToken()).status).toBe(401);
    await control('PUT', '/limits', { linear: { requestsPerHour: 1 } });
    expect((await ask(list)).headers.get('x-ratelimit-requests-limit')).toBe('1');
    await control('POST', '/revoke', { secret: server.sandbox.vendors.linear.credentials.api_key.api_key });
    expect((await ask(list)).status).toBe(401);
  });

  it('reject invalid input', async () => {
    expect((await control('POST', '/faults', { kind: 'flood' })).status).toBe(400);
    expect((await control('POST', '/clock/advance', {})).status).toBe(400);
    expect((await control('PUT', '/limits', { nobody: {} })).status).toBe(400);
    expect((await control('POST', '/revoke', {})).status).toBe(400);
    expect((await control('GET', '/nothing')).status).toBe(404);
  });
});
