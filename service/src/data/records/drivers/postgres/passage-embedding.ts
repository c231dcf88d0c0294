import { headOf } from '../../external-text.js';
import type { PassageVector, TextSpan, UnembeddedPassage } from '../../passages/types.js';
import { quoteIdentifier, referenceMark } from '../../schema.js';
import type { RunStatement } from './connection.js';
import { maxExactComparisons } from './passage-indexes.js';
import {
  encodeVectorBytes,
  encodeVectorText,
  ensureLocation,
  findLocation,
  type VectorForm,
  type VectorLocation,
} from './vectors.js';

/** Stores passage vectors inside a write transaction. */
export async function embed(
  query: RunStatement,
  id: string,
  vectors: readonly PassageVector[],
  form: VectorForm,
): Promise<void> {
  const dimensions = vectors[0]?.vector.length;
  if (dimensions === undefined) return;
  if (vectors.some(({ vector }) => vector.length !== dimensions)) {
    throw new Error(`The embedder ${id} returned vectors of different lengths.`);
  }
  const location = await ensureLocation(query, id, dimensions, form);
  const vectorOf = new Map(vectors.map(({ passage, vector }) => [String(passage), vector]));
  const found = await query<{ connector: number; passages: string[] }>(
    `select connector, array_agg(number::text) as passages from passages where number = any($1::bigint[])
      group by connector order by connector`,
    [[...vectorOf.keys()]],
  );
  for (const { connector, passages } of found) {
    const given = passages.map((passage): [string, Float32Array] => [passage, vectorOf.get(passage)!]);
    await embedOf(query, connector, location, given, form);
  }
}

/** Stores vectors for the passages of one connector. */
async function embedOf(
  query: RunStatement,
  connector: number,
  { embedder, dimensions, table }: VectorLocation,
  vectors: ReadonlyArray<readonly [passage: string, vector: Float32Array]>,
  form: VectorForm,
): Promise<void> {
  const passages = vectors.map(([passage]) => passage);
  // Locked in a fixed order to avoid deadlocks with deletions.
  const locked = await query<{ field: number }>(
    'select field from passages where connector = $1 and number = any($2::bigint[]) order by number for key share',
    [connector, passages],
  );
  if (form === 'bytes') {
    // Locks the rows until the transaction ends, so that revisions become visible in order.
    await query(
      `insert into embedded (connector, field, embedder, passages, revision)
        select $1::integer, given.field, $2::integer, 0, 1 from unnest($3::integer[]) as given (field)
        on conflict (connector, field, embedder) do update set revision = embedded.revision + 1`,
      [connector, embedder, [...new Set(locked.map(({ field }) => field))].sort((one, other) => one - other)],
    );
  }
  const columns = form === 'bytes' ? ['vector', 'revision'] : ['vector'];
  const [values, revisions] =
    form === 'bytes'
      ? [
          `decode(given.vector, 'hex'), e.revision`,
          'join embedded e on e.connector = p.connector and e.field = p.field and e.embedder = $2',
        ]
      : [`given.vector::halfvec(${dimensions})`, ''];
  const kept = await query<{ field: number; added: boolean }>(
    `insert into ${quoteIdentifier(table)} (connector, field, embedder, record, passage, ${columns.join(', ')})
      select p.connector, p.field, $2::integer, p.record, p.number, ${values}
        from unnest($3::bigint[], $4::text[]) as given (passage, vector)
          join passages p on p.connector = $1 and p.number = given.passage ${revisions}
      on conflict (connector, field, embedder, record, passage)
        do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
      returning field, xmax = 0 as added`,
    [
      connector,
      embedder,
      passages,
      vectors.map(([, vector]) =>
        form === 'bytes' ? encodeVectorBytes(vector).toString('hex') : encodeVectorText(vector),
      ),
    ],
  );
  const added = new Map<number, number>();
  for (const one of kept) if (one.added) added.set(one.field, (added.get(one.field) ?? 0) + 1);
  const fields = [...added.keys()].sort((one, other) => one - other);
  if (fields.length === 0) return;
  await query(
    `insert into embedded (connector, field, embedder, passages)
      select $1::integer, given.field, $2::integer, given.passages from unnest($3::integer[], $4::bigint[]) as given (field, passages)
      on conflict (connector, field, embedder) do update set passages = embedded.passages + excluded.passages`,
    [connector, embedder, fields, fields.map((field) => added.get(field))],
  );
}

/**
 * Embedding progress of one field of a connector: the checkpoint below which all passages are embedded, and their
 * count.
 */
interface FieldProgress {
  readonly connector: number;
  readonly field: number;
  readonly upTo: string;
  readonly embedded: string;
  readonly missing: boolean;
}

