import type { Mark } from '../../dialect.js';
import type { RankedPassage } from '../../passages/types.js';
import { quoteIdentifier } from '../../schema.js';
import type { RunStatement } from './connection.js';
import { isIndexed, maxExactComparisons } from './passage-indexes.js';
import type { SearchScope } from './passage-scope.js';
import { ownRows } from './row-security.js';
import type { VectorCopies, VectorCopy } from './vector-copies.js';
import { cosineTo, encodeVectorText, normalize, type VectorForm, type VectorLocation } from './vectors.js';

interface NearestRow {
  readonly passage: string;
  readonly record: string;
  readonly score: number;
}

/** Number of neighbors that the index examines before the filter is applied. */
const defaultEfSearch = 200;
const maxEfSearch = 1000;

/** Finds the nearest passages, inside a transaction. */
export async function rankByVector(
  query: RunStatement,
  searchScope: SearchScope,
  location: VectorLocation,
  form: VectorForm,
  vector: Float32Array,
  copies: VectorCopies,
): Promise<RankedPassage[]> {
  if (vector.length !== location.dimensions) {
    throw new Error(
      `A ${vector.length}-dimensional vector cannot be compared with ${location.dimensions}-dimensional vectors.`,
    );
  }
  if (form === 'bytes') {
    if (!copies.fits(location, searchScope.passages)) return compareInProcess(query, searchScope, location, vector);
    const set = { ...location, connector: searchScope.connector, field: searchScope.field, tenant: searchScope.tenant };
    return copies.use(query, set, (copy) => rankInCopy(query, searchScope, location, vector, copy));
  }
  const indexed = (await exceedsExactLimit(query, searchScope, location)) && (await isIndexed(query, location));
  if (indexed) {
    await query(`set local hnsw.iterative_scan = relaxed_order`);
    await query(`set local hnsw.ef_search = ${Math.min(maxEfSearch, Math.max(defaultEfSearch, searchScope.limit))}`);
  }
  const values: unknown[] = [encodeVectorText(vector)];
  const mark: Mark = (value) => `$${values.push(value)}`;
  const distance = `v.vector <=> $1::halfvec(${location.dimensions})`;
  const rows = await query<NearestRow>(
    `select v.passage::text as passage, r.id as record, 1 - (${distance}) as score
      ${fromClause(searchScope, location, mark)}
      order by ${indexed ? distance : `(${distance}) + 0`} limit ${searchScope.limit}`,
    values,
  );
  return sortByScore(rows.map((row) => ({ ...row, passage: Number(row.passage) })));
}

function fromClause(searchScope: SearchScope, { table, embedder }: VectorLocation, mark: Mark): string {
  const { connector, field } = searchScope;
  // The numbers are inlined because the partial index covers a single embedder and the planner has to see which one.
  return `from ${quoteIdentifier(table)} v join ${ownRows(searchScope.table)} r on r.connector = v.connector and r.rid = v.record
    where v.connector = ${mark(connector)} and v.field = ${mark(field)} and v.embedder = ${embedder} ${searchScope.filter(mark)}`;
}

/** Whether the scope has too many passages for an exact comparison. */
async function exceedsExactLimit(
  query: RunStatement,
  searchScope: SearchScope,
  location: VectorLocation,
): Promise<boolean> {
  if (searchScope.passages <= maxExactComparisons || !searchScope.filtered)
    return searchScope.passages > maxExactComparisons;
  const values: unknown[] = [];
  const mark: Mark = (value) => `$${values.push(value)}`;
  const [row] = await query<{ count: string | number }>(
    `select count(*) as count from (select 1 ${fromClause(searchScope, location, mark)} limit ${maxExactComparisons + 1}) passages`,
    values,
  );
  return Number(row!.count) > maxExactComparisons;
}

/** Extra candidates for the exact comparison. */
const extraCandidates = 50;
/** Candidates of a search with a filter, before the records that match it are listed. */
const filteredCandidates = 1000;

