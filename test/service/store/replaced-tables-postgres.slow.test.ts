import { expect, it } from 'vitest';
import type { StoredEntity } from '../../../service/src/data/records/entity.js';
import { isDatabaseUnavailable } from '../../../service/src/data/unavailable.js';
import { collection, newStore, searchIds, tasks } from './fixtures.js';
import { emptyPostgres } from './pglite.js';

/** The entity in a newer version of its connector. */
const newer: StoredEntity = { ...tasks, fields: { ...tasks.fields, priority: 'string' } };
const extended: StoredEntity = { ...newer, fields: { ...newer.fields, estimate: 'number' } };
const record = { id: 'a', title: 'Plums', priority: '1' };

it('an older version does not replace the table of a newer one, unless the operator asks for it', async () => {
  const pool = await emptyPostgres();
  await newStore({ pool, entities: [tasks] });
  const store = await newStore({ pool, entities: [newer] });
  await store.write(collection, [record]);
  await expect(newStore({ pool, entities: [tasks] })).rejects.toThrow(/newer version.*sample\.tasks.*delete from/);
  expect(await searchIds(store, { query: { filter: { eq: { priority: '1' } } } })).toEqual(['a']);
  // Later versions that only add fields do not change this.
  const last = await newStore({ pool, entities: [extended] });
  await expect(newStore({ pool, entities: [tasks] })).rejects.toThrow(/newer version/);
  expect(await last.count(collection)).toBe(1);
  await pool.writeTransaction((query) => query(`delete from entities where name = 'sample.tasks'`));
  expect(await (await newStore({ pool, entities: [tasks] })).count(collection)).toBe(0);
});

it('a running process whose table was replaced reports it as unavailable, rather than as empty', async () => {
  const pool = await emptyPostgres();
  const store = await newStore({ pool, entities: [tasks] });
  await store.write(collection, [{ ...record, priority: 1 }]);
  expect(await store.count(collection)).toBe(1);
  await newStore({ pool, entities: [newer] });
  const query = { filter: { eq: { title: 'Plums' } } };
  const attempts = {
    search: () => store.search({ ...collection, params: { query } }),
    count: () => store.count(collection),
    get: () => store.get(collection, ['a']),
    write: () => store.write(collection, [{ ...record, priority: 2 }]),
    remove: () => store.remove(collection, ['a']),
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    const error = await attempt().then(
      () => undefined,
      (failure: unknown) => failure,
    );
    expect([name, isDatabaseUnavailable(error)]).toEqual([name, true]);
  }
});
