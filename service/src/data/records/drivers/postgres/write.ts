import { setImmediate } from 'node:timers/promises';
import { deletedState, stateOf } from '../../changes/history.js';
import type { StoredRecord } from '../../entity.js';
import type { FieldText } from '../../passages/types.js';
import { columnNames, type Row, rowOf } from '../../rows.js';
import { type ColumnType, type Layout, ownColumns, quoteIdentifier } from '../../schema.js';
import { type RecordTerms, type TermsByScope, termsOfRecord } from '../../terms.js';
import type { WriteCounts } from '../../types.js';
import type { RunStatement } from './connection.js';
import { putHistory } from './history.js';
import { dropRecords, writeTexts } from './passage-writer.js';
import { enterConnector } from './row-security.js';
import type { TermWriter } from './term-writer.js';

const parameterTypes: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  number: 'double precision',
  boolean: 'boolean',
  json: 'text',
};

/** Maximum total length of a record's terms in characters, leaving room for Postgres's overhead. */
const maxTermCharacters = 700_000;

/** Records per statement. */
const batchSize = 500;

/** Long texts and terms are compressed with LZ4, the faster method, if the server supports it. */
const compression = `select set_config(name, 'lz4', true) from pg_settings
  where name = 'default_toast_compression' and 'lz4' = any(enumvals)`;

/**
 * How long a write waits for each lock, in milliseconds. Other processes may have several batches to write first, and
 * the server ends the transaction of a process that no longer responds well before that.
 */
const maxLockMs = 60_000;

type RowIds = ReadonlyArray<{ readonly id: string; readonly rid: string }>;

/** Writes a batch inside a transaction. */
export async function write(
  query: RunStatement,
  layout: Layout,
  connectorId: string,
  records: readonly StoredRecord[],
  texts: ReadonlyArray<readonly FieldText[]> | undefined,
  vocabulary: TermWriter,
  /** Time of the change in milliseconds since 1970; undefined if the records are only indexed again. */
  at: number | undefined,
): Promise<WriteCounts> {
  const isReindexing = at === undefined;
  await lockForWriting(query);
  const connector = await numberOf(query, layout, connectorId);
  const rows = records.map((record, index) => ({ record, row: rowOf(layout, record), texts: texts?.[index] ?? [] }));
  const stored = await query<{ id: string; rid: string; hash: string }>(
    `select id, rid::text as rid, hash from ${quoteIdentifier(layout.table)} where connector = $1 and id = any($2::text[])`,
    [connector, rows.map(({ row }) => row.id)],
  );
  const existing = new Map(stored.map((one) => [one.id, one]));
  const changed = rows.filter(({ row }) => isReindexing || existing.get(row.id)?.hash !== row.hash);
  const numbers = new Map(stored.map(({ id, rid }) => [id, rid]));
  if (changed.length > 0) {
    await query(compression);
    const words: TermsByScope[] = [];
    let pendingInsert: Promise<RowIds> = Promise.resolve([]);
    const collectIds = async (): Promise<void> => {
      for (const { id, rid } of await pendingInsert) numbers.set(id, rid);
    };
    try {
      for (let at = 0; at < changed.length; at += batchSize) {
        const part = changed.slice(at, at + batchSize);
        // Runs while the server processes the previous records.
        const terms = part.map(({ record }) => requireFits(termsOfRecord(layout, connector, record), layout));
        words.push(...terms.map((one) => one.words));
        await collectIds();
        const changedRows = part.map(({ row }) => row);
        pendingInsert = upsert(query, layout, connector, changedRows, terms);
        pendingInsert.catch(() => undefined);
        await setImmediate();
      }
    } finally {
      // No other query may run on the connection before this.
      await collectIds();
    }
    // Runs once for all records, which takes a quarter of the time.
    await query('select gin_clean_pending_list($1::regclass)', [quoteIdentifier(layout.words)]);
    await vocabulary.add(
      connector,
      words.flatMap((found) => [...found]),
    );
  }
  if (layout.semantic.length > 0 && (texts || !isReindexing)) {
    // If no texts are passed, the passages of changed records are outdated.
    const withTexts = texts ? rows : changed;
    const found = withTexts.map(({ row, record, texts: list }) => ({ row: numbers.get(row.id)!, record, texts: list }));
    await vocabulary.add(connector, [...(await writeTexts(query, layout, connector, found, isReindexing))]);
  }
  if (at !== undefined) {
    const states = changed.map(({ row, record }) => stateOf(layout, row.id, record));
    await putHistory(query, layout, connector, states, at);
  }
  const updated = changed.filter(({ row }) => existing.has(row.id)).length;
  return { inserted: changed.length - updated, updated, unchanged: rows.length - changed.length };
}

