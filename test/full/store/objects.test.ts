import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { objectsFrom } from '../../../service/src/data/objects/options.js';
import { failure } from '../../failure.js';
import { buildOnce, newFolder, newStore, removeBuilt } from '../../service/store/fixtures.js';
import { documents, documentsOf, longDocument, maxInline } from '../../service/store/objects.js';

afterAll(removeBuilt);

const of = documentsOf('con_1');
const kills = 20;
/** Objects per document: both texts, and each in the form that is split into passages. */
const objectsOfDocument = 4;

/** versitygw, an S3 server backed by a folder; install with `go install github.com/versity/versitygw/cmd/versitygw@latest`. */
function findServer(): string | undefined {
  const go = () => {
    try {
      return join(execFileSync('go', ['env', 'GOPATH'], { encoding: 'utf8' }).trim(), 'bin', 'versitygw');
    } catch {
      return '';
    }
  };
  const places = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'versitygw'));
  return [process.env.VERSITYGW ?? '', ...places, go()].find((path) => path !== '' && existsSync(path));
}

const program = findServer();
if (!program) console.warn('versitygw is not installed: tests with a real S3 server are skipped.');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts the server with one bucket; it can be stopped and restarted. */
async function startServer() {
  const folder = newFolder();
  mkdirSync(join(folder, 'texts'));
  const port = await freePort();
  const [user, secret] = ['test-access', 'test-secret-key'];
  const start = async () => {
    const args = ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--nometa', folder];
    const child = spawn(program!, args, {
      env: { ...process.env, ROOT_ACCESS_KEY: user, ROOT_SECRET_KEY: secret },
      stdio: 'ignore',
    });
    for (let isUp = false; !isUp; ) {
      const socket = connect(port, '127.0.0.1');
      isUp = await Promise.race([
        once(socket, 'connect').then(() => true),
        once(socket, 'error').then(() => false),
      ]).catch(() => false);
      socket.destroy();
      if (!isUp) await delay(50);
    }
    return async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    };
  };
  const stop = await start();
  onTestFinished(stop);
  const environment = {
    AGENT_CONNECTORS_OBJECTS: 's3://texts/some/prefix',
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: user,
    AWS_SECRET_ACCESS_KEY: secret,
  };
  return { environment, stop, start };
}

/** Kills a writing process repeatedly, each time after one more object, then checks that rows and objects agree. */
async function surviveKills(environment: Record<string, string>): Promise<void> {
  const [folder, code] = [newFolder(), await buildOnce()];
  const objects = objectsFrom(environment)!;
  const keys = async () => {
    const found: string[] = [];
    for await (const { key } of objects.list('')) found.push(key);
    return found;
  };
  const acknowledged: string[] = [];
  for (let round = 1; round <= kills; round++) {
    const child = spawn(process.execPath, [join(code, 'objects-program.js'), folder, `r${round}`, `${round}`], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
    });
    const [, signal] = await once(child, 'close');
    expect(signal).toBe('SIGKILL');
    acknowledged.push(...text.split('\n').filter(Boolean));
  }
  const before = (await keys()).length;
  const store = await newStore({ folder, entities: [documents], maxInline, objects, graceMs: 0, worker: null });
  const stored: string[] = [];
  for await (const { id, record } of store.records(of)) {
    stored.push(id);
    expect(record).toEqual(longDocument(id, `marker${id.replace('-', 'x')}`));
  }
  expect(stored).toEqual(expect.arrayContaining(acknowledged));
  const removed = await store.collectObjects();
  expect(removed).toBeGreaterThan(0);
  expect(await keys()).toHaveLength(before - removed);
  expect(await keys()).toHaveLength(stored.length * objectsOfDocument);
  console.log({ kills, documents: stored.length, objects: before, collected: removed });
  for await (const { id, record } of store.records(of)) expect(record.id).toBe(id);
  await store.removeConnector('con_1');
  expect(await keys()).toEqual([]);
}

test(
  'in a folder, 20 kills between writing an object and its row leave no orphaned or missing objects',
  { timeout: 300_000 },
  () => surviveKills({ AGENT_CONNECTORS_OBJECTS: `file://${newFolder()}` }),
);

describe.skipIf(!program)('an S3 server', () => {
  test('20 kills between writing an object and its row leave no orphaned or missing objects', {
    timeout: 300_000,
  }, async () => {
    await surviveKills((await startServer()).environment);
  });

  test('stores, lists across pages, measures and removes objects', { timeout: 120_000 }, async () => {
    const objects = objectsFrom((await startServer()).environment)!;
    const names = Array.from({ length: 1100 }, (_, index) => `con_1/object-${String(index).padStart(4, '0')}`);
    await Promise.all(names.map((name) => objects.put(name, Buffer.from(`text of ${name} 𝒳`))));
    const found: string[] = [];
    for await (const { key } of objects.list('con_1/')) found.push(key);
    expect(found.sort()).toEqual(names);
    expect(await objects.info(names[0]!)).toMatchObject({ size: Buffer.byteLength(`text of ${names[0]} 𝒳`) });
    expect(Buffer.from((await objects.get(names[7]!, 1000))!).toString()).toBe(`text of ${names[7]} 𝒳`);
    expect(await objects.get(names[7]!, 5)).toEqual(new Uint8Array());
    await objects.remove(names[7]!);
    expect([await objects.get(names[7]!, 1000), await objects.info(names[7]!)]).toEqual([undefined, undefined]);
  });

  test('writes and reads fail while it is down, and work afterwards', { timeout: 120_000 }, async () => {
    const { environment, stop, start } = await startServer();
    const objects = objectsFrom(environment)!;
    const store = await newStore({ folder: ':memory:', entities: [documents], maxInline, objects });
    await store.write(of, [longDocument('a', 'zebra')]);
    await stop();
    expect(await failure(store.write(of, [longDocument('b', 'okapi')]))).toMatchObject({ code: 'network' });
    expect(await failure(store.get(of, ['a']))).toMatchObject({ code: 'network', retryable: true });
    expect(await store.count(of)).toBe(1);
    onTestFinished(await start());
    await store.write(of, [longDocument('b', 'okapi')]);
    expect((await store.get(of, ['a', 'b'])).map(({ record }) => record)).toEqual([
      longDocument('a', 'zebra'),
      longDocument('b', 'okapi'),
    ]);
  });

  test('an invalid key and a missing bucket are reported without secrets', { timeout: 120_000 }, async () => {
    const { environment } = await startServer();
    const wrong = objectsFrom({ ...environment, AWS_SECRET_ACCESS_KEY: 'canary-secret' })!;
    const refused = await failure(wrong.put('con_1/a', Buffer.from('text')));
    expect(refused.message).toContain('HTTP 403');
    const missing = objectsFrom({ ...environment, AGENT_CONNECTORS_OBJECTS: 's3://elsewhere' })!;
    const lost = await failure(missing.put('con_1/a', Buffer.from('text')));
    expect(lost.message).toContain('NoSuchBucket');
    expect(`${refused.stack}${lost.stack}${refused.cause}`).not.toMatch(/canary|test-secret/);
  });
});
