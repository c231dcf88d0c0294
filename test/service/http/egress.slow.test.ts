import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve as serveSandbox } from 'agent-connectors-sandbox/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { execute, startTestService } from './setup.js';

/** A local server that counts connections. */
async function listener() {
  let connections = 0;
  const server = createServer((_, response) => response.end('{}'));
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

const key = { api_key: 'lin_api_any' };

/** The result of a request when the vendor's name resolves to this address. */
async function resolving(...addresses: string[]) {
  const asked: string[] = [];
  const acme = await (
    await startTestService({
      fetch: undefined,
      resolve: async (hostname) => {
        asked.push(hostname);
        return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
    })
  ).tenant();
  const id = await acme.connect('linear', key);
  return { ...(await execute(acme, id, 'issues', 'update', { id: 'ENG-1', title: 'x' })), asked };
}

describe('a vendor host name that resolves to', () => {
  test.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.0.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::1',
    '2001:0:1::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
  ])('%s is blocked', async (address) => {
    const refused = await resolving(address);
    expect([refused.status, refused.body.code, refused.body.retryable]).toEqual([403, 'denied_by_policy', false]);
    expect(refused.asked).toEqual(['api.linear.app']);
  });

  test('both a public and a private address is blocked', async () => {
    const refused = await resolving('104.18.0.1', '10.0.0.1');
    expect(refused.body.code).toBe('denied_by_policy');
  });

  test('an empty address list is reported as not found', async () => {
    const refused = await resolving();
    expect([refused.status, refused.body.code]).toEqual([502, 'network']);
  });
});

test('a host name that resolves to this machine is blocked, whatever it resolved to before', async () => {
  const { port, connections } = await listener();
  let count = 0;
  const acme = await (
    await startTestService({
      fetch: undefined,
      endpoints: { gong: { auth: `https://auth.example:${port}` } },
      resolve: async () => [{ address: count++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }],
    })
  ).tenant();
  const id = await acme.connect('linear', key);
  for (let tries = 0; tries < 3; tries++) {
    expect((await execute(acme, id, 'issues', 'update', { id: 'ENG-1', title: 'x' })).body.code).toBe(
      'denied_by_policy',
    );
  }
  expect(count).toBe(3);
  expect(connections()).toBe(0);
});

test("a customer's base_url that points to this machine is rejected before any request", async () => {
  const { port, connections } = await listener();
  const acme = await (await startTestService({ fetch: undefined })).tenant();
  const json = {
    workspace_name: 'main',
    connector_type: 'gong',
    credentials: { access_key: 'a', access_key_secret: 'b', base_url: `http://127.0.0.1:${port}` },
  };
  expect((await acme.ask('POST', '/api/v1/integrations/connectors', { json })).status).toBe(422);
  expect(connections()).toBe(0);
});

test('a URL set by the operator can point to any address, but only that URL is allowed', async () => {
  const sandbox = await serveSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const { port, connections } = await listener();
  const { linear, granola } = sandbox.sandbox.vendors;
  const running = await startTestService({ fetch: undefined, endpoints: { linear: `${sandbox.url}/linear` } });
  const acme = await running.tenant();
  const id = await acme.connect('linear', linear.credentials.api_key);
  expect((await execute(acme, id, 'teams', 'list', { first: 1 })).body.result).toHaveLength(1);

  const other = await startTestService({
    fetch: undefined,
    endpoints: { linear: `${sandbox.url}/linear`, granola: `https://elsewhere.example:${port}` },
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const bolt = await other.tenant();
  const gong = await bolt.connect('gong', { access_key: 'a', access_key_secret: 'b' });
  expect((await execute(bolt, gong, 'users', 'list')).body.code).toBe('denied_by_policy');
  expect(connections()).toBe(0);
  // The operator has allowed this URL, so the service tries it; that fails because the server has no TLS.
  const notes = await bolt.connect('granola', granola.credentials.api_key);
  expect((await execute(bolt, notes, 'notes', 'list')).body.code).toBe('network');
  expect(connections()).toBeGreaterThan(0);
});

test('a recording is fetched from the local address that the operator allowed', async () => {
  const sandbox = await serveSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const running = await startTestService({ fetch: undefined, endpoints: { gong: `${sandbox.url}/gong` } });
  const acme = await running.tenant();
  const id = await acme.connect('gong', sandbox.sandbox.vendors.gong.credentials.basic);
  const contentSelector = { exposedFields: { media: true } };
  const list = await execute(acme, id, 'calls_extensive', 'list', { filter: {}, contentSelector });
  const call = list.body.result.find(({ media }: any) => media?.audioUrl);
  const filter = { callIds: [call.metaData.id] };
  const download = await execute(acme, id, 'call_audio', 'download', { filter, contentSelector });
  expect([download.status, download.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
});

test('a recording on another private host or another local port is rejected', async () => {
  const { port, connections } = await listener();
  let audioUrl = '';
  const gong = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ calls: [{ metaData: { id: '1' }, media: { audioUrl } }], records: {} }));
  });
  await new Promise<void>((resolve) => gong.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void gong.close());
  const running = await startTestService({
    fetch: undefined,
    endpoints: { gong: `http://127.0.0.1:${(gong.address() as AddressInfo).port}` },
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const acme = await running.tenant();
  const id = await acme.connect('gong', { access_key: 'a', access_key_secret: 'b' });
  const params = { filter: { callIds: ['1'] }, contentSelector: { exposedFields: { media: true } } };
  for (const host of [
    'http://127.0.0.1',
    'http://localhost',
    'https://media.example',
    'https://10.0.0.1',
    'http://[::1]',
  ]) {
    audioUrl = `${host}:${port}/recording.mp3`;
    const refused = await execute(acme, id, 'call_audio', 'download', params);
    expect([host, refused.body.code]).toEqual([host, 'denied_by_policy']);
  }
  expect(connections()).toBe(0);
});

test('proxy variables in the environment are ignored', async () => {
  const { port, connections } = await listener();
  const sandbox = await serveSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY']) {
    const before = process.env[name];
    process.env[name] = `http://127.0.0.1:${port}`;
    onTestFinished(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
  const acme = await (
    await startTestService({ fetch: undefined, endpoints: { linear: `${sandbox.url}/linear` } })
  ).tenant();
  const id = await acme.connect('linear', sandbox.sandbox.vendors.linear.credentials.api_key);
  expect((await execute(acme, id, 'teams', 'list')).status).toBe(200);
  expect(connections()).toBe(0);
});
