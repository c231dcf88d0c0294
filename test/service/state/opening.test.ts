import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../../../service/src/data/records/drivers/sqlite/tables.js';
import type { Connection } from '../../../service/src/data/sqlite.js';
import { openSqlite } from '../../../service/src/data/state/sqlite.js';
import { newFolder } from './fixtures.js';

/** Opens a new file in a thread, as a process that is slowly creating its tables would. */
async function openedElsewhere(path: string): Promise<void> {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { DatabaseSync } = require('@photostructure/sqlite');
    const database = new DatabaseSync(workerData);
    database.exec('BEGIN IMMEDIATE');
    parentPort.postMessage('begun');
    setTimeout(() => database.exec('COMMIT'), 300);
  `;
  const worker = new Worker(code, { eval: true, workerData: path });
  onTestFinished(async () => void (await worker.terminate()));
  await once(worker, 'message');
}

it('a state waits for another process that is opening the same new folder', async () => {
  const folder = newFolder();
  await openedElsewhere(join(folder, 'state.db'));
  const database = openSqlite(folder);
  onTestFinished(() => database.close());
  const { rows } = await sql`pragma journal_mode`.execute(database.query);
  expect(rows).toEqual([{ journal_mode: 'wal' }]);
});

it('a store waits for another process that is opening the same new folder', async () => {
  const path = join(newFolder(), 'store.db');
  await openedElsewhere(path);
  const connection: Connection = connect(path, 'writer');
  onTestFinished(() => connection.close());
  expect(connection.get('pragma journal_mode')).toEqual({ journal_mode: 'wal' });
});
