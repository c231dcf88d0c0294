import type { PassageVector, UnembeddedPassage } from '../../../passages/types.js';
import { quoteIdentifier } from '../../../schema.js';
import type { Query } from '../connection.js';
import { maxExactComparisons } from './indexes.js';
import {
  encodeVectorBytes,
  encodeVectorText,
  ensureLocation,
  findLocation,
  type VectorForm,
  type VectorLocation,
} from './vectors.js';

/** Keeps vectors of passages inside of a transaction that writes. */
export async function embed(
  query: Query,
  id: string,
  vectors: readonly PassageVector[],
  form: VectorForm,
): Promise<void> {
  const dimensions = vectors[0]?.vector.length;
  if (dimensions === undefined) return;
  if (vectors.some(({ vector }) => vector.length !== dimensions)) {
    throw new Error(`The embedder ${id} gave vectors of different lengths.`);
  }
  const location = await ensureLocation(query, id, dimensions, form);
  const vectorsByPassage = [...new Map(vectors.map(({ passage, vector }) => [passage, vector]))];
  const passages = vectorsByPassage.map(([passage]) => passage);
  // Locked in their order, so that nobody who removes some waits in a circle.
  await query('select 1 from passages where number = any($1::bigint[]) order by number for key share', [passages]);
  const vectorExpression = form === 'bytes' ? `decode(given.vector, 'hex')` : `given.vector::halfvec(${dimensions})`;
  await query(
    `with kept as (
      insert into ${quoteIdentifier(location.table)} (connector, field, embedder, record, passage, vector)
        select p.connector, p.field, $1::integer, p.record, p.number, ${vectorExpression}
          from unnest($2::bigint[], $3::text[]) as given (passage, vector) join passages p on p.number = given.passage
        on conflict (connector, field, embedder, record, passage) do update set vector = excluded.vector
        returning connector, field, xmax = 0 as added
    )
    insert into embedded (connector, field, embedder, passages)
      select connector, field, $1::integer, count(*) from kept where added group by connector, field order by connector, field
      on conflict (connector, field, embedder) do update set passages = embedded.passages + excluded.passages`,
    [
      location.embedder,
      passages,
      vectorsByPassage.map(([, vector]) =>
        form === 'bytes' ? encodeVectorBytes(vector).toString('hex') : encodeVectorText(vector),
      ),
    ],
  );
}

/** Passages without a vector, and up to which one there are none. */
interface UnembeddedBatch {
  readonly passages: UnembeddedPassage[];
  readonly location: VectorLocation | undefined;
  readonly upTo: string;
  /** Whether there are none left, and vectors of a field are so many that they need an index. */
  readonly needsIndex: boolean;
}

/** Finds passages that an embedder has not been given, the oldest first. */
export async function unembedded(query: Query, id: string, limit: number): Promise<UnembeddedBatch> {
  const location = await findLocation(query, id);
  // Asked of each passage in turn, never joined: the first few that lack a vector are wanted, and all others need no look.
  const missingVector = location
    ? `and p.number > ${location.embeddedUpTo} and (
        select 1 from ${quoteIdentifier(location.table)} v where v.connector = p.connector and v.field = p.field
          and v.embedder = ${location.embedder} and v.record = p.record and v.passage = p.number) is null`
    : '';
  const rows = await query<{ passage: string; text: string }>(
    `select p.number::text as passage, substr(t.body, p.first + 1, p.behind - p.first) as text from (
      select * from passages p where true ${missingVector} order by p.number limit ${limit}
    ) p join field_texts t using (connector, field, record) order by p.number`,
  );
  const passages = rows.map(({ passage, text }) => ({ passage: Number(passage), text }));
  if (passages[0]) return { passages, location, upTo: String(passages[0].passage - 1), needsIndex: false };
  const [large] = await query('select 1 from embedded where embedder = $1 and passages > $2 limit 1', [
    location?.embedder ?? null,
    maxExactComparisons,
  ]);
  const [newest] = await query<{ number: string | null }>('select max(number)::text as number from passages');
  return { passages, location, upTo: newest?.number ?? '0', needsIndex: large !== undefined };
}

/** Every so many passages it is noted that those before have been embedded, so that they are not gone through again. */
const checkpointInterval = 2000;

/** Whether it is worth noting up to where an embedder has been given all passages. */
export const shouldCheckpoint = ({ location, upTo }: UnembeddedBatch): boolean =>
  location !== undefined && Number(upTo) - Number(location.embeddedUpTo) >= checkpointInterval;

/** Notes it. Passages come to be seen in the order of their numbers, as only one process writes at a time. */
export async function saveCheckpoint(query: Query, { location, upTo }: UnembeddedBatch): Promise<void> {
  await query('update embedders set embedded_up_to = greatest(embedded_up_to, $2::bigint) where number = $1', [
    location!.embedder,
    upTo,
  ]);
}
