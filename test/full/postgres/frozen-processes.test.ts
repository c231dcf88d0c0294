import { once } from 'node:events';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectTo, type RunStatement } from '../../../service/src/data/records/drivers/postgres/connection.js';
import { lockForWriting } from '../../../service/src/data/records/drivers/postgres/write.js';
import { isDatabaseUnavailable } from '../../../service/src/data/unavailable.js';
import { collection, tasks } from '../../service/store/fixtures.js';
import { openTestStore, startServer } from './server.js';

const server = await startServer();
afterAll(() => server?.stop());

const settingOf = async (query: RunStatement) =>
  (await query<{ value: string }>(`select current_setting('idle_in_transaction_session_timeout') as value`))[0]!.value;

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Another process's connections, and a transaction in it that holds the writers' lock until `resume` is called. */
async function frozenWriter(databaseUrl: string, idleMs: number) {
  const pool = await connectTo(databaseUrl, { idleMs });
  onTestFinished(() => pool.close());
  const signals = new EventTarget();
  const frozen = once(signals, 'frozen');
  const resumed = once(signals, 'resumed');
  const ended = errorOf(
    pool.writeTransaction(async (query) => {
      await lockForWriting(query);
      signals.dispatchEvent(new Event('frozen'));
      await resumed;
      await query('select 1');
    }),
  );
  await frozen;
  return { pool, ended, resume: () => signals.dispatchEvent(new Event('resumed')) };
}

describe.skipIf(!server)('a process that freezes during a write', () => {
  it('loses its transaction, so that others can write, and works again when it resumes', async () => {
    const url = await server!.database();
    const store = await openTestStore(url, { entities: [tasks] });
    const { pool, ended, resume } = await frozenWriter(url, 200);
    const written = await store.write(collection, [{ id: 'a', title: 'kept' }]);
    expect(written).toMatchObject({ inserted: 1 });
    resume();
    expect(isDatabaseUnavailable(await ended)).toBe(true);
    expect(await pool.writeTransaction((query) => query('select 1 as one'))).toEqual([{ one: 1 }]);
  });

  it('is given 15 seconds', async () => {
    const pool = await connectTo(await server!.database());
    onTestFinished(() => pool.close());
    expect([await pool.readTransaction(settingOf), await pool.writeTransaction(settingOf)]).toEqual(['15s', '15s']);
  });

  it('makes others wait only for a limited time, after which they report the database as unavailable', async () => {
    const url = await server!.database();
    await openTestStore(url, { entities: [tasks] });
    const { pool, ended, resume } = await frozenWriter(url, 0);
    const error = await errorOf(pool.writeTransaction((query) => lockForWriting(query, 100)));
    expect([isDatabaseUnavailable(error), (error as Error).message]).toEqual([
      true,
      expect.stringContaining('lock timeout'),
    ]);
    resume();
    expect(await ended).toBeUndefined();
  });
});
