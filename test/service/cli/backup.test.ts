import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { copySnapshot } from '../../../service/src/data/snapshot.js';
import { builtInSqlite } from '../../../service/src/data/sqlite.js';
import { createTenant, newFolder, newState } from '../state/fixtures.js';
import { runToEnd } from './terminal.js';

const require = createRequire(import.meta.url);
const driver = builtInSqlite() ? 'node:sqlite' : require.resolve('@photostructure/sqlite');

const keysIn = (folder: string) => readFileSync(join(folder, 'key'), 'utf8').trim().split('\n');

/** Increments a counter in one database, then in the other, until stopped. */
const counting = `
  const { workerData: { driver, files }, parentPort } = require('node:worker_threads');
  const { DatabaseSync } = require(driver);
  const databases = files.map((file) => new DatabaseSync(file));
  for (const database of databases) {
    database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; CREATE TABLE counts (n INTEGER, filling BLOB)');
    database.exec('INSERT INTO counts VALUES (0, NULL)');
  }
  const stopped = new Int32Array(new SharedArrayBuffer(4));
  parentPort.postMessage(stopped);
  for (let n = 1; Atomics.load(stopped, 0) === 0; n += 1) {
    for (const database of databases) database.exec('INSERT INTO counts VALUES (' + n + ', randomblob(4000))');
    // A process that waits for the lock only retries from time to time.
    Atomics.wait(stopped, 0, 0, 3);
  }
  for (const database of databases) database.close();
`;

test('copies two databases as a single snapshot while both are being written to', async () => {
  const folder = newFolder();
  const files = ['state.db', 'records.db'].map((name) => join(folder, name));
  const worker = new Worker(counting, { eval: true, workerData: { driver, files } });
  const [stopped] = (await once(worker, 'message')) as [Int32Array];
  onTestFinished(async () => {
    Atomics.store(stopped, 0, 1);
    await once(worker, 'exit');
  });
  const { DatabaseSync } = require(driver);
  let before = 0;
  for (let round = 0; round < 8 || before === 0; round += 1) {
    const copies = files.map((from) => ({ from, to: `${from}.${round}` }));
    await copySnapshot(copies);
    const [first, second] = copies.map(({ to }) => {
      const copy = new DatabaseSync(to);
      const { n, gaps } = copy.prepare('SELECT max(n) AS n, max(n) + 1 - count(*) AS gaps FROM counts').get() as any;
      copy.close();
      expect(gaps).toBe(0);
      return n as number;
    });
    expect(first! - second!).toBeOneOf([0, 1]);
    expect(first!).toBeGreaterThanOrEqual(before);
    before = first!;
  }
});

test('a backup contains the state, is readable only by its owner, and includes the key only on request', async () => {
  const data = join(newFolder(), 'data');
  await runToEnd(['create-organization', '--name', 'acme', '--data', data, '--create-key']);
  const keys = keysIn(data);
  const running = await newState({ folder: data, keys });
  const { id } = await (await createTenant(running, 'other')).connect({ credentials: { api_key: 'lin_api_kept' } });
  const [bare, whole] = [join(newFolder(), 'bare'), join(newFolder(), 'whole')];

  const told = await runToEnd(['backup', '--data', data, '--to', bare]);
  expect(told).toMatchObject({ code: 0, error: '' });
  expect(told.out).toMatch(/^Copied state\.db( and records\.db)? to .*\.\nThe backup does not contain the key\. /);
  expect(readdirSync(bare)).toEqual(['state.db']);
  const asJson = await runToEnd(['backup', '--data', data, '--to', whole, '--with-key', '--json']);
  expect(JSON.parse(asJson.out)).toEqual({ folder: whole, files: ['state.db', 'key'] });
  for (const name of readdirSync(whole)) expect(statSync(join(whole, name)).mode & 0o077).toBe(0);
  expect(readFileSync(join(bare, 'state.db'), 'latin1')).not.toContain(keys[0]);

  const restored = await newState({ folder: whole, keys: keysIn(whole) });
  expect(await restored.credentials.load(id)).toEqual({ api_key: 'lin_api_kept' });
});

test('a backup is written only to a new folder and leaves no partial copy behind', async () => {
  const data = join(newFolder(), 'data');
  const used = newFolder();
  writeFileSync(join(used, 'state.db'), 'somebody else’s');
  expect((await runToEnd(['backup', '--data', data, '--to', used])).error).toContain('no database');
  await runToEnd(['create-organization', '--name', 'acme', '--data', data, '--create-key']);
  expect((await runToEnd(['backup', '--data', data])).error).toContain('--to');
  expect((await runToEnd(['backup', '--data', data, '--to', used])).error).toContain('not empty');
  expect(readFileSync(join(used, 'state.db'), 'utf8')).toBe('somebody else’s');
  mkdirSync(join(data, 'records.db'));
  const target = join(newFolder(), 'new');
  expect((await runToEnd(['backup', '--data', data, '--to', target])).code).toBe(1);
  expect(readdirSync(target)).toEqual([]);
});
