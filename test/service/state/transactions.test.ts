import { executionAsyncResource } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../../service/src/data/state/database.js';
import { describeOnBothEngines, newFolder, noon, openTestDatabase } from './fixtures.js';

interface Things {
  readonly things: { readonly name: string; readonly at: number; readonly place: number };
}

async function empty(opened: Promise<Database> = openTestDatabase(':memory:', () => noon)): Promise<Database> {
  const database = await opened;
  onTestFinished(() => database.close());
  const table = database.query.schema.createTable('things').ifNotExists();
  const integer = database.engine === 'sqlite' ? 'integer' : 'bigint';
  await table.addColumn('name', 'text').addColumn('at', integer).addColumn('place', integer).execute();
  return database;
}

const queriesOn = ({ query }: Database) => query as unknown as Kysely<Things>;

async function add(database: Database, name: string): Promise<number> {
  const query = queriesOn(database);
  const row = query
    .selectFrom('things')
    .select([sql.val(name).as('name'), database.now.as('at'), query.fn.countAll<number>().as('place')]);
  const { numInsertedOrUpdatedRows } = await query
    .insertInto('things')
    .columns(['name', 'at', 'place'])
    .expression(row)
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows);
}

async function names(database: Database): Promise<string[]> {
  const rows = await queriesOn(database).selectFrom('things').select('name').orderBy('place').execute();
  return rows.map(({ name }) => name);
}

describeOnBothEngines(() => {
  describe('a transaction', () => {
    it('rolls back all of its work if any part fails, at any depth', async () => {
      const database = await empty();
      const failing = database.transaction(async () => {
        await add(database, 'one');
        await database.transaction(async () => {
          await wait(1);
          await add(database, 'two');
        });
        throw new Error('late');
      });
      await expect(failing).rejects.toThrow('late');
      expect(await names(database)).toEqual([]);
      await database.transaction(() => add(database, 'three'));
      expect(await names(database)).toEqual(['three']);
    });

    it('isolates its statements, and other transactions continue in order', async () => {
      const database = await empty();
      const slow = async (name: string) =>
        database.transaction(async () => {
          await add(database, `${name} begins`);
          await wait(5);
          await add(database, `${name} ends`);
        });
      const first = slow('first');
      await wait(1);
      const later = [add(database, 'between'), slow('second'), add(database, 'after')];
      expect(database.closed).toBe(false);
      await Promise.all([first, ...later]);
      expect(await names(database)).toEqual([
        'first begins',
        'first ends',
        'between',
        'second begins',
        'second ends',
        'after',
      ]);
    });

    it('does not include work that is still running when it ends', async () => {
      const database = await empty();
      let left: Promise<unknown> | undefined;
      const failing = database.transaction(async () => {
        left = wait(5).then(() => add(database, 'left behind'));
        throw new Error('given up');
      });
      await expect(failing).rejects.toThrow('given up');
      await left;
      expect(await names(database)).toEqual(['left behind']);
    });

    it('does not block other work', async () => {
      const database = await empty();
      let apart: Promise<unknown> | undefined;
      const failing = database.transaction(async () => {
        apart = database.outsideTransaction(() => add(database, 'apart'));
        await add(database, 'within');
        throw new Error('given up');
      });
      await expect(failing).rejects.toThrow('given up');
      await apart;
      expect(await names(database)).toEqual(['apart']);
    });

    it('includes queries on an outer handle, which neither wait for its end nor escape it', async () => {
      const database = await empty();
      // Created earlier, outside the transaction's context.
      const outside = queriesOn(database);
      const all = outside.selectFrom('things').select('name').orderBy('place');
      const seen: unknown[] = [];
      const failing = database.transaction(async () => {
        await add(database, 'one');
        seen.push(await all.execute());
        await outside.insertInto('things').values({ name: 'two', at: 0, place: 1 }).execute();
        await database.transaction(async () => seen.push(await all.execute()));
        throw new Error('given up');
      });
      await expect(failing).rejects.toThrow('given up');
      expect(seen).toEqual([[{ name: 'one' }], [{ name: 'one' }, { name: 'two' }]]);
      expect(await all.execute()).toEqual([]);
    });

    it('includes statements that it did not await', async () => {
      const database = await empty();
      await database.transaction(async () => {
        for (const name of ['a', 'b', 'c']) void add(database, name);
      });
      expect(await names(database)).toEqual(['a', 'b', 'c']);
    });

    it('is not started by Kysely, whose transactions would deadlock the database', async () => {
      const database = await empty();
      const begun = database.query.transaction().execute(async () => add(database, 'one'));
      await expect(begun).rejects.toThrow('Use Database.transaction');
      expect(await names(database)).toEqual([]);
    });

    it('is required to take a lock', async () => {
      const database = await empty();
      await expect(database.lock('anything')).rejects.toThrow('Locks require a transaction.');
      await database.transaction(() => database.lock('anything'));
    });

    it('in progress when the database is closed is finished first', async () => {
      const database = await empty(openTestDatabase(newFolder()));
      const done = database.transaction(async () => {
        await wait(5);
        return add(database, 'one');
      });
      await wait(1);
      const closing = database.close();
      const late = expect(add(database, 'late')).rejects.toThrow('closed');
      expect(await done).toBe(1);
      await closing;
      await late;
      await expect(database.transaction(() => add(database, 'later'))).rejects.toThrow('closed');
    });
  });

  describe('a statement', () => {
    it('can use the time at which it runs, both in values and in updates', async () => {
      const database = await empty();
      await add(database, 'now');
      const found = queriesOn(database).selectFrom('things').select(sql<number>`${database.now} + 1`.as('later'));
      expect(await found.where('at', '=', database.now).where('name', '=', 'now').execute()).toEqual([
        { later: noon + 1 },
      ]);
      expect(await found.where('at', '<', database.now).execute()).toEqual([]);
    });

    it('returns its rows, or the number of changes if it has none', async () => {
      const database = await empty();
      const query = queriesOn(database);
      for (const name of ['one', 'two']) await add(database, name);
      const updated = await query.updateTable('things').set({ at: 5 }).executeTakeFirstOrThrow();
      const deletion = query.deleteFrom('things').where('name', '=', 'two');
      const deleted = await deletion.returning(['name', 'at']).execute();
      expect([updated.numUpdatedRows, deleted]).toEqual([2n, [{ name: 'two', at: 5 }]]);
      expect((await deletion.executeTakeFirstOrThrow()).numDeletedRows).toBe(0n);
      expect((await sql`select name from things`.execute(database.query)).rows).toEqual([{ name: 'one' }]);
    });
  });
});

describe('a transaction on disk', () => {
  it('becomes visible on other connections once it ends', async () => {
    const folder = newFolder();
    const [one, other] = [await empty(openTestDatabase(folder)), await empty(openTestDatabase(folder))];
    await one.transaction(async () => {
      await add(one, 'one');
      expect(await names(other)).toEqual([]);
    });
    expect(await names(other)).toEqual(['one']);
  });
});

it('opening databases does not add state to every promise in the process', async () => {
  // Node 20 and 22 keep AsyncLocalStorage values in this object; later versions keep them elsewhere.
  const carried = () => Object.getOwnPropertySymbols(executionAsyncResource()).length;
  const use = async () => {
    const database = await openTestDatabase(':memory:', () => noon);
    await database.transaction(async () => {});
    await database.close();
  };
  await use();
  await wait(1);
  const before = carried();
  for (let opened = 0; opened < 10; opened += 1) await use();
  await wait(1);
  expect(carried()).toBe(before);
});
