import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentConnectors } from 'agent-connectors/hosted';
import { expect, onTestFinished, test } from 'vitest';
import { newKey } from '../../service/keys.js';
import { newFolder } from '../../service/state/fixtures.js';
import { seeded } from '../../service/store/changes.js';

/** Number of changes, and how often the consumer or the service is killed; one kill a round. */
const total = Number(process.env.FEED_CHANGES ?? 100_000);
const kills = Number(process.env.FEED_KILLS ?? 50);

const programs = fileURLToPath(new URL('programs/', import.meta.url));
/** Changes that the vendor lists at once. */
const pageSize = 500;
/** After this silence, another process takes over a job. */
const silenceMs = 20_000;

/** The vendor: numbered changes, the newest of each item. */
async function startVendor() {
  const items = new Map<string, { readonly id: string; readonly n: number; readonly gone: boolean }>();
  const server = createServer((request, response) => {
    const since = Number(new URL(request.url!, 'http://vendor').searchParams.get('since') ?? 0);
    const rows = [...items.values()].filter(({ n }) => n > since).slice(0, pageSize);
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ rows }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    change(id: string, n: number, gone: boolean) {
      // The map lists items in the order of their numbers.
      items.delete(id);
      items.set(id, { id, n, gone });
    },
  };
}

/** Starts a program, which is killed when the test ends. */
function start(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [join(programs, name), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => kill(child));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('a consumer of the feed gets every change once, in order, while it and the service are killed', {
  timeout: 3_600_000,
}, async () => {
  const vendor = await startVendor();
  const [folder, key, file] = [newFolder(), newKey(), join(newFolder(), 'feed.jsonl')];
  writeFileSync(file, '');
  let [ahead, port] = [0, '0'];
  const boot = async () => {
    const child = start('feed-service.mjs', [folder, key, port, vendor.url, String(ahead)]);
    const [line] = await once(child.stdout!, 'data');
    const url = String(line).trim();
    ({ port } = new URL(url));
    return { child, url };
  };
  let service = await boot();
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(
    readFileSync(join(folder, 'client.json'), 'utf8'),
  );
  const client = new AgentConnectors({ baseUrl: service.url, clientId, clientSecret });
  const { id } = await client.connectors.create({
    name: 'ledger',
    connector_type: 'ledger',
    credentials: { api_key: 'any' },
  } as never);
  const variables = {
    AGENT_CONNECTORS_BASE_URL: service.url,
    AGENT_CONNECTORS_CLIENT_ID: clientId,
    AGENT_CONNECTORS_CLIENT_SECRET: clientSecret,
  };
  let consumer = start('feed-consumer.mjs', [file, id], variables);
  const received = (): [change: string, id: string, n: number | null][] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => JSON.parse(line).changes);

  const random = seeded(58);
  const alive: string[] = [];
  const expected: typeof received extends () => infer T ? T : never = [];
  /** The vendor's page that lists each change. */
  const pages: number[] = [];
  let made = 0;
  const killed = { consumer: 0, service: 0 };
  for (let round = 0; round < kills; round += 1) {
    const size = Math.floor((total * (round + 1)) / kills) - made;
    // Each item changes at most once a round, since the feed coalesces what the consumer has not seen.
    const old = alive.splice(0, Math.floor(size / 2));
    for (let at = 0; at < size; at += 1) {
      made += 1;
      pages.push(round * 1000 + Math.floor(at / pageSize));
      const item = old[at];
      const gone = item !== undefined && random() < 0.2;
      const name = item ?? `item-${made}`;
      vendor.change(name, made, gone);
      if (!gone) alive.push(name);
      expected.push(gone ? ['deleted', name, null] : [item === undefined ? 'added' : 'updated', name, made]);
    }
    const sync = () =>
      client.connectors.sync(id).then(
        () => undefined,
        () => undefined,
      );
    await sync();
    const goal = received().length + Math.floor(random() * size);
    await expect.poll(() => received().length, { timeout: 120_000, interval: 5 }).toBeGreaterThanOrEqual(goal);
    if (round % 2 === 0) {
      await kill(consumer);
      consumer = start('feed-consumer.mjs', [file, id], variables);
      killed.consumer += 1;
    } else {
      await kill(service.child);
      ahead += silenceMs;
      service = await boot();
      await sync();
      killed.service += 1;
    }
    await expect.poll(() => received().length, { timeout: 120_000, interval: 50 }).toBeGreaterThanOrEqual(made);
  }
  // Changes of one commit, here a page of the vendor, are in no particular order.
  const pageOf = new Map(expected.map((change, at) => [JSON.stringify(change), pages[at]!]));
  const arrived = received().map((change) => JSON.stringify(change));
  expect(arrived.map((change) => pageOf.get(change))).toEqual(pages);
  expect(new Set(arrived).size).toBe(made);
  console.log(`measured: ${made} changes, killed: ${JSON.stringify(killed)}`);
});
