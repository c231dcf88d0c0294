import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Connection } from '../../../service/src/data/sqlite.js';
import { collection, newFolder, newStore, searchIds } from './fixtures.js';
import { byText, checkPages, checkSort, composites, entity, filters, idsOf, records, sorts } from './own-indexes.js';

it('builds an index for a search that would otherwise scan many records, and finds the same records', async () => {
  const folder = newFolder();
  const store = await newStore({ folder, entities: [entity], worker: null });
  await store.startLoad(collection);
  await store.write(collection, records);
  await store.finishLoad(collection);
  const file = new Connection(join(folder, 'records.db'));
  const names = () =>
    file
      .all<{ name: string }>(`select name from sqlite_master where type = 'index'`)
      .map(({ name }) => name.replace('sample.tasks.', ''));
  for (const [params, expected, index] of filters) {
    expect(names()).not.toContain(index);
    for (const _ of ['built', 'used']) expect(await searchIds(store, { ...params, limit: 10_000 })).toEqual(expected);
    expect(names(), index).toContain(index);
  }
  const again = {
    query: {
      filter: { neq: { title: null }, gte: { 'state.name': 'delta' } },
      sort: [{ notes: 'desc' }, { title: 'asc' }],
    },
  };
  const present = records.filter((one) => one.title !== null && one.state.name! >= 'delta');
  present.sort((one, other) => byText(other.notes!, one.notes!) || byText(one.title!, other.title!));
  expect(await searchIds(store, { ...again, limit: 900 })).toEqual(present.map((one) => one.id));
  expect(await searchIds(store, { query: { filter: { neq: { createdAt: null } } }, limit: 10_000 })).toEqual(
    idsOf((one) => one.createdAt !== null),
  );
  // The first index finds many records without a value, and the second one sorts them.
  await checkSort(store, [{ 'state.few': 'desc' }, { 'state.mixed': 'asc' }]);
  expect(names()).toEqual(expect.arrayContaining(['state.few:order', 'state.mixed:order']));
  for (const [sort, filter] of sorts) await checkSort(store, sort, filter);
  const { meta } = await store.search({
    ...collection,
    params: { query: { sort: [{ 'state.few': 'desc' }] }, limit: 1 },
  });
  // As in cursors from version 0.1.
  expect(JSON.parse(Buffer.from(meta.cursor!, 'base64url').subarray(16).toString())[1]).toEqual([2, 1, null]);
  file.close();
});

it('finds values inside objects by their index, and exactly those', async () => {
  const store = await newStore({ folder: newFolder(), entities: [entity], worker: null });
  await store.write(collection, records);
  const find = (filter: object) => searchIds(store, { query: { filter }, limit: 10_000, fields: ['id'] });
  const mixed = [true, 10, '10', 1e-20, -1.5, '\u{1f600}', ''];
  const many = [...mixed, ...Array.from({ length: 30 }, (_, number) => number + 0.1)];
  const check = async () => {
    for (const name of ['alpha', 'zulu', 'none'])
      expect(await find({ eq: { 'state.name': name } })).toEqual(idsOf((one) => one.state.name === name));
    for (const values of [[true], [10], ['10'], [1e-20], mixed, many]) {
      const wanted = idsOf(({ state }) => values.includes(state.mixed as never));
      expect(await find({ in: { 'state.mixed': values } })).toEqual(wanted);
    }
  };
  await check();
  // Builds the indexes.
  await find({ gt: { 'state.name': 'x' } });
  await checkSort(store, [{ 'state.mixed': 'asc' }]);
  await check();
});

it('an index built for searches is not used for others, which it would slow down', async () => {
  const folder = newFolder();
  const open = () => newStore({ folder, entities: [entity], worker: null });
  const first = await open();
  await first.write(collection, records);
  // Saves statistics about the other indexes.
  await first.close();
  const store = await open();
  await checkSort(store, [{ 'state.name': 'asc' }]);
  const file = new Connection(join(folder, 'records.db'));
  const plan = file.all<{ detail: string }>(
    `explain query plan select rid from "sample.tasks" r where r.connector = 1 and r.c_title <> 'x' order by r.id limit 50`,
  );
  expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('sqlite_autoindex_sample.tasks_1')]);
  file.close();
});

it('counts up to 10,000 records if a filter finds nothing', async () => {
  const store = await newStore({ folder: newFolder(), entities: [entity], worker: null });
  await store.write(collection, records);
  const params = { query: { filter: { eq: { title: 'none' } } } };
  const { empty } = (await store.search({ ...collection, params })).meta;
  expect(empty).toMatchObject({ of: 10_000, of_is_exact: false });
});

it('builds a composite index for a filter by one value and a sort, and reads pages from it', async () => {
  const folder = newFolder();
  const store = await newStore({ folder, entities: [entity], worker: null });
  await store.write(collection, records);
  const file = new Connection(join(folder, 'records.db'));
  const built = () =>
    file.all<{ name: string }>(`select name from sqlite_master where name like '%:composite'`).map(({ name }) => name);
  for (const [filter, sort, index] of composites) {
    for (const _ of ['built', 'used']) await checkPages(store, filter, sort);
    expect(built()).toContain(`sample.tasks.${index}:composite`);
  }
  await store.remove(collection, [records[13]!.id]);
  await store.write(collection, [records[13]!]);
  for (const [filter, sort] of composites) await checkPages(store, filter, sort);
  // Word tests start from the index of words.
  await checkPages(store, { eq: { ownerId: 'p3' }, like: { title: '%task%' } }, [{ 'state.rank': 'asc' }]);
  expect(built()).toHaveLength(2);
  file.close();
});
