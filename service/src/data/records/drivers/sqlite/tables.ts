import { Connection, enableWriteAheadLog } from '../../../sqlite.js';
import { sqliteMigrations } from '../../migrations/sqlite.js';
import { missing } from '../../migrations/types.js';
import {
  type Column,
  type ColumnType,
  changeOf,
  indexedShape,
  type Layout,
  mergeShape,
  ownColumns,
  quoteIdentifier,
  type Shape,
} from '../../schema.js';
import { addStoredRecords, noteOpening } from './history.js';
import { addIndex } from './indexes.js';

const columnTypes: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  number: 'real',
  boolean: 'integer',
  json: 'text',
};

/** Location of an in-memory database. */
export const inMemory = ':memory:';

/** Opens the file for one writer and many readers. */
export function connect(location: string, role: 'writer' | 'reader'): Connection {
  const connection = new Connection(location);
  try {
    // Set first, so that the following statements wait for other processes too.
    connection.exec('pragma busy_timeout = 10000');
    if (role === 'writer') {
      // `secure_delete` overwrites deleted content with zeros.
      connection.exec('pragma page_size = 8192; pragma secure_delete = on');
      const mode = enableWriteAheadLog((sql) => connection.get(sql));
      if (location !== inMemory && mode !== 'wal') {
        throw new Error(`The file system of ${location} does not support SQLite’s write-ahead log; use a local disk.`);
      }
      // Checkpoints are rare: indexes rewrite the same pages repeatedly, and a checkpoint writes each page only once.
      connection.exec(
        'pragma synchronous = full; pragma journal_size_limit = 134217728; pragma wal_autocheckpoint = 16000',
      );
    } else {
      connection.exec('pragma query_only = on');
    }
    connection.exec('pragma cache_size = -131072; pragma mmap_size = 1073741824; pragma temp_store = memory');
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

interface Preparation {
  readonly location: string;
  readonly layouts: readonly Layout[];
  readonly now: number;
}

/** Migrates the file to this version and updates its tables to match the entities. */
export function prepareTables(
  connection: Connection,
  { location, layouts, now }: Preparation,
  migrations = sqliteMigrations,
): void {
  // In one transaction: if two processes start together, the second finds nothing to do.
  connection.writeTransaction(() => {
    connection.exec(
      'create table if not exists versions (version integer primary key, name text not null, applied_at text not null)',
    );
    const current =
      connection.get<{ version: number | null }>('select max(version) as version from versions')?.version ?? 0;
    for (const { version, name, sql, addsHistory } of missing(migrations, current)) {
      connection.exec(sql);
      if (addsHistory) addStoredRecords(connection, layouts, now);
      connection.run('insert into versions values (?, ?, ?)', [version, name, new Date(now).toISOString()]);
    }
    if (location !== inMemory) for (const layout of layouts) prepareTable(connection, layout);
    noteOpening(connection);
  });
}

/** Updates the tables to match the entities. */
export function prepareEntities(connection: Connection, layouts: readonly Layout[]): void {
  connection.writeTransaction(() => {
    for (const layout of layouts) prepareTable(connection, layout);
  });
}

function prepareTable(connection: Connection, layout: Layout): void {
  const row = connection.get<{ shape: string }>('select shape from entities where name = ?', [layout.table]);
  const stored = row && (JSON.parse(row.shape) as Shape);
  const change = changeOf(layout, stored);
  if (change.kind === 'none') return;
  if (change.kind === 'extend') {
    for (const column of change.columns) extend(connection, layout, column);
  } else {
    // The passages are detached along with the records; a sweep deletes them.
    connection.run('update passage_fields set entity = null where entity = ?', [layout.table]);
    create(connection, layout);
  }
  connection.run('insert into entities values (?, ?) on conflict (name) do update set shape = excluded.shape', [
    layout.table,
    JSON.stringify(mergeShape(layout, stored, change)),
  ]);
}

/** The table layout that an entity will have once its texts are indexed again; undefined if they already are. */
export function outdatedShape(connection: Connection, layout: Layout): Shape | undefined {
  const row = connection.get<{ shape: string }>('select shape from entities where name = ?', [layout.table]);
  return row && indexedShape(layout, JSON.parse(row.shape) as Shape);
}

export function markIndexed(connection: Connection, layout: Layout): void {
  connection.writeTransaction(() => {
    const shape = outdatedShape(connection, layout);
    if (shape) connection.run('update entities set shape = ? where name = ?', [JSON.stringify(shape), layout.table]);
  });
}

const columnDefinition = (column: Column) =>
  ownColumns(column).map(({ name, type }) => `${quoteIdentifier(name)} ${columnTypes[type]}`);

function create(connection: Connection, layout: Layout): void {
  const [table, words] = [quoteIdentifier(layout.table), quoteIdentifier(layout.words)];
  // Long texts come last, so the columns before them can be read without reading the texts.
  const order = [...layout.columns].sort((one, other) => Number(one.wordIndexed) - Number(other.wordIndexed));
  connection.exec(`
    drop table if exists ${table};
    drop table if exists ${words};
    create table ${table} (
      rid integer primary key, connector integer not null, id text not null, hash text not null,
      ${order
        .flatMap(columnDefinition)
        .map((column) => `${column},`)
        .join(' ')}
      rest text not null, unique (connector, id));
    create virtual table ${words} using fts5 (
      terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
  `);
  for (const column of layout.columns) addIndex(connection, layout, column);
}

function extend(connection: Connection, layout: Layout, column: Column): void {
  for (const definition of columnDefinition(column)) {
    connection.exec(`alter table ${quoteIdentifier(layout.table)} add column ${definition}`);
  }
  addIndex(connection, layout, column);
}
