import type { EmbeddedPassage, StoredText } from '../../passages/types.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import type { RunStatement } from './connection.js';
import { enterConnector, ownRows } from './row-security.js';
import { decodeVector, type VectorForm, type VectorLocation } from './vectors.js';

/** Record texts that have been split into passages, with their passages in order. */
export async function textsOf(
  query: RunStatement,
  { table }: Layout,
  connectorId: string,
  ids: readonly string[],
): Promise<StoredText[]> {
  const rows = await query<Omit<StoredText, 'passages'> & { passages: string[] }>(
    `select r.id as record, f.field, t.hash as digest, array_agg(p.number::text order by p.first, p.number) as passages
      from passage_fields f join ${ownRows(table)} r on r.connector = f.connector
        join field_texts t on t.connector = f.connector and t.field = f.number and t.record = r.rid
        join ${ownRows('passages')} p on p.connector = f.connector and p.field = f.number and p.record = r.rid
      where f.connector = $1 and f.entity = $2 and r.id = any($3::text[])
      group by r.id, f.field, t.hash`,
    [await enterConnector(query, connectorId), table, ids],
  );
  return rows.map((row) => ({ ...row, passages: row.passages.map(Number) }));
}

/** All passage vectors, from any embedder. */
export async function vectorsOf(
  query: RunStatement,
  connectorId: string,
  passages: readonly number[],
  form: VectorForm,
): Promise<EmbeddedPassage[]> {
  const connector = await enterConnector(query, connectorId);
  const locations = await query<VectorLocation & { id: string }>(
    'select id, number as embedder, kept_in as table from embedders',
  );
  const embedded: EmbeddedPassage[] = [];
  const value = form === 'bytes' ? 'v.vector' : 'v.vector::text';
  for (const { id, embedder, table } of locations) {
    const rows = await query<{ passage: string; vector: string | Uint8Array }>(
      `select p.number::text as passage, ${value} as vector from passages p join ${quoteIdentifier(table)} v
          on v.connector = p.connector and v.field = p.field and v.embedder = $1 and v.record = p.record and v.passage = p.number
        where p.connector = $3 and p.number = any($2::bigint[])`,
      [embedder, passages, connector],
    );
    for (const { passage, vector } of rows) {
      embedded.push({ passage: Number(passage), embedder: id, vector: decodeVector(vector) });
    }
  }
  return embedded;
}
