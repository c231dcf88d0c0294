import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectTo as connectRecords } from '../../../service/src/data/records/drivers/postgres/connection.js';
import { connectTo as connectState } from '../../../service/src/data/state/connections.js';
import { isDatabaseUnavailable } from '../../../service/src/data/unavailable.js';
import { directUrlOf, startServer } from './server.js';

const server = await startServer();
afterAll(() => server?.stop());

const losses = { intervalMs: 20, silentMs: 100, answerMs: 50 };

/** A new database behind a proxy; `lose` makes it forward nothing more on its current connections. */
async function databaseBehindProxy() {
  const target = new URL(directUrlOf(await server!.database()));
  const open = new Set<Socket>();
  let generation = 0;
  const proxy = createServer((near) => {
    const own = generation;
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => undefined);
      from.on('data', (chunk) => own === generation && to.write(chunk));
      from.on('close', () => own === generation && to.destroy());
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    proxy.close();
  });
  const url = new URL(target);
  url.port = String((proxy.address() as AddressInfo).port);
  const lose = () => {
    generation += 1;
  };
  return { url: url.href, lose };
}

type Run = (sql: string) => Promise<unknown>;

const pools: ReadonlyArray<readonly [string, (url: string) => Promise<{ run: Run; close(): Promise<void> }>, number]> =
  [
    [
      'of the records',
      async (url) => {
        const pool = await connectRecords(url, { losses });
        return { run: (sql) => pool.readTransaction((query) => query(sql)), close: () => pool.close() };
      },
      10,
    ],
    [
      'of the state',
      async (url) => {
        const pool = await connectState(url, losses);
        return { run: (sql) => pool.query({}, sql), close: () => pool.close() };
      },
      8,
    ],
  ];

describe.skipIf(!server).each(pools)('the connections %s', (_, open, size) => {
  it('are replaced when they no longer work, although nothing reports it', async () => {
    const { url, lose } = await databaseBehindProxy();
    const { run, close } = await open(url);
    onTestFinished(close);
    await Promise.all(Array.from({ length: size }, () => run('select pg_sleep(0.05)')));
    lose();
    const ends = await Promise.allSettled(Array.from({ length: size }, () => run('select 1')));
    for (const end of ends) expect(end.status === 'rejected' && isDatabaseUnavailable(end.reason)).toBe(true);
    await run('select 1');
  });

  it('are kept while the server is running a long statement', async () => {
    const { url } = await databaseBehindProxy();
    const { run, close } = await open(url);
    onTestFinished(close);
    await run('select pg_sleep(1)');
  });
});