/** Passages without a vector, and fields with a new checkpoint. */
interface UnembeddedBatch {
  readonly passages: UnembeddedPassage[];
  readonly location: VectorLocation | undefined;
  readonly checkpoints: ReadonlyArray<Pick<FieldProgress, 'connector' | 'field' | 'upTo'>>;
  /** True if no passages are left to embed and a field has enough vectors to need an index. */
  readonly needsIndex: boolean;
}

/** Number of fields read in parallel. */
const maxFieldsAtOnce = 8;

/**
 * Finds passages not embedded yet: the oldest ones in the fields with the fewest left, so a small field never waits
 * long for a large one.
 */
export async function unembedded(query: RunStatement, id: string, limit: number): Promise<UnembeddedBatch> {
  const location = await findLocation(query, id);
  const fields = await query<FieldProgress>(
    `select f.connector, f.number as field, coalesce(e.up_to, 0)::text as "upTo", coalesce(e.passages, 0)::text as embedded,
        f.passages > coalesce(e.passages, 0) as missing
      from passage_fields f left join embedded e on e.connector = f.connector and e.field = f.number and e.embedder = $1
      where f.passages > coalesce(e.passages, 0) or e.passages > $2
      order by f.passages - coalesce(e.passages, 0), f.connector, f.number`,
    [location?.embedder ?? 0, maxExactComparisons],
  );
  const found: UnembeddedPassage[] = [];
  const checkpoints: UnembeddedBatch['checkpoints'][number][] = [];
  for (const { connector, field, upTo } of fields.filter(({ missing }) => missing).slice(0, maxFieldsAtOnce)) {
    const oldest = await unembeddedOf(query, { connector, field, upTo }, location, limit);
    found.push(...oldest);
    const before = (oldest[0]?.passage ?? 0) - 1;
    if (before - Number(upTo) >= checkpointInterval) checkpoints.push({ connector, field, upTo: String(before) });
  }
  const passages = found.sort((one, other) => one.passage - other.passage).slice(0, limit);
  const needsIndex = passages.length === 0 && fields.some(({ embedded }) => Number(embedded) > maxExactComparisons);
  return { passages, location, checkpoints, needsIndex };
}

/** Counts passages not embedded yet, using the stored totals per field. */
export async function countUnembedded(query: RunStatement, id: string): Promise<number> {
  const location = await findLocation(query, id);
  const [sum] = await query<{ waiting: string | null }>(
    `select sum(f.passages - coalesce(e.passages, 0))::text as waiting from passage_fields f
      left join embedded e on e.connector = f.connector and e.field = f.number and e.embedder = $1`,
    [location?.embedder ?? 0],
  );
  return Number(sum?.waiting ?? 0);
}

/** The oldest passages of one field. */
async function unembeddedOf(
  query: RunStatement,
  { connector, field, upTo }: Pick<FieldProgress, 'connector' | 'field' | 'upTo'>,
  location: VectorLocation | undefined,
  limit: number,
): Promise<UnembeddedPassage[]> {
  // A correlated subquery rather than a join: only the first few missing vectors are needed, and the rest need not be
  // read.
  const missingVector = location
    ? `and (
        select 1 from ${quoteIdentifier(location.table)} v where v.connector = $1 and v.field = p.field
          and v.embedder = ${location.embedder} and v.record = p.record and v.passage = p.number) is null`
    : '';
  const rows = await query<TextSpan & { passage: string; text: string; reference: string | null }>(
    `select p.number::text as passage, p.first as start, p.behind as end,
        substr(t.body, p.first + 1, p.behind - p.first) as text,
        case when strpos(t.body, $4) > 0 then t.body end as reference from (
      select * from passages p where p.connector = $1 and p.field = $2 and p.number > $3::bigint ${missingVector}
        order by p.number limit ${limit}
    ) p join field_texts t on t.connector = $1 and t.field = p.field and t.record = p.record order by p.number`,
    [connector, field, upTo, referenceMark],
  );
  const [row] = await query<{ id: string }>('select connector_id as id from connectors where number = $1', [connector]);
  return rows.map(({ passage, text, reference, start, end }) => ({
    passage: Number(passage),
    text: reference === null ? text : headOf(reference),
    ...(reference !== null && row && { external: { connectorId: row.id, reference, start, end } }),
  }));
}

/** A checkpoint is saved after this many embedded passages, so they are not scanned again. */
const checkpointInterval = 2000;

/** Saves checkpoints. Passage numbers become visible in order, as only one process writes at a time. */
export async function saveCheckpoints(query: RunStatement, { location, checkpoints }: UnembeddedBatch): Promise<void> {
  for (const { connector, field, upTo } of checkpoints) {
    await query(
      `update embedded set up_to = greatest(up_to, $4::bigint) where connector = $1 and field = $2 and embedder = $3`,
      [connector, field, location!.embedder, upTo],
    );
  }
}
