import type { Mark } from '../../../dialect.js';
import type { RankedPassage } from '../../../passages/types.js';
import { quoted } from '../../../schema.js';
import type { Query } from '../connection.js';
import { comparedExactly, isIndexed } from './indexes.js';
import type { Searched } from './scope.js';
import { cosineTo, type VectorForm, type VectorPlace, vectorText } from './vectors.js';

interface Found {
  readonly passage: string;
  readonly record: string;
  readonly score: number;
}

/** Looks at so many neighbours in the index before the filter. */
const breadth = 200;
const broadest = 1000;

/** The nearest passages, inside of a transaction. */
export async function rankByVector(
  query: Query,
  searched: Searched,
  place: VectorPlace,
  form: VectorForm,
  vector: Float32Array,
): Promise<RankedPassage[]> {
  if (vector.length !== place.dimensions) {
    throw new Error(`A vector of ${vector.length} numbers cannot be compared with those of ${place.dimensions}.`);
  }
  if (form === 'bytes') return compareHere(query, searched, place, vector);
  const indexed = (await areMany(query, searched, place)) && (await isIndexed(query, place));
  if (indexed) {
    await query(`set local hnsw.iterative_scan = relaxed_order`);
    await query(`set local hnsw.ef_search = ${Math.min(broadest, Math.max(breadth, searched.limit))}`);
  }
  const values: unknown[] = [vectorText(vector)];
  const mark: Mark = (value) => `$${values.push(value)}`;
  const distance = `v.vector <=> $1::halfvec(${place.dimensions})`;
  const rows = await query<Found>(
    `select v.passage::text as passage, r.id as record, 1 - (${distance}) as score
      ${from(searched, place, mark)}
      order by ${indexed ? distance : `(${distance}) + 0`} limit ${searched.limit}`,
    values,
  );
  return ranked(rows.map((row) => ({ ...row, passage: Number(row.passage) })));
}

function from(searched: Searched, { table, embedder }: VectorPlace, mark: Mark): string {
  const { connector, field } = searched;
  // Plain numbers: the index is only of this embedder's vectors, which has to be seen when the search is planned.
  return `from ${quoted(table)} v join ${quoted(searched.table)} r on r.rid = v.record
    where v.connector = ${mark(connector)} and v.field = ${mark(field)} and v.embedder = ${embedder} ${searched.filter(mark)}`;
}

/** Whether more passages are searched than are best compared one by one. */
async function areMany(query: Query, searched: Searched, place: VectorPlace): Promise<boolean> {
  if (searched.passages <= comparedExactly || !searched.filtered) return searched.passages > comparedExactly;
  const values: unknown[] = [];
  const mark: Mark = (value) => `$${values.push(value)}`;
  const [row] = await query<{ count: string | number }>(
    `select count(*) as count from (select 1 ${from(searched, place, mark)} limit ${comparedExactly + 1}) passages`,
    values,
  );
  return Number(row!.count) > comparedExactly;
}

/** So many vectors are read at once, so that others have their turn between. */
const handful = 2000;

async function compareHere(
  query: Query,
  searched: Searched,
  place: VectorPlace,
  vector: Float32Array,
): Promise<RankedPassage[]> {
  const cosine = cosineTo(vector);
  let best: RankedPassage[] = [];
  let after: readonly [record: string, passage: string] = ['0', '0'];
  for (let more = true; more; ) {
    const values: unknown[] = [];
    const mark: Mark = (value) => `$${values.push(value)}`;
    const rows = await query<{ passage: string; rid: string; record: string; vector: Uint8Array }>(
      `select v.passage::text as passage, v.record::text as rid, r.id as record, v.vector
        ${from(searched, place, mark)} and (v.record, v.passage) > (${mark(after[0])}::bigint, ${mark(after[1])}::bigint)
        order by v.record, v.passage limit ${handful}`,
      values,
    );
    const found = rows.map((row) => ({
      passage: Number(row.passage),
      record: row.record,
      score: cosine(row.vector),
    }));
    best = ranked([...best, ...found]).slice(0, searched.limit);
    const last = rows.at(-1);
    if (last) after = [last.rid, last.passage];
    more = rows.length === handful;
  }
  return best;
}

/** The best first; a vector of zeros points nowhere. */
const ranked = (found: readonly RankedPassage[]): RankedPassage[] =>
  found
    .map((one) => ({ ...one, score: Number.isNaN(one.score) ? 0 : one.score }))
    .sort((one, other) => other.score - one.score || one.passage - other.passage);
