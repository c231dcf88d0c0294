import { describe, expect, it } from 'vitest';
import type { StoredEntity } from '../../../service/src/data/records/entity.js';
import type { Store } from '../../../service/src/data/records/types.js';
import { Consumer, expectExpired, guarded, seeded } from './changes.js';
import { collection, kinds, newFolder, newStore, tasks } from './fixtures.js';
import { emptyPostgres } from './pglite.js';

const task = (id: string, title: string, labels: readonly string[] = []) => ({ id, title, labels });
const kindsOf = (changes: ReadonlyArray<{ readonly change: string; readonly id: string }>) =>
  changes.map(({ change, id }) => `${change} ${id}`);

/** Opens a store that later openings find again. */
const places: ReadonlyArray<
  readonly [string, () => Promise<(now?: () => number, entity?: StoredEntity) => Promise<Store>>]
> = [
  [
    'SQLite',
    async () => {
      const folder = newFolder();
      return (now, entity = guarded) => newStore({ folder, worker: null, entities: [entity], ...(now && { now }) });
    },
  ],
  [
    'Postgres',
    async () => {
      const pool = await emptyPostgres();
      return (now, entity = guarded) => newStore({ pool, entities: [entity], ...(now && { now }) });
    },
  ],
];

describe.each(kinds)('in %s', { timeout: 600_000 }, (_, open) => {
  it('reports records as added, updated and deleted, and nothing for records that stay the same', async () => {
    const store = await open([tasks]);
    await store.write(collection, [task('a', '1'), task('b', '1'), task('c', '1')]);
    const consumer = new Consumer();
    const first = await consumer.pull(store);
    expect(kindsOf(first)).toEqual(['added a', 'added b', 'added c']);
    expect(first[0]!.record).toMatchObject({ id: 'a', title: '1', notes: null });
    expect(first[0]!.at).toBeGreaterThan(0);
    await store.write(collection, [task('a', '1'), task('b', '2'), task('d', '1')]);
    await store.remove(collection, ['c', 'unknown']);
    const second = await consumer.pull(store);
    expect(kindsOf(second)).toEqual(['updated b', 'added d', 'deleted c']);
    expect(second[2]!.record).toBeNull();
    await store.write(collection, [task('a', '1'), task('b', '2')]);
    expect(await consumer.drain(store)).toBe(0);
  });

  it('coalesces the changes of a record', async () => {
    const store = await open([tasks]);
    await store.write(collection, [task('a', '1'), task('b', '1')]);
    const consumer = new Consumer();
    await consumer.drain(store);
    for (const title of ['2', '3', '4']) await store.write(collection, [task('a', title), task('c', title)]);
    await store.remove(collection, ['b']);
    await store.write(collection, [task('passing', '1')]);
    await store.remove(collection, ['passing']);
    await store.write(collection, [task('b', 'again')]);
    expect(kindsOf(await consumer.pull(store)).sort()).toEqual(['added c', 'updated a', 'updated b']);
    expect(consumer.copy.get('c')).toMatchObject({ title: '4' });
  });

  it('rejects cursors of other feeds and of users with other access', async () => {
    const store = await open([guarded]);
    await store.write(collection, [task('a', '1', ['user:ana'])]);
    const { cursor } = await store.changes(collection, { limit: 10 });
    await expect(store.changes({ ...collection, connectorId: 'con_2' }, { cursor, limit: 10 })).rejects.toThrow(
      'not a cursor',
    );
    const bound = { ...collection, readers: ['user:ana'] };
    await expectExpired(store.changes(bound, { cursor, limit: 10 }), /access .* has changed/);
  });

  it('forgets readers, whose access then leaves no trace, and keeps the others', async () => {
    const store = await open([guarded]);
    await store.write(collection, [
      task('a', '1', ['user:ana', 'user:bo']),
      task('b', '1', ['user:ana']),
      task('c', '1', ['user:bo']),
    ]);
    const bo = new Consumer(['user:bo']);
    await bo.drain(store);
    await store.write(collection, [task('a', '2', ['user:bo']), task('c', '1', [])]);
    await store.remove(collection, ['b']);
    expect((await store.historyReaders(collection)).sort()).toEqual(['user:ana', 'user:bo']);
    expect(await store.historyReaders({ ...collection, connectorId: 'con_2' })).toEqual([]);
    await store.forgetReaders(collection, ['user:ana', 'user:unknown']);
    expect(await store.historyReaders(collection)).toEqual(['user:bo']);
    expect(kindsOf(await bo.pull(store)).sort()).toEqual(['deleted c', 'updated a']);
    expect((await store.changes({ ...collection, readers: ['user:ana'] }, { limit: 10 })).changes).toEqual([]);
    const all = (await store.changes(collection, { limit: 10 })).changes;
    expect(kindsOf(all).sort()).toEqual(['added a', 'added c']);
  });

  it('does not tell by cursors how much others have written', async () => {
    const store = await open([tasks]);
    const mine = { ...collection, connectorId: 'con_2' };
    await store.write(mine, [task('a', '1')]);
    const before = await store.changes(mine, { limit: 10 });
    await store.write(
      collection,
      Array.from({ length: 120 }, (_unused, index) => task(`other ${index}`, '1')),
    );
    const after = await store.changes(mine, { limit: 10, cursor: before.cursor });
    const again = await store.changes(mine, { limit: 10, cursor: before.cursor });
    const cursors = [before, after, again, { cursor: await store.changesCursor(mine) }].map(({ cursor }) => cursor);
    for (const cursor of cursors) {
      expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('[1,[');
      expect(cursor).toHaveLength(cursors[0]!.length);
    }
    // Equal positions have different cursors, so comparing them tells nothing either.
    expect(new Set(cursors).size).toBe(cursors.length);
    for (const index of [0, 20, 60]) {
      const altered = Buffer.from(after.cursor, 'base64url');
      altered[index]! ^= 1;
      const cursor = altered.toString('base64url');
      await expect(store.changes(mine, { limit: 10, cursor })).rejects.toThrow('not a cursor');
    }
  });

  it('reports lost access as a deletion, and nothing about records that were never visible', async () => {
    const store = await open([guarded]);
    await store.write(collection, [
      task('a', '1', ['user:ana']),
      task('b', '1', ['user:bo']),
      task('c', '1', ['anyone']),
    ]);
    const ana = new Consumer(['user:ana', 'anyone']);
    expect(kindsOf(await ana.pull(store))).toEqual(['added a', 'added c']);
    await store.write(collection, [
      task('a', '2', ['user:bo']),
      task('b', '2', ['user:bo']),
      task('c', '2', ['user:ana']),
    ]);
    expect(kindsOf(await ana.pull(store))).toEqual(['deleted a', 'updated c']);
    await store.write(collection, [task('b', '2', ['user:bo', 'user:ana'])]);
    await store.remove(collection, ['a']);
    expect(kindsOf(await ana.pull(store))).toEqual(['added b']);
    // An entity without access information has nothing that such a user may see.
    const other = await open([tasks]);
    await other.write(collection, [task('a', '1', ['user:ana'])]);
    expect(await new Consumer(['user:ana']).drain(other)).toBe(0);
  });
});