/** Finds candidates in a copy of the vectors, and compares those that still exist and match exactly. */
async function rankInCopy(
  query: RunStatement,
  searchScope: SearchScope,
  location: VectorLocation,
  vector: Float32Array,
  copy: VectorCopy,
): Promise<RankedPassage[]> {
  const unit = normalize(vector);
  const wanted = searchScope.limit + extraCandidates;
  const best = (rows: readonly RankedPassage[]) => sortByScore(rows).slice(0, searchScope.limit);
  let records: readonly number[] | undefined;
  if (searchScope.filtered) {
    const count = Math.max(filteredCandidates, 2 * wanted);
    const candidates = await copy.nearest(unit, undefined, count);
    const rows = await compareExactly(query, searchScope, location, vector, candidates);
    if (rows.length >= wanted || candidates.length < count) return best(rows);
    records = await matchingRecords(query, searchScope);
  }
  const rank = async () => {
    const candidates = await copy.nearest(unit, records, wanted);
    return { candidates, rows: await compareExactly(query, searchScope, location, vector, candidates) };
  };
  const { candidates, rows } = await rank();
  const present = new Set(rows.map(({ passage }) => passage));
  const gone = candidates.filter((passage) => !present.has(passage));
  const isIncomplete = gone.length > 0 && copy.drop(new Set(gone));
  // Many vectors have been deleted since they were read and are crowding out others.
  const isCrowded = rows.length < searchScope.limit && candidates.length === wanted;
  if (!isIncomplete && !isCrowded) return best(rows);
  await copy.reload();
  return best((await rank()).rows);
}

/** Numbers of the records that a scope's filter matches. */
async function matchingRecords(query: RunStatement, { connector, table, filter }: SearchScope): Promise<number[]> {
  const values: unknown[] = [connector];
  const [row] = await query<{ records: string | null }>(
    `select string_agg(r.rid::text, ',') as records from ${ownRows(table)} r
      where r.connector = $1 ${filter((value) => `$${values.push(value)}`)}`,
    values,
  );
  return row?.records ? row.records.split(',').map(Number) : [];
}

/** Exact cosines of the passages that still exist and match the filter. */
async function compareExactly(
  query: RunStatement,
  { connector, field, table, filter }: SearchScope,
  { table: vectors, embedder }: VectorLocation,
  vector: Float32Array,
  passages: readonly number[],
): Promise<RankedPassage[]> {
  if (passages.length === 0) return [];
  const values: unknown[] = [connector, field, passages];
  const rows = await query<{ passage: string; record: string; vector: Uint8Array }>(
    `select v.passage::text as passage, r.id as record, v.vector
      from unnest($3::bigint[]) as given (passage)
        join ${ownRows('passages')} p on p.connector = $1 and p.number = given.passage
        join ${quoteIdentifier(vectors)} v on v.connector = p.connector and v.field = p.field
          and v.embedder = ${embedder} and v.record = p.record and v.passage = p.number
        join ${ownRows(table)} r on r.connector = v.connector and r.rid = v.record
      where v.connector = $1 and v.field = $2 ${filter((value) => `$${values.push(value)}`)}`,
    values,
  );
  const cosine = cosineTo(vector);
  return rows.map((row) => ({ passage: Number(row.passage), record: row.record, score: cosine(row.vector) }));
}

/** Vectors per read, limited so that other work gets a turn. */
const batchSize = 2000;

/** Reads all vectors of a field, if a copy of them would be too large. */
async function compareInProcess(
  query: RunStatement,
  searchScope: SearchScope,
  location: VectorLocation,
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
        ${fromClause(searchScope, location, mark)} and (v.record, v.passage) > (${mark(after[0])}::bigint, ${mark(after[1])}::bigint)
        order by v.record, v.passage limit ${batchSize}`,
      values,
    );
    const scored = rows.map((row) => ({
      passage: Number(row.passage),
      record: row.record,
      score: cosine(row.vector),
    }));
    best = sortByScore([...best, ...scored]).slice(0, searchScope.limit);
    const last = rows.at(-1);
    if (last) after = [last.rid, last.passage];
    more = rows.length === batchSize;
  }
  return best;
}

/** Sorts by score, best first; a zero vector has no direction, so it scores 0. */
const sortByScore = (found: readonly RankedPassage[]): RankedPassage[] =>
  found
    .map((one) => ({ ...one, score: Number.isNaN(one.score) ? 0 : one.score }))
    .sort((one, other) => other.score - one.score || one.passage - other.passage);
