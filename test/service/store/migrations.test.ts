import { expect, it, onTestFinished } from 'vitest';
import { prepareTables as prepareInPostgres } from '../../../service/src/data/records/drivers/postgres/tables.js';
import { connect, prepareTables as prepareInSqlite } from '../../../service/src/data/records/drivers/sqlite/tables.js';
import { postgresMigrations } from '../../../service/src/data/records/migrations/postgres.js';
import { sqliteMigrations } from '../../../service/src/data/records/migrations/sqlite.js';
import { newStore, tasks } from './fixtures.js';
import { emptyPostgres } from './pglite.js';

/** A migration of a later release; both statements fail if they run twice. */
const after = (migrations: ReadonlyArray<{ readonly version: number }>) => ({
  version: migrations.at(-1)!.version + 1,
  name: 'later',
  sql: 'alter table entities add column note text; create table additions (id text)',
});
const versionsOf = (migrations: ReadonlyArray<{ readonly version: number }>) =>
  migrations.map(({ version }) => version);
const versions = 'select version from versions order by version';
const columns = ['name', 'shape', 'note'];

it('a later migration is applied to the baseline in SQLite once, and an older release then rejects the file', () => {
  const connection = connect(':memory:', 'writer');
  onTestFinished(() => connection.close());
  const prepare = (migrations = sqliteMigrations) =>
    prepareInSqlite(connection, { location: ':memory:', layouts: [], now: 0 }, migrations);
  const later = after(sqliteMigrations);
  prepare();
  connection.run(`insert into entities values ('sample.tasks', '{}')`);
  for (const _ of [1, 2]) prepare([...sqliteMigrations, later]);
  expect(versionsOf(connection.all<{ version: number }>(versions))).toEqual(versionsOf([...sqliteMigrations, later]));
  expect(Object.keys(connection.get<object>('select * from entities')!)).toEqual(columns);
  expect(() => prepare()).toThrow(
    `version ${later.version}, but this release supports versions up to ${later.version - 1}`,
  );
});

it('a later migration is applied to the baseline in Postgres once, and an older release then rejects the database', async () => {
  const later = after(postgresMigrations);
  const pool = await emptyPostgres();
  const store = await newStore({ pool, entities: [tasks] });
  await store.write({ connectorId: 'con_1', type: tasks.type, entity: tasks.entity }, [{ id: 'a', title: 'kept' }]);
  for (const _ of [1, 2]) await prepareInPostgres(pool, [], 0, [...postgresMigrations, later]);
  const found = await pool.readTransaction((query) => query<{ version: number }>(versions));
  expect(versionsOf(found)).toEqual(versionsOf([...postgresMigrations, later]));
  const [entity] = await pool.readTransaction((query) => query<object>('select * from entities'));
  expect(Object.keys(entity!)).toEqual(columns);
  await expect(newStore({ pool, entities: [tasks] })).rejects.toThrow(`version ${later.version}`);
});
