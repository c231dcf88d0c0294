import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { exportTables } from '../../../service/src/data/records/index.js';
import { newFolder, newStore } from '../../service/store/fixtures.js';

const run = promisify(execFile);
/** Too large for a development dependency. */
const duckdb = '@duckdb/node-api@1.5.6-r.1';

const program = `
import { DuckDBInstance } from '@duckdb/node-api';
const connection = await (await DuckDBInstance.create()).connect();
const results = [];
for (const query of process.argv.slice(2)) {
  results.push((await connection.runAndReadAll(query)).getRowObjectsJson());
}
console.log(JSON.stringify(results));
`;

async function installDuckdb(): Promise<(...queries: string[]) => Promise<unknown[]>> {
  const folder = join(newFolder(), 'duckdb');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', duckdb], {
    cwd: folder,
  });
  await writeFile(join(folder, 'query.mjs'), program);
  return async (...queries) => {
    const { stdout } = await run(process.execPath, [join(folder, 'query.mjs'), ...queries]);
    return JSON.parse(stdout) as unknown[];
  };
}

it('DuckDB reads the exported tables as they are, with all digits and one type per column', async () => {
  const entity = {
    type: 'shop',
    entity: 'orders',
    fields: { id: 'string', code: 'string', total: 'integer', price: 'number', paidAt: 'string', state: 'object' },
    dateTimes: ['paidAt'],
    key: ['id'],
  } as const;
  const store = await newStore({ folder: ':memory:', entities: [entity] });
  const collection = { type: 'shop', entity: 'orders' };
  await store.write({ ...collection, connectorId: 'con_1' }, [
    {
      id: 'a',
      code: '007',
      total: '9007199254740993',
      price: 1.5,
      paidAt: '2026-03-01T10:30:00+02:00',
      state: { name: 'x' },
    },
    { id: 'b', code: 'Köln "A"\n2', total: 7, price: 2, paidAt: '2026-03-01' },
  ]);
  await store.write({ ...collection, connectorId: 'con_2' }, [{ id: 'a', paidAt: '2026-03-01T10:30:00.1234567Z' }]);
  const lines: string[] = [];
  for await (const { line } of exportTables(store)) lines.push(`${line}\n`);
  const file = join(newFolder(), 'shop.orders.jsonl');
  await writeFile(file, lines.join(''));

  const query = await installDuckdb();
  const [columns, rows, sums] = await query(
    `select column_name as name, column_type as type from (describe select * from '${file}')`,
    `select connector_id, id, code, total, price, strftime(paidAt, '%Y-%m-%d %H:%M:%S.%f') as paid, state.name as state
      from '${file}' order by connector_id, id`,
    `select sum(total)::varchar as total, count(*)::integer as orders from '${file}' where paidAt >= '2026-03-01 08:30:00'`,
  );
  expect(columns).toEqual([
    { name: 'connector_id', type: 'VARCHAR' },
    { name: 'id', type: 'VARCHAR' },
    { name: 'code', type: 'VARCHAR' },
    { name: 'total', type: 'BIGINT' },
    { name: 'price', type: 'DOUBLE' },
    { name: 'paidAt', type: 'TIMESTAMP' },
    { name: 'state', type: 'STRUCT("name" VARCHAR)' },
  ]);
  expect(rows).toEqual([
    {
      connector_id: 'con_1',
      id: 'a',
      code: '007',
      total: '9007199254740993',
      price: 1.5,
      paid: '2026-03-01 08:30:00.000000',
      state: 'x',
    },
    {
      connector_id: 'con_1',
      id: 'b',
      code: 'Köln "A"\n2',
      total: '7',
      price: 2,
      paid: '2026-03-01 00:00:00.000000',
      state: null,
    },
    {
      connector_id: 'con_2',
      id: 'a',
      code: null,
      total: null,
      price: null,
      paid: '2026-03-01 10:30:00.123456',
      state: null,
    },
  ]);
  expect(sums).toEqual([{ total: '9007199254740993', orders: 2 }]);
});
