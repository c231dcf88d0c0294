import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { connectorPath, serveTestService, startTestService, tenantOf } from './setup.js';

test('documents have a tag and are compressed if the client accepts that', async () => {
  const { tenant, ask } = await startTestService();
  const acme = await tenant();
  const id = await acme.connect('linear');
  for (const [requester, path] of [
    [ask, '/openapi.json'],
    [acme.ask, connectorPath(id, '/describe')],
    [acme.ask, '/api/v1/skills/docs?id=linear-connector-docs'],
    [acme.ask, '/api/v1/skills/docs?id=linear-connector-docs&section=actions.issues.list'],
  ] as const) {
    const plain = await requester('GET', path);
    const etag = plain.headers.get('etag')!;
    expect([plain.status, plain.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    const again = await requester('GET', path, { headers: { 'if-none-match': `"other", W/${etag}` } });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await requester('GET', path, { headers: { 'if-none-match': '"other"' } })).text).toBe(plain.text);
  }
  expect(
    new Set(
      await Promise.all(
        ['issues', 'teams'].map(async (entity) => {
          const path = `/api/v1/skills/docs?id=linear-connector-docs&section=actions.${entity}.list`;
          return (await acme.ask('GET', path)).headers.get('etag');
        }),
      ),
    ).size,
  ).toBe(2);
});

test.each([
  ['gzip', true],
  ['br, gzip;q=0.5', true],
  ['*', true],
  ['identity', false],
  ['gzip;q=0', false],
])('a client that accepts %s', async (accepted, isCompressed) => {
  const { service } = await startTestService();
  const request = new Request('http://localhost/openapi.json', { headers: { 'accept-encoding': accepted } });
  const response = await service.fetch(request);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get('content-encoding')).toBe(isCompressed ? 'gzip' : null);
  expect(response.headers.get('vary')).toBe('accept-encoding');
  expect(JSON.parse((isCompressed ? gunzipSync(bytes) : bytes).toString()).openapi).toBe('3.1.0');
});

test('the reference is limited by address', async () => {
  const { ask } = await startTestService({ limits: { signIns: 1 } });
  const statuses: number[] = [];
  for (let count = 0; count < 6; count++) statuses.push((await ask('GET', '/openapi.json')).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(4);
  expect(statuses.at(-1)).toBe(429);
  expect((await ask('GET', '/health')).status).toBe(200);
});

test('requests without a valid token are limited by address, but those with one are not', async () => {
  const { service, tenant } = await startTestService({ limits: { signIns: 1 } });
  const acme = await tenant();
  const statusWith = async (headers: Record<string, string>, path = '/api/v1/account/me', method = 'GET') =>
    (await service.fetch(new Request(`http://localhost${path}`, { method, headers }))).status;
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) statuses.push(await statusWith({ authorization: `Bearer wrong-${count}` }));
  expect(statuses).toEqual([401, 401, 401]);
  expect(await statusWith({})).toBe(401);
  expect(await statusWith({ authorization: 'Bearer wrong' })).toBe(429);
  expect(await statusWith({ authorization: 'Bearer wrong' }, '/mcp', 'POST')).toBe(429);
  expect(await statusWith({ authorization: 'Bearer wrong' }, '/metrics')).toBe(429);
  // Reading the reference and a valid token are counted on their own.
  expect(await statusWith({}, '/openapi.json')).toBe(200);
  expect(await statusWith({ authorization: `Bearer ${acme.token}` })).toBe(200);
});

test('bytes of bodies and responses count against the rate limit of their client', async () => {
  const server = await serveTestService({ limits: { rate: 0.001, burst: 40, bytesPerRequest: 10_000 } });
  const [acme, other] = [await tenantOf(server, 'Acme'), await tenantOf(server, 'Other')];
  const remaining = async () =>
    Number((await acme.ask('GET', '/api/v1/account/me')).headers.get('ratelimit-remaining'));
  const before = await remaining();
  const long = await acme.ask('POST', '/api/v1/workspaces', { json: { name: 'x'.repeat(195_000) } });
  expect(long.status).toBe(422);
  // Two requests, and one more per 10,000 bytes.
  expect(await remaining()).toBe(before - 2 - 19);
  await acme.ask('POST', '/api/v1/workspaces', { json: { name: 'x'.repeat(395_000) } });
  expect((await acme.ask('GET', '/api/v1/account/me')).status).toBe(429);
  expect((await other.ask('GET', '/api/v1/account/me')).status).toBe(200);
});