describe.each(places)('in %s', { timeout: 600_000 }, (_, place) => {
  it('keeps positions over restarts', async () => {
    const reopen = await place();
    let store = await reopen();
    await store.write(collection, [task('a', '1'), task('b', '1'), task('c', '1')]);
    const consumer = new Consumer();
    await consumer.drain(store, 2);
    await store.write(collection, [task('a', '2')]);
    await store.close();
    store = await reopen();
    expect(kindsOf(await consumer.pull(store))).toEqual(['updated a']);
    await store.close();
  });

  it('a replaced table that is read again has only the changes made meanwhile', async () => {
    const reopen = await place();
    const before = await reopen();
    await before.write(collection, [task('a', '1'), task('b', '1'), task('c', '1')]);
    const consumer = new Consumer();
    await consumer.drain(before);
    await before.close();
    const store = await reopen(undefined, { ...guarded, fields: { ...guarded.fields, priority: 'string' } });
    expect(await store.count(collection)).toBe(0);
    expect(await consumer.drain(store)).toBe(0);
    await store.write(collection, [task('a', '1'), task('d', '1')]);
    const begun = new Consumer();
    // What is still to be read again is not skipped.
    expect(kindsOf(await begun.pull(store))).toEqual(['added a']);
    expect(begun.hasMore).toBe(false);
    await store.write(collection, [task('b', '2')]);
    await store.settleChanges(collection);
    expect(kindsOf(await consumer.pull(store))).toEqual(['added d', 'updated b', 'deleted c']);
    await begun.drain(store);
    expect([...begun.copy.keys()].sort()).toEqual(['a', 'b', 'd']);
  });

  it('forgets changes after the retention, and says so', async () => {
    let now = 1_000_000;
    const store = await (await place())(() => now);
    await store.write(collection, [task('a', '1'), task('b', '1'), task('c', '1'), task('d', '1')]);
    const [early, late, idle] = [new Consumer(), new Consumer(), new Consumer()];
    await early.drain(store);
    await store.remove(collection, ['a']);
    now += 1000;
    await store.write(collection, [task('b', '2')]);
    await late.drain(store);
    await idle.drain(store);
    now += 1000;
    await store.write(collection, [task('c', '2')]);
    await late.drain(store);
    // Forgets the deletion of `a`, and the first update of `b`.
    await store.forgetChanges(1_002_000);
    await expectExpired(early.drain(store), /older than the retention/);
    expect(kindsOf(await idle.pull(store))).toEqual(['updated c']);
    await store.remove(collection, ['b']);
    expect(kindsOf(await late.pull(store))).toEqual(['deleted b']);
    // A new reader lists records that have not changed for longer than the retention, page by page.
    const anew = new Consumer();
    expect(await anew.drain(store, 1)).toBe(2);
    expect([...anew.copy.keys()].sort()).toEqual(['c', 'd']);
  });

  it('a copy made from the feed equals the records, whenever it is read, restarted or begun', async () => {
    const random = seeded(58);
    const below = (limit: number) => Math.floor(random() * limit);
    const reopen = await place();
    let store = await reopen();
    const model = new Map<string, Record<string, unknown>>();
    const everyone = ['user:ana', 'user:bo', 'anyone'];
    const consumers = [new Consumer(), new Consumer(['user:ana', 'anyone']), new Consumer(['user:bo'])];
    const steps = Number(process.env.CHANGES ?? 600) / 3;
    for (let step = 0; step < steps; step++) {
      const ids = Array.from({ length: 1 + below(5) }, () => `t${below(30)}`);
      if (below(3) === 0) {
        await store.remove(collection, ids);
        for (const id of ids) model.delete(id);
      } else {
        const records = [...new Set(ids)].map((id) =>
          task(
            id,
            `${below(3)}`,
            everyone.filter(() => below(2) === 0),
          ),
        );
        await store.write(collection, records);
        for (const record of records) model.set(record.id, record);
      }
      for (const consumer of consumers) if (below(3) === 0) await consumer.pull(store, 1 + below(6));
      if (below(60) === 0) {
        const begun = below(3);
        consumers[begun] = new Consumer([undefined, ['user:ana', 'anyone'], ['user:bo']][begun]);
      }
      if (below(100) === 0) {
        await store.close();
        store = await reopen();
      }
    }
    for (const [index, readers] of [undefined, ['user:ana', 'anyone'], ['user:bo']].entries()) {
      const consumer = consumers[index]!;
      await consumer.drain(store, 4);
      const expected = [...model.values()].filter(
        ({ labels }) => !readers || (labels as string[]).some((label) => readers.includes(label)),
      );
      const copied = [...consumer.copy].map(([id, record]) => [id, (record as { title: string }).title]);
      expect(copied.sort()).toEqual(expected.map(({ id, title }) => [id, title]).sort());
      expect(await consumer.drain(store)).toBe(0);
    }
  });
});
