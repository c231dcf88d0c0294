import { postgresMigrations } from '../../migrations/postgres.js';
import { missing } from '../../migrations/types.js';
import {
  type Column,
  type ColumnType,
  changeOf,
  indexedShape,
  indexName,
  type Layout,
  mergeShape,
  nameOf,
  ownColumns,
  quoteIdentifier,
  type Shape,
} from '../../schema.js';
import type { ConnectionPool, RunStatement } from './connection.js';
import { distributeTable, historyTables, isDistributed } from './distribute.js';
import { addStoredRecords } from './history.js';
import { orderDefinitions } from './index-definitions.js';
import { dropAll } from './passage-writer.js';
import { acrossOrganizations, protectTables } from './row-security.js';
import { dropOtherForms, type VectorForm, vectorForm } from './vectors.js';

const columnTypes: Readonly<Record<ColumnType, string>> = {
  text: 'text collate "C"',
  number: 'double precision',
  boolean: 'boolean',
  json: 'jsonb',
};

/** Arbitrary, but the same in every process. */
const schemaLockId = 711_400_171;

/** Migrates the schema to this version and updates the tables to match the entities; returns how vectors are stored. */
export function prepareTables(
  pool: ConnectionPool,
  layouts: readonly Layout[],
  now: number,
  migrations = postgresMigrations,
): Promise<VectorForm> {
  return pool.writeTransaction(async (query) => {
    await requireUnicode(query);
    await acrossOrganizations(query);
    // If two processes start together, the second waits and then finds nothing to do.
    await query('select pg_advisory_xact_lock($1)', [schemaLockId]);
    await query(
      'create table if not exists versions (version integer primary key, name text not null, applied_at text not null)',
    );
    const [row] = await query<{ version: number | null }>('select max(version) as version from versions');
    for (const { version, name, sql, perConnector, ifExists, addsHistory } of missing(migrations, row?.version ?? 0)) {
      const [present] = await query<{ table: string | null }>('select to_regclass($1)::text as table', [
        ifExists?.table ?? null,
      ]);
      const all = present?.table ? `${sql};${ifExists!.sql}` : sql;
      const statements = all.split(';').filter((part) => part.trim() !== '');
      const values = perConnector ? (await connectorNumbers(query)).map((number) => [number]) : [[]];
      for (const value of values) for (const statement of statements) await query(statement, value);
      if (addsHistory) {
        if (await isDistributed(query)) for (const table of historyTables) await distributeTable(query, table);
        await addStoredRecords(query, layouts, await connectorNumbers(query), now);
      }
      await query('insert into versions values ($1, $2, $3)', [version, name, new Date(now).toISOString()]);
    }
    for (const layout of layouts) await prepareTable(query, layout);
    await protectTables(query);
    const form = await vectorForm(query);
    await dropOtherForms(query, form);
    return form;
  });
}

const connectorNumbers = async (query: RunStatement): Promise<number[]> =>
  (await query<{ number: number }>('select number from connectors order by number')).map(({ number }) => number);

/** Offsets count characters, so the database must too. */
async function requireUnicode(query: RunStatement): Promise<void> {
  const [row] = await query<{ encoding: string }>(`select current_setting('server_encoding') as encoding`);
  if (row!.encoding === 'UTF8') return;
  throw new Error(`The database encoding is ${row!.encoding}; records require UTF8.`);
}

async function prepareTable(query: RunStatement, layout: Layout): Promise<void> {
  const [row] = await query<{ shape: string }>('select shape from entities where name = $1', [layout.table]);
  const stored = row && (JSON.parse(row.shape) as Shape);
  const change = changeOf(layout, stored);
  if (change.kind === 'none') return;
  if (change.kind === 'replace' && change.isOlder) throw newerTableError(layout);
  if (change.kind === 'extend') for (const column of change.columns) await extend(query, layout, column);
  else await create(query, layout);
  await query('insert into entities values ($1, $2) on conflict (name) do update set shape = excluded.shape', [
    layout.table,
    JSON.stringify(mergeShape(layout, stored, change)),
  ]);
}

const newerTableError = (layout: Layout): Error =>
  new Error(
    `A newer version of the connector has replaced the table of ${nameOf(layout)}: run that version. To go back to this ` +
      `one, stop all processes and run "delete from entities where name = '${layout.table.replaceAll("'", "''")}'"; ` +
      'the records are then synced again.',
  );

/** The table layout to record after an entity's texts are split again; undefined if they already have been. */
export async function outdatedShape(query: RunStatement, layout: Layout): Promise<Shape | undefined> {
  const [row] = await query<{ shape: string }>('select shape from entities where name = $1', [layout.table]);
  return row && indexedShape(layout, JSON.parse(row.shape) as Shape);
}

export async function markIndexed(query: RunStatement, layout: Layout): Promise<void> {
  const shape = await outdatedShape(query, layout);
  if (shape) await query('update entities set shape = $2 where name = $1', [layout.table, JSON.stringify(shape)]);
}

const columnDefinition = (column: Column) =>
  ownColumns(column).map(({ name, type }) => `${quoteIdentifier(name)} ${columnTypes[type]}`);

async function create(query: RunStatement, layout: Layout): Promise<void> {
  const table = quoteIdentifier(layout.table);
  await query(`drop table if exists ${table}`);
  for (const number of await connectorNumbers(query)) await dropAll(query, number, layout.table);
  await query(`create table ${table} (
    rid bigint generated always as identity, connector integer not null, id text collate "C" not null,
    hash text not null, ${layout.columns
      .flatMap(columnDefinition)
      .map((column) => `${column},`)
      .join(' ')}
    rest jsonb not null, terms tsvector not null, primary key (connector, rid), unique (connector, id))`);
  // Uses a GIN pending list, which is flushed at the end of each write because every search scans it. The list has
  // room for a whole write: flushing it in parts takes twice as long.
  await query(
    `create index ${quoteIdentifier(layout.words)} on ${table} using gin (terms)
      with (fastupdate = on, gin_pending_list_limit = 262144)`,
  );
  for (const column of layout.columns) await addIndex(query, layout, column);
  if (await isDistributed(query)) await distributeTable(query, layout.table);
}

async function extend(query: RunStatement, layout: Layout, column: Column): Promise<void> {
  for (const definition of columnDefinition(column))
    await query(`alter table ${quoteIdentifier(layout.table)} add column ${definition}`);
  await addIndex(query, layout, column);
}

async function addIndex(query: RunStatement, layout: Layout, column: Column): Promise<void> {
  if (!column.indexed) return;
  const [sorted, long] = orderDefinitions({ column, path: [] });
  const table = quoteIdentifier(layout.table);
  await query(`create index ${quoteIdentifier(indexName(layout, column))} on ${table} ${sorted}`);
  if (long !== undefined) await query(`create index on ${table} ${long}`);
}
