import { executionAsyncResource } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Database, numberValues } from '../../../service/src/data/state/database.js';
import { describeOnBothEngines, newFolder, noon, openTestDatabase } from './fixtures.js';

async function empty(opened: Promise<Database> = openTestDatabase(':memory:', () => noon)): Promise<Database> {
  const database = await opened;
  onTestFinished(() => database.close());
  const things = 'CREATE TABLE IF NOT EXISTS things (name TEXT NOT NULL, at INTEGER NOT NULL, place INTEGER NOT NULL)';
  await database.exec(database.dialect.translateSchema(things));
  return database;
}

const add = (database: Database, name: string) =>
  database.run('INSERT INTO things (name, at, place) SELECT ?, :now, count(*) FROM things', name);

async function names(database: Database): Promise<string[]> {
  return (await database.all<{ name: string }>('SELECT name FROM things ORDER BY place')).map(({ name }) => name);
}

describeOnBothEngines(() => {
  describe('a transaction', () => {
    it('takes all of its work back where a part of it fails, however deep that is', async () => {
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

    it('lets nothing between its statements, and what came meanwhile goes on in its order', async () => {
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
        ...['first begins', 'first ends', 'between', 'second begins', 'second ends', 'after'],
      ]);
    });

    it('is none of what it leaves behind', async () => {
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

    it('does not hold what is to be kept apart from it', async () => {
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

    it('is what a lock needs', async () => {
      const database = await empty();
      await expect(database.lock('anything')).rejects.toThrow('Only a transaction can lock.');
      await database.transaction(() => database.lock('anything'));
    });

    it('that is waited for when the database is closed is done before', async () => {
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
    it('takes the time behind its values', async () => {
      const database = await empty();
      await add(database, 'now');
      expect(await database.get('SELECT name FROM things WHERE at = :now AND name = ?', 'now')).toEqual({
        name: 'now',
      });
      expect(await database.get('SELECT name FROM things WHERE at < :now')).toBeUndefined();
    });

    it('has its values numbered, and texts in quotes left alone', () => {
      const dollar = (number: number) => `$${number}`;
      const sql = "SELECT '?', ':now' WHERE a = ? AND b = ? AND c = :now AND d = ?1";
      expect(numberValues(sql, dollar)).toEqual({
        sql: "SELECT '?', ':now' WHERE a = $1 AND b = $2 AND c = $3 AND d = $1",
        needsTime: true,
      });
      expect(numberValues(sql, dollar, 'now()')).toMatchObject({
        needsTime: false,
        sql: expect.stringContaining('c = now()'),
      });
    });
  });
});

describe('a transaction on disk', () => {
  it('of another connection is waited for, and its changes are seen', async () => {
    const folder = newFolder();
    const [one, other] = [await empty(openTestDatabase(folder)), await empty(openTestDatabase(folder))];
    await one.transaction(async () => {
      await add(one, 'one');
      expect(await names(other)).toEqual([]);
    });
    expect(await names(other)).toEqual(['one']);
  });
});

it('adds nothing to each promise of the process with each database that it opens', async () => {
  // Where Node 20 and 22 keep what an AsyncLocalStorage gives to promises; later versions keep it elsewhere.
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
