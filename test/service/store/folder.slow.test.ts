import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Connection } from '../../../service/src/data/sqlite.js';
import { collection, newFolder, newStore, removeBuilt, searchIds, tasks, workerCode } from './fixtures.js';
import { batchSize, expectIntegrity, seededPauses, startWriter, surviveKills, writtenEntity } from './kills.js';

afterAll(removeBuilt);

it('neither loses nor duplicates acknowledged data when killed', async () => {
  await surviveKills(newFolder(), seededPauses(1, 5));
}, 600_000);

it('lets a second process write to the same folder', async () => {
  const folder = newFolder();
  const both = await Promise.all([startWriter(folder, 'first', 25), startWriter(folder, 'second', 25)]);
  await Promise.all(both.map(({ done }) => done));
  expect(both.map(({ acknowledged, child }) => [acknowledged.length, child.exitCode])).toEqual([
    [25, 0],
    [25, 0],
  ]);
  expectIntegrity(folder);
  const store = await newStore({ folder, entities: [writtenEntity] });
  expect(await store.count(collection)).toBe(2 * 25 * batchSize);
  expect(await searchIds(store, { query: { filter: { fuzzy: { title: 'secnd' } } }, limit: 10_000 })).toHaveLength(
    25 * batchSize,
  );
}, 600_000);

it('reads in separate threads while writing, and sees what was written', async () => {
  const store = await newStore({ folder: newFolder(), entities: [tasks], worker: await workerCode() });
  const writing = store.write(
    collection,
    Array.from({ length: 3000 }, (_, index) => ({ id: `t${index}`, title: `Task ${index}` })),
  );
  const during = await store.search({ ...collection, params: { query: {}, limit: 1 } });
  expect(during.data.length).toBeLessThanOrEqual(1);
  await writing;
  expect(await searchIds(store, { query: {}, limit: 10_000 })).toHaveLength(3000);
  expect(await searchIds(store, { query: { filter: { keyword: { title: '2999' } } } })).toEqual(['t2999']);
  await expect(store.search({ ...collection, params: { query: {}, limit: -1 } })).rejects.toMatchObject({
    code: 'invalid_params',
  });
  await store.close();
  await expect(store.count(collection)).rejects.toThrow('has been closed');
});

it('keeps its records when a field is added, and starts over when a field changes its type', async () => {
  const folder = newFolder();
  const { views, ...before } = tasks.fields;
  const first = await newStore({ folder, entities: [{ ...tasks, fields: before }] });
  await first.write(collection, [{ id: 'a', title: 'old', views: 3 }]);
  await first.close();

  const second = await newStore({ folder, entities: [tasks] });
  expect(await second.get(collection, ['a'])).toMatchObject([{ record: { title: 'old', views: null } }]);
  expect(await second.write(collection, [{ id: 'a', title: 'old', views: 3 }])).toMatchObject({ updated: 1 });
  expect(await searchIds(second, { query: { filter: { gte: { views: 3 } } } })).toEqual(['a']);
  await second.close();

  const third = await newStore({ folder, entities: [{ ...tasks, fields: { ...tasks.fields, priority: 'string' } }] });
  expect(await third.count(collection)).toBe(0);
});

it('rejects records from a newer release', async () => {
  const folder = newFolder();
  await (await newStore({ folder, entities: [tasks] })).close();
  const connection = new Connection(join(folder, 'records.db'));
  connection.exec(`insert into versions values (99, 'later', '2030-01-01')`);
  connection.close();
  await expect(newStore({ folder, entities: [tasks] })).rejects.toThrow(/version 99.*newer release/);
});

it('removes what an interrupted connector deletion left behind', async () => {
  const folder = newFolder();
  const store = await newStore({ folder, entities: [tasks] });
  await store.write(collection, [{ id: 'a', title: 'left' }]);
  await store.close();
  const connection = new Connection(join(folder, 'records.db'));
  connection.exec('update connectors set connector_id = null');
  connection.close();
  const again = await newStore({ folder, entities: [tasks] });
  await again.write(collection, [{ id: 'b', title: 'new' }]);
  expect(await searchIds(again, { query: {} })).toEqual(['b']);
  await again.close();
  const after = new Connection(join(folder, 'records.db'));
  expect(after.all('select id from "sample.tasks"')).toEqual([{ id: 'b' }]);
  after.close();
});
