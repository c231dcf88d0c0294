import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createService } from 'agent-connectors-service';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { connectorPath, tenantOf } from '../../service/http/setup.js';
import { newKey } from '../../service/keys.js';
import { serviceProcesses } from '../../service/replication/children.js';
import { newFolder } from '../../service/state/fixtures.js';

const start = serviceProcesses();
afterEach(() => void vi.useRealTimers());

/** Each connector causes fifty webhooks; 200 connectors take a long time. */
const connectors = Number(process.env.WEBHOOK_CONNECTORS ?? 4);
/** Changes per connector: it is created, gets new credentials, and is deleted. */
const changes = 10;
const endpoints = 5;
/** The receiver accepts a message after this many rejections, since the service gives up on it after three days. */
const maxRefusals = 9;
/** At each kill the clock advances by this much, so most rejected messages are due again. */
const hopMs = 3 * 3_600_000;

const realNow = () => performance.timeOrigin + performance.now();
const removed = changes - 1;
const versionOf = ({ type, data }: any) =>
  type === 'connector.removed' ? removed : Number(data.connector_name.split(' v')[1]);

/** A receiver with several endpoints that rejects or drops half of its requests, as determined by the seed. */
async function openReceiver(clock: { readonly ahead: number }) {
  const secrets: string[] = [];
  /** Versions in order of acceptance, by endpoint and connector. */
  const accepted = new Map<string, number[]>();
  const ids = new Set<string>();
  const refusals = new Map<string, number>();
  const counts = { attempts: 0, refused: 0, repeated: 0, invalid: 0 };
  let open = 0;
  let state = 20_261_123;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const server = createServer(async (request, response) => {
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    await wait(random() * 10);
    counts.attempts += 1;
    const endpoint = Number(request.url!.slice(1));
    const id = String(request.headers['webhook-id']);
    const body = Buffer.concat(chunks).toString();
    vi.setSystemTime(realNow() + clock.ahead);
    try {
      new Webhook(secrets[endpoint]!).verify(body, request.headers as Record<string, string>);
    } catch {
      counts.invalid += 1;
    }
    const refused = refusals.get(id) ?? 0;
    if (random() < 0.5 && refused < maxRefusals) {
      refusals.set(id, refused + 1);
      counts.refused += 1;
      return void (random() < 0.5 ? response.writeHead(500).end() : request.socket.destroy());
    }
    const message = JSON.parse(body);
    if (ids.has(id)) counts.repeated += 1;
    ids.add(id);
    const key = `${endpoint} ${message.data.connector_id}`;
    accepted.set(key, [...(accepted.get(key) ?? []), versionOf(message)]);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, secrets, accepted, ids, counts, open: () => open };
}

test('webhooks arrive signed and in order, even if the service is killed and the receiver fails half the time', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const clock = { ahead: 0 };
  const receiver = await openReceiver(clock);
  const [folder, key] = [newFolder(), newKey()];
  const first = await createService({ dataFolder: folder, key, replicate: false, allowHosts: ['127.0.0.1'] });
  const { clientId, clientSecret, ...tenant } = await tenantOf(first, 'Acme');
  const hooks: string[] = [];
  for (let endpoint = 0; endpoint < endpoints; endpoint += 1) {
    const { body } = await tenant.ask('POST', '/api/v1/webhooks', { json: { url: `${receiver.url}/${endpoint}` } });
    receiver.secrets.push(body.secret);
    hooks.push(body.id);
  }
  const credentials = { api_key: 'lin_api_1' };
  const made: string[] = [];
  for (let n = 0; n < connectors; n += 1) made.push(await tenant.connect('linear', credentials, { name: `c${n} v0` }));
  await first.close();

  let [url, token] = ['', ''];
  const ask = async (method: string, path: string, json?: object) => {
    const response = await fetch(url + path, {
      method,
      ...(json && { body: JSON.stringify(json) }),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    return { status: response.status, body: (await response.json()) as any };
  };
  /** Repeats a change until it is acknowledged. */
  let calls = 0;
  const acknowledged = async (method: string, path: string, json?: object) => {
    for (;;) {
      const { status } = await ask(method, path, json).catch(() => ({ status: 0 }));
      if (status === 200 || (method === 'DELETE' && status === 404)) break;
      if (status !== 0 && status !== 401 && status < 500) throw new Error(`${method} ${path}: ${status}`);
      await wait(50);
    }
    calls += 1;
  };
  const queue = made.map((id, n) => ({ id, n }));
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const path = connectorPath(next.id);
      for (let version = 1; version < removed; version += 1) {
        await acknowledged('PUT', path, { name: `c${next.n} v${version}`, credentials });
      }
      await acknowledged('DELETE', path);
    }
  };
  const expectedCalls = connectors * (changes - 1);
  const openDeliveries = async () => {
    for (const id of hooks) {
      for (const status of ['pending', 'waiting']) {
        const { body } = await ask('GET', `/api/v1/webhooks/${id}/deliveries?status=${status}&limit=1`);
        if (body.data.length > 0) return true;
      }
    }
    return false;
  };

  let workers: Promise<unknown> | undefined;
  const kills = { all: 0, whileSending: 0 };
  const began = realNow();
  for (;;) {
    const service = await start(folder, key, 'http://127.0.0.1:9', String(clock.ahead), 'no');
    url = service.url;
    token = (
      await ask('POST', '/api/v1/account/applications/token', { client_id: clientId, client_secret: clientSecret })
    ).body.access_token;
    workers ??= Promise.all(Array.from({ length: 6 }, work));
    // Wait until deliveries stop, or until a moment in the middle of them.
    const until = realNow() + 3500 + ((kills.all * 617) % 5000);
    for (let idleMs = 0, before = -1; idleMs < 1200 && realNow() < until; await wait(100)) {
      idleMs = before === receiver.counts.attempts ? idleMs + 100 : 0;
      before = receiver.counts.attempts;
    }
    if (calls === expectedCalls && !(await openDeliveries())) {
      await service.kill();
      break;
    }
    if (receiver.open() > 0) kills.whileSending += 1;
    await service.kill();
    kills.all += 1;
    // Messages sent by the killed process must be verified with its clock.
    await expect.poll(() => receiver.open(), { interval: 5 }).toBe(0);
    clock.ahead += hopMs;
  }
  await workers;

  const { accepted, counts, ids } = receiver;
  expect(counts.invalid).toBe(0);
  for (let endpoint = 0; endpoint < endpoints; endpoint += 1) {
    for (const id of made) {
      const versions = accepted.get(`${endpoint} ${id}`) ?? [];
      expect(new Set(versions)).toEqual(new Set(Array.from({ length: changes }, (_, version) => version)));
      expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    }
  }
  expect(ids.size).toBeGreaterThanOrEqual(connectors * changes * endpoints);
  console.log(
    `measured: ${ids.size} webhooks, ${JSON.stringify(counts)}, kills ${JSON.stringify(kills)}, ${Math.round((realNow() - began) / 1000)} s`,
  );
}, 1_200_000);