/** Deletes records inside a transaction and returns how many it deleted. */
export async function remove(
  query: RunStatement,
  layout: Layout,
  connectorId: string,
  ids: readonly string[],
  at: number,
): Promise<number> {
  await lockForWriting(query);
  const connector = await enterConnector(query, connectorId, layout);
  if (connector === undefined) return 0;
  const rows = await query<{ rid: string; id: string }>(
    `delete from ${quoteIdentifier(layout.table)} where connector = $1 and id = any($2::text[]) returning rid::text as rid, id`,
    [connector, ids],
  );
  const numbers = rows.map(({ rid }) => rid);
  if (rows.length > 0 && layout.semantic.length > 0) await dropRecords(query, layout, connector, numbers);
  const deleted = rows.map(({ id }) => deletedState(id));
  await putHistory(query, layout, connector, deleted, at);
  return rows.length;
}

/**
 * Waits for other writers, so that numbers become visible in order and nothing is written for a connector while it is
 * being deleted. Fails after `lockMs` milliseconds with SQLSTATE `lock_not_available`, as does any later statement of
 * the transaction that waits that long for a lock.
 */
export async function lockForWriting(query: RunStatement, lockMs = maxLockMs): Promise<void> {
  // Citus would also take the lock on every worker, so a single worker outage would block writes for all connectors.
  await query(`do $$ begin
    perform set_config('lock_timeout', '${lockMs}', true);
    perform set_config('citus.enable_ddl_propagation', 'off', true);
    lock table terms in share row exclusive mode;
    perform set_config('citus.enable_ddl_propagation', 'on', true);
  end $$`);
}

async function numberOf(query: RunStatement, layout: Layout, connectorId: string): Promise<number> {
  const known = await enterConnector(query, connectorId, layout);
  if (known !== undefined) return known;
  await query('insert into connectors (connector_id) values ($1) on conflict do nothing', [connectorId]);
  return (await enterConnector(query, connectorId, layout))!;
}

function requireFits(found: RecordTerms, { type, entity }: Layout): RecordTerms {
  if (found.terms.reduce((sum, term) => sum + term.length, 0) <= maxTermCharacters) return found;
  throw new Error(`A record of ${type}.${entity} has more distinct words than Postgres can index.`);
}

async function upsert(
  query: RunStatement,
  layout: Layout,
  connector: number,
  rows: readonly Row[],
  terms: readonly RecordTerms[],
): Promise<RowIds> {
  const columns = layout.columns.flatMap(ownColumns);
  const names = ['id', 'hash', 'rest', ...columnNames(layout)];
  const values = [
    rows.map(({ id }) => id),
    rows.map(({ hash }) => hash),
    rows.map(({ rest }) => rest),
    ...columns.map((_, index) => rows.map(({ cells }) => cells[index] ?? null)),
    terms.map(({ terms: list }) => list.join(' ')),
  ];
  const kinds = ['text', 'text', 'text', ...columns.map(({ type }) => parameterTypes[type]), 'text'];
  const lists = kinds.map((type, index) => `$${index + 2}::${type}[]`).join(', ');
  const given = [...names, 'terms'].map((name) => `given.${quoteIdentifier(name)}${name === 'rest' ? '::jsonb' : ''}`);
  given[given.length - 1] = `array_to_tsvector(string_to_array(given."terms", ' '))`;
  const all = [...names, 'terms'].map(quoteIdentifier);
  return query(
    `insert into ${quoteIdentifier(layout.table)} (connector, ${all.join(', ')})
      select $1::integer, ${given.join(', ')} from unnest(${lists}) as given (${all.join(', ')})
      on conflict (connector, id) do update set ${all
        .slice(1)
        .map((name) => `${name} = excluded.${name}`)
        .join(', ')} returning id, rid::text as rid`,
    [connector, ...values],
  );
}
