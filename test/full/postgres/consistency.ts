import { expect } from 'vitest';
import { query } from './server.js';

/** Data stored in two tables must agree; each query returns the rows that differ. */
const inconsistencyQueries = [
  // Records without a connector, and passages without a record.
  `select 1 from "sample.notes" r where not exists (select 1 from connectors c where c.number = r.connector)`,
  `select 1 from passages p where not exists (
    select 1 from "sample.notes" r where r.rid = p.record and r.connector = p.connector)`,
  `select 1 from field_texts t where not exists (
    select 1 from passages p where p.connector = t.connector and p.field = t.field and p.record = t.record)`,
  `select 1 from passages p where not exists (
    select 1 from field_texts t where p.connector = t.connector and p.field = t.field and p.record = t.record
      and p.behind <= char_length(t.body))`,
  `select 1 from passage_fields f where (f.passages, f.tokens) <> (
    select count(*), coalesce(sum(length), 0) from passages p where p.connector = f.connector and p.field = f.number)`,
  `select 1 from passages p where not exists (
    select 1 from passage_fields f where f.connector = p.connector and f.number = p.field)`,
  `select 1 from (
      select connector, field, term, count(*) as found from passages, unnest(tsvector_to_array(terms)) term group by 1, 2, 3
    ) counted full join passage_terms t using (connector, field, term)
    where coalesce(counted.found, 0) <> coalesce(t.passages, 0)`,
];

const vectors = (table: string) => [
  `select 1 from ${table} v where not exists (
    select 1 from passages p where p.number = v.passage and p.record = v.record and p.field = v.field)`,
  `select 1 from (
      select connector, field, embedder, count(*) as found from ${table} group by 1, 2, 3
    ) counted full join embedded e using (connector, field, embedder)
    where coalesce(counted.found, 0) <> coalesce(e.passages, 0)`,
];

/** Checks that records, texts, passages, vectors and all counts agree with each other. */
export async function expectConsistent(databaseUrl: string): Promise<void> {
  const [vectorTable] = await query<{ name: string }>(
    databaseUrl,
    `select relname as name from pg_class where relkind = 'r' and relname like 'vectors\\_%'`,
  );
  for (const sql of [...inconsistencyQueries, ...(vectorTable ? vectors(vectorTable.name) : [])]) {
    expect(await query(databaseUrl, sql), sql).toEqual([]);
  }
}
