import { expect, onTestFinished, test } from 'vitest';
import {
  builtInSqlite,
  openConnection,
  type Parameter,
  packagedSqlite,
  type SqliteModule,
} from '../../../service/src/data/sqlite.js';

const builtIn = builtInSqlite();
const modules: [string, SqliteModule][] = [
  ['the package', packagedSqlite()],
  ...(builtIn ? [['the module of Node', builtIn] as [string, SqliteModule]] : []),
];

function open(sqlite: SqliteModule) {
  const connection = openConnection(':memory:', sqlite);
  onTestFinished(() => connection.close());
  return connection;
}

/** Each value with the type and text that SQLite stores for it. */
const stored: readonly (readonly [Parameter, type: string, text: string | null])[] = [
  [0, 'integer', '0'],
  [1, 'integer', '1'],
  [-5, 'integer', '-5'],
  [Number.MAX_SAFE_INTEGER, 'integer', '9007199254740991'],
  [true, 'integer', '1'],
  [false, 'integer', '0'],
  [1.5, 'real', '1.5'],
  ['1', 'text', '1'],
  ['', 'text', ''],
  [null, 'null', null],
];

test.each(modules)('%s stores each value as the same type', (_, sqlite) => {
  const statement = open(sqlite).prepare('select typeof(?1) as type, cast(?1 as text) as text');
  expect(stored.map(([value]) => ({ ...(statement.get(value) as object) }))).toEqual(
    stored.map(([, type, text]) => ({ type, text })),
  );
  const bytes = open(sqlite).prepare('select typeof(?1) as type, hex(?1) as text');
  expect(bytes.get(new Uint8Array([1, 255]))).toEqual({ type: 'blob', text: '01FF' });
});

test.each(modules)('%s calculates and compares alike', (_, sqlite) => {
  const connection = open(sqlite);
  const value = (sql: string, ...values: Parameter[]) =>
    (connection.prepare(`select ${sql} as value`).get(...values) as { value: unknown }).value;
  expect(value('7 / ?', 2)).toBe(3);
  expect(value("'a' || ?", 1)).toBe('a1');
  expect(value("'1' = ?", 1)).toBe(0);
  expect(value('json_array(?, ?)', 1, true)).toBe('[1,1]');
  expect(value('(select count(*) from (select 1 union select 2 union select 3 limit ?))', 2)).toBe(2);
});

test.each(modules)('%s keeps every number exactly', (_, sqlite) => {
  const connection = open(sqlite);
  connection.exec('create table numbers (value real)');
  const insert = connection.prepare('insert into numbers values (?)');
  const read = connection.prepare('select value, value = ? as isEqual from numbers where rowid = ?');
  const numbers = [1e-16, 1.0688992673818822e-208, 5e-324, -5e-324, 7.215120195549942e246, 0.1, 2 ** 53, 1e21];
  for (const number of numbers) {
    const { lastInsertRowid } = insert.run(number);
    expect(read.get(number, Number(lastInsertRowid))).toEqual({ value: number, isEqual: 1 });
  }
});

test.each(modules)('%s never binds undefined', (_, sqlite) => {
  const statement = open(sqlite).prepare('select ? as value');
  for (const call of ['run', 'get', 'all'] as const) {
    expect(() => statement[call](undefined as never)).toThrow('parameter is undefined');
  }
});
