import { type Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PostgresConnections } from '../../../service/src/data/state/connections.js';
import type { Database } from '../../../service/src/data/state/database.js';
import { migrate, releasedMigrations } from '../../../service/src/data/state/migrate.js';
import { openPostgres } from '../../../service/src/data/state/postgres.js';
import { runToEnd } from '../cli/terminal.js';
import { newFolder } from './fixtures.js';
import { connectionsFor } from './pglite.js';

async function opened(
  change: (connections: PostgresConnections) => PostgresConnections = (same) => same,
): Promise<Database> {
  const database = await openPostgres(change(await connectionsFor(newFolder())));
  onTestFinished(() => database.close());
  await database.query.schema.createTable('things').ifNotExists().addColumn('name', 'text').execute();
  return database;
}

const queriesOn = ({ query }: Database) => query as unknown as Kysely<Record<string, { readonly name: string }>>;

const add = (database: Database, name: string, table = 'things') =>
  queriesOn(database).insertInto(table).values({ name }).execute();

const names = async (database: Database) =>
  (await queriesOn(database).selectFrom('things').select('name').orderBy('name').execute()).map(({ name }) => name);

/** Connections on which transactions fail `count.left` times just before they commit. */
const failing =
  (code: string, count: { left: number }) =>
  (connections: PostgresConnections): PostgresConnections => ({
    ...connections,
    transaction: (access, work) =>
      connections.transaction(access, async (query) => {
        const result = await work(query);
        if (count.left > 0) {
          count.left -= 1;
          throw Object.assign(new Error('in the way'), { code });
        }
        return result;
      }),
  });

describe('a transaction in Postgres', () => {
  it.each(['40001', '40P01'])('is retried after a conflict (%s), and takes effect only once', async (code) => {
    const count = { left: 0 };
    const database = await opened(failing(code, count));
    count.left = 2;
    let tries = 0;
    await database.transaction(async () => {
      tries += 1;
      await add(database, `try ${tries}`);
    });
    expect([tries, await names(database)]).toEqual([3, ['try 3']]);
  });

  it('is abandoned after several attempts and is not retried after another error', async () => {
    const count = { left: 0 };
    const database = await opened(failing('40001', count));
    count.left = 100;
    await expect(database.transaction(async () => {})).rejects.toThrow('in the way');
    expect(count.left).toBe(95);
    const once = { left: 0 };
    const other = await opened(failing('08006', once));
    once.left = 2;
    await expect(other.transaction(async () => {})).rejects.toThrow('in the way');
    expect(once.left).toBe(1);
  });

  it('is rolled back after a failed statement, even if the error was caught', async () => {
    const database = await opened();
    const swallowed = database.transaction(async () => {
      await add(database, 'one');
      await add(database, 'two', 'nowhere').catch(() => {});
    });
    await expect(swallowed).rejects.toThrow('nowhere');
    expect(await names(database)).toEqual([]);
  });

  it('waits for statements that were not awaited', async () => {
    const database = await opened();
    await database.transaction(async () => {
      for (const name of ['a', 'b', 'c']) void add(database, name);
    });
    expect(await names(database)).toEqual(['a', 'b', 'c']);
  });
});

describe('a Postgres database', () => {
  it('is migrated by several concurrent starts', async () => {
    const folder = newFolder();
    const starting = Array.from({ length: 4 }, async () => {
      const database = await openPostgres(await connectionsFor(folder));
      await migrate(database, Date.now);
      return database.query.selectFrom('versions').select('version').orderBy('version').execute();
    });
    const [first, ...others] = await Promise.all(starting);
    expect(first).toEqual(releasedMigrations.map(({ version }) => ({ version })));
    for (const other of others) expect(other).toEqual(first);
  });

  it('uses its own clock, and accepts text with characters that it cannot store', async () => {
    const database = await opened();
    const before = Date.now();
    const query = sql<{ now: number; text: string }>`select ${database.now} as now, ${'a\u0000b'}::text as text`;
    const [row] = (await query.execute(database.query)).rows;
    expect(row!.now).toBeGreaterThanOrEqual(before - 2);
    expect(row!.now).toBeLessThanOrEqual(Date.now() + 2);
    expect(row!.text).toBe('a\ufffdb');
  });

  it('that cannot be reached is reported without its URL, which contains a password', async () => {
    const environment = {
      DATABASE_URL: 'postgres://someone:CANARY-password@127.0.0.1:1/none',
      AGENT_CONNECTORS_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    for (const command of [['list-clients'], ['verify-audit'], ['rotate-key'], ['export', '-'], ['--port', '0']]) {
      const { code, out, error } = await runToEnd([...command, '--data', newFolder()], { environment });
      expect([code, out, error]).toEqual([1, '', expect.stringContaining('cannot be opened')]);
      expect(error).not.toContain('CANARY');
    }
  });

  it("can be backed up with Postgres's own tools", async () => {
    const environment = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    const { code, error } = await runToEnd(['backup', '--to', newFolder()], { environment });
    expect([code, error]).toEqual([1, expect.stringContaining('pg_dump')]);
  });
});
