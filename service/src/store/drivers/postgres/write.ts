import { columnNames, type Row, rowOf } from '../../rows.js';
import { type ColumnType, type Layout, ownColumns, quoted } from '../../schema.js';
import { type RecordTerms, termsOfRecord } from '../../terms.js';
import type { StoredRecord, Written } from '../../types.js';
import type { Query } from './connection.js';

const types: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  number: 'double precision',
  boolean: 'boolean',
  json: 'text',
};

/** So many characters of terms fit into what Postgres keeps of one record, with room for its own bookkeeping. */
const mostTerms = 700_000;

/** Writes a batch inside of a transaction. */
export async function write(
  query: Query,
  layout: Layout,
  connectorId: string,
  records: readonly StoredRecord[],
): Promise<Written> {
  const connector = await numberOf(query, connectorId);
  const rows = records.map((record) => ({ record, row: rowOf(layout, record) }));
  const stored = await query<{ id: string; hash: string }>(
    `select id, hash from ${quoted(layout.table)} where connector = $1 and id = any($2::text[])`,
    [connector, rows.map(({ row }) => row.id)],
  );
  const before = new Map(stored.map(({ id, hash }) => [id, hash]));
  const changed = rows.filter(({ row }) => before.get(row.id) !== row.hash);
  if (changed.length > 0) {
    const terms = changed.map(({ record }) => fitting(termsOfRecord(layout, connector, record), layout));
    await put(
      query,
      layout,
      connector,
      changed.map(({ row }) => row),
      terms,
    );
    await addTerms(query, terms);
  }
  const updated = changed.filter(({ row }) => before.has(row.id)).length;
  return { inserted: changed.length - updated, updated, unchanged: rows.length - changed.length };
}

async function numberOf(query: Query, connectorId: string): Promise<number> {
  await query('insert into connectors (connector_id) values ($1) on conflict do nothing', [connectorId]);
  // The lock keeps writers of one connector in turn, so that terms come to be seen in the order of their numbers.
  await query('lock table terms in share row exclusive mode');
  const [row] = await query<{ number: number }>('select number from connectors where connector_id = $1', [connectorId]);
  return row!.number;
}

function fitting(found: RecordTerms, { type, entity }: Layout): RecordTerms {
  if (found.terms.reduce((sum, term) => sum + term.length, 0) <= mostTerms) return found;
  throw new Error(`A record of ${type}.${entity} has more different words than Postgres can index.`);
}

async function put(
  query: Query,
  layout: Layout,
  connector: number,
  rows: readonly Row[],
  terms: readonly RecordTerms[],
): Promise<void> {
  const columns = layout.columns.flatMap(ownColumns);
  const names = ['id', 'hash', 'rest', ...columnNames(layout)];
  const values = [
    rows.map(({ id }) => id),
    rows.map(({ hash }) => hash),
    rows.map(({ rest }) => rest),
    ...columns.map((_, index) => rows.map(({ cells }) => cells[index] ?? null)),
    terms.map(({ terms: list }) => list.join(' ')),
  ];
  const kinds = ['text', 'text', 'text', ...columns.map(({ type }) => types[type]), 'text'];
  const lists = kinds.map((type, index) => `$${index + 2}::${type}[]`).join(', ');
  const given = [...names, 'terms'].map((name) => `given.${quoted(name)}${name === 'rest' ? '::jsonb' : ''}`);
  given[given.length - 1] = `array_to_tsvector(string_to_array(given."terms", ' '))`;
  const all = [...names, 'terms'].map(quoted);
  await query(
    `insert into ${quoted(layout.table)} (connector, ${all.join(', ')})
      select $1::integer, ${given.join(', ')} from unnest(${lists}) as given (${all.join(', ')})
      on conflict (connector, id) do update set ${all
        .slice(1)
        .map((name) => `${name} = excluded.${name}`)
        .join(', ')}`,
    [connector, ...values],
  );
}

async function addTerms(query: Query, found: readonly RecordTerms[]): Promise<void> {
  const words = new Map<string, Set<string>>();
  for (const { words: byScope } of found) {
    for (const [scope, terms] of byScope) {
      const all = words.get(scope) ?? new Set();
      for (const term of terms) all.add(term);
      words.set(scope, all);
    }
  }
  const pairs = [...words].flatMap(([scope, terms]) => [...terms].map((term) => [scope, term] as const));
  if (pairs.length === 0) return;
  await query(
    `insert into terms (scope, term) select given.scope, given.term from unnest($1::text[], $2::text[]) as given (scope, term)
      where not exists (select 1 from terms t where t.scope = given.scope collate "C" and t.term = given.term collate "C")
      on conflict do nothing`,
    [pairs.map(([scope]) => scope), pairs.map(([, term]) => term)],
  );
}
