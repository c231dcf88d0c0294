import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { connectTo } from '../../../service/src/data/state/connections.js';
import type { Database } from '../../../service/src/data/state/database.js';
import { migrate } from '../../../service/src/data/state/migrate.js';
import { openPostgres } from '../../../service/src/data/state/postgres.js';
import { openSqlite } from '../../../service/src/data/state/sqlite.js';
import { serveDump } from '../upgrade/postgres-server.js';
import { newFolder } from './fixtures.js';
import { connectionsFor } from './pglite.js';

const fixture = (path: string) => gunzipSync(readFileSync(new URL(`../../fixtures/0.1/${path}.gz`, import.meta.url)));

async function migrated(database: Database): Promise<Database> {
  onTestFinished(() => database.close());
  await migrate(database, Date.now);
  return database;
}

const rowsOf = async (database: Database, query: ReturnType<typeof sql>): Promise<any[]> =>
  (await query.execute(database.query)).rows.map((row) => ({ ...(row as object) }));

/** Keys as reported by the engine, normalized for quotes and irrelevant differences. */
const plain = (text: string | null) => text?.replaceAll('"', '').replaceAll(/\s+/g, ' ').toLowerCase();

async function sqliteSchema(database: Database) {
  const tables = await rowsOf(database, sql`select name, wr, strict from pragma_table_list where schema = 'main'`);
  const indexes = await rowsOf(database, sql`select name, sql from sqlite_schema where type = 'index'`);
  const conditions = new Map(indexes.map(({ name, sql: text }) => [name, plain(text)?.split(' where ')[1]]));
  const detailsOf = async (name: string) => ({
    columns: (await rowsOf(database, sql`select * from pragma_table_xinfo(${name})`)).map((column) => ({
      ...column,
      type: plain(column.type),
    })),
    foreignKeys: await rowsOf(database, sql`select * from pragma_foreign_key_list(${name})`),
    indexes: await Promise.all(
      (await rowsOf(database, sql`select * from pragma_index_list(${name})`)).map(async (index) => ({
        ...index,
        columns: await rowsOf(database, sql`select * from pragma_index_xinfo(${index.name})`),
        condition: conditions.get(index.name),
      })),
    ),
  });
  const details = tables.map(async (table) => [table.name, { ...table, ...(await detailsOf(table.name)) }] as const);
  return Object.fromEntries(await Promise.all(details));
}

async function postgresSchema(database: Database) {
  const own = sql`current_schema()::text`;
  const columns = await rowsOf(
    database,
    sql`select table_name, column_name, ordinal_position, data_type, collation_name, is_nullable, column_default
      from information_schema.columns where table_schema = ${own} order by table_name, ordinal_position`,
  );
  const constraints = await rowsOf(
    database,
    sql`select conrelid::regclass::text as "table", conname, pg_get_constraintdef(oid) as definition
      from pg_constraint where connamespace = ${own}::regnamespace order by 1, 2`,
  );
  const indexes = await rowsOf(
    database,
    sql`select indexname, replace(indexdef, ${own} || '.', '') as definition
      from pg_indexes where schemaname = ${own} order by 1`,
  );
  const security = await rowsOf(
    database,
    sql`select relname, relrowsecurity, relforcerowsecurity, pg_get_expr(polqual, polrelid) as condition
      from pg_class left join pg_policy on polrelid = pg_class.oid
      where relnamespace = ${own}::regnamespace and relkind = 'r' order by 1`,
  );
  return { columns, constraints, indexes, security };
}

const migrationsIn = async (database: Database) =>
  (await rowsOf(database, sql`select name from kysely_migration order by name`)).map(({ name }) => name);

const names = [
  '0001-initial',
  '0002-replication',
  '0003-audit',
  '0004-setups',
  '0005-console',
  '0006-audit-address',
  '0007-audit-by-time',
  '0008-client-scopes',
  '0009-data-keys',
  '0010-plans',
  '0011-row-security',
  '0012-oauth',
  '0013-connect',
  '0014-bound-clients',
  '0015-written-records',
  '0016-rate-limits',
  '0017-vendor-limits',
  '0018-replica-runs',
  '0019-repeated-jobs',
];

it('a SQLite state from release 0.1 gets the same tables as a new one, and no migration is applied twice', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'state.db'), fixture('sqlite/state.db'));
  const before = openSqlite(folder);
  const versions = await before.query.selectFrom('versions').selectAll().execute();
  await before.close();
  const upgraded = await migrated(openSqlite(folder));
  const fresh = await migrated(openSqlite(':memory:'));
  const schema = await sqliteSchema(upgraded);
  expect(Object.keys(schema).length).toBeGreaterThan(18);
  expect(schema).toEqual(await sqliteSchema(fresh));
  expect([await migrationsIn(upgraded), await migrationsIn(fresh)]).toEqual([names, names]);
  const upgradedVersions = await upgraded.query.selectFrom('versions').selectAll().execute();
  expect(upgradedVersions.slice(0, versions.length)).toEqual(versions);
  await migrate(upgraded, Date.now);
  expect(await migrationsIn(upgraded)).toEqual(names);
  // Release 0.1 uses these rows to detect a newer database.
  expect(await fresh.query.selectFrom('versions').select(['version', 'name']).execute()).toEqual(
    upgradedVersions.map(({ version, name }) => ({ version, name })),
  );
});

it('upgrading a Postgres state from release 0.1 creates the same tables as a new one and applies each migration once', async () => {
  const served = await serveDump(fixture('postgres/dump.sql').toString());
  onTestFinished(() => served.close());
  const upgraded = await migrated(await openPostgres(await connectTo(served.url)));
  const fresh = await migrated(await openPostgres(await connectionsFor(newFolder())));
  const schema = await postgresSchema(upgraded);
  expect(schema.columns.length).toBeGreaterThan(100);
  expect(schema).toEqual(await postgresSchema(fresh));
  expect([await migrationsIn(upgraded), await migrationsIn(fresh)]).toEqual([names, names]);
});

it('migrations only add tables, columns and indexes, so processes of an older release keep running', () => {
  const folder = new URL('../../../service/src/data/state/migrations/', import.meta.url);
  const files = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const source = readFileSync(new URL(file, folder), 'utf8');
    expect(source, file).not.toMatch(/\b(drop\w*|rename\w*|alter ?column|setNotNull)\b/i);
  }
});
