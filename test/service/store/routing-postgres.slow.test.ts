import { expect, it } from 'vitest';
import type { RunStatement } from '../../../service/src/data/records/drivers/postgres/connection.js';
import { acrossOrganizations } from '../../../service/src/data/records/drivers/postgres/row-security.js';
import { prepareTables } from '../../../service/src/data/records/drivers/postgres/tables.js';
import { exportRecords } from '../../../service/src/data/records/transfer/export.js';
import { importRecords } from '../../../service/src/data/records/transfer/import.js';
import { compareAll } from './differential.js';
import { newStore } from './fixtures.js';
import { emptyPostgres } from './pglite.js';
import { recordStatements } from './recorded.js';
import { storedEntities } from './sample.js';
import { rankingCases, storageCases } from './semantic-cases.js';
import { embedAll, notesCollection, sampleNotes, semanticOptions, textsOf } from './semantic-sample.js';
import { compareSummaries } from './summaries.js';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Operation?: string;
  readonly Output?: readonly string[];
  readonly Plans?: readonly Plan[];
}

/** Background statements that cover all connectors at once and read only numbers. */
const acrossConnectors = [
  /^select f\.connector, f\.number as field,/,
  /^select sum\(f\.passages - coalesce\(e\.passages, 0\)\)::text as waiting/,
  /^select connector, array_agg\(number::text\) as passages from passages/,
];

/** An insert in a common table expression: its rows become an intermediate result, which Citus sends to every worker. */
const insertReadByOthers = /\bas\s+(?:materialized\s+)?\(\s*insert\b/i;

/** Each statement is checked only once. */
const seen = new Set<string>();

/** The conditions of a scan, including those of its bitmap indexes. */
function conditionsOf(plan: Plan): string {
  const own = Object.entries(plan).flatMap(([name, value]) => (/Cond$|^Filter$/.test(name) ? [String(value)] : []));
  const below = (plan.Plans ?? []).filter((one) => /^Bitmap/.test(one['Node Type'])).map(conditionsOf);
  return [...own, ...below].join('\n');
}

/** Parts of a plan that read or insert rows of more than one connector. */
function spreadParts(plan: Plan, places: ReadonlyMap<string, number>): string[] {
  const { 'Relation Name': table, 'Node Type': type, Operation: operation, Plans: parts = [] } = plan;
  const found = parts.flatMap((part) => spreadParts(part, places));
  if (table === undefined || !places.has(table)) return found;
  if (type === 'ModifyTable') {
    const added = parts[0]?.Output?.[places.get(table)!];
    return operation === 'Insert' && !/^'?\d+\b|\bconnector$/.test(added ?? '')
      ? [...found, `${table} gets ${added}`]
      : found;
  }
  const named = /\bconnector = \d+\)/.test(conditionsOf(plan));
  return named ? found : [...found, `${type} of ${table}: ${conditionsOf(plan) || 'no condition'}`];
}

/** A Postgres store that records every statement on records that does not name a connector. */
async function recordedStore() {
  const spread = new Set<string>();
  const note = async (sql: string, values: readonly unknown[], query: RunStatement) => {
    if (!/^\s*(select|insert|update|delete|with)/.test(sql) || seen.has(sql)) return;
    seen.add(sql);
    if (acrossConnectors.some((known) => known.test(sql))) return;
    if (insertReadByOthers.test(sql)) spread.add(`an insert whose rows Citus copies to all workers\n${sql}`);
    const columns = await query<{ table: string; place: number }>(
      `select relname as table, attnum - 1 as place from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = current_schema()::regnamespace and relkind = 'r' and attname = 'connector'`,
    );
    const places = new Map(columns.map(({ table, place }) => [table, place]));
    if (![...places.keys()].some((table) => sql.includes(table))) return;
    // The planner infers equalities like Citus's planner, which uses them to send a statement to a single node.
    const [row] = await query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (verbose, format json) ${sql}`, values);
    for (const part of spreadParts(row!['QUERY PLAN'][0].Plan, places)) spread.add(`${part}\n${sql}`);
  };
  const pool = recordStatements(await emptyPostgres(), note);
  return { pool, spread };
}

it.each([...rankingCases, ...storageCases])('every statement names its connector: %s', async (_, check) => {
  const { pool, spread } = await recordedStore();
  await check(await newStore({ pool, ...semanticOptions() }));
  expect([...spread]).toEqual([]);
});

it('every statement of a migration of stored records names its connector', async () => {
  const { pool, spread } = await recordedStore();
  const store = await newStore({ pool, ...semanticOptions() });
  await store.write(notesCollection, sampleNotes, textsOf);
  const former = () =>
    pool.readTransaction(async (query) => {
      await acrossOrganizations(query);
      return query(`select term from terms where connector = 1 and scope = 'z\u00b7former'`);
    });
  await pool.writeTransaction(async (query) => {
    await acrossOrganizations(query);
    await query(`insert into terms (connector, scope, term) values (1, 'z\u00b7former', 'word')`);
    await query('drop table changes, change_moves, change_feeds, change_counter, change_openings');
    await query('alter table embedded drop column revision');
    await query('alter table if exists vectors_bytes drop column if exists revision');
    await query('delete from versions where version > 1');
  });
  expect(await former()).toHaveLength(1);
  await prepareTables(pool, [], 0);
  expect(await former()).toHaveLength(0);
  expect([...spread]).toEqual([]);
});

it('every statement in a search or deletion names its connector', async () => {
  const { pool, spread } = await recordedStore();
  const store = await newStore({ pool, entities: storedEntities });
  expect(await compareAll(store, 80)).toBeGreaterThanOrEqual(80);
  for (const connectorId of await store.connectors()) await store.removeConnector(connectorId);
  expect([...spread]).toEqual([]);
});

it('every statement of a summary names its connector', async () => {
  const { pool, spread } = await recordedStore();
  const store = await newStore({ pool, entities: storedEntities });
  expect(await compareSummaries(store, 60)).toBeGreaterThanOrEqual(60);
  expect([...spread]).toEqual([]);
});

it('every statement of an export and an import names its connector', async () => {
  const { pool, spread } = await recordedStore();
  const store = await newStore({ pool, ...semanticOptions() });
  await store.write(notesCollection, sampleNotes, textsOf);
  await embedAll(store);
  const lines: string[] = [];
  for await (const line of exportRecords(store)) lines.push(line);
  await store.remove(notesCollection, ['garage']);
  await importRecords(store, lines, () => textsOf);
  await store.removeConnector(notesCollection.connectorId);
  expect([...spread]).toEqual([]);
});
