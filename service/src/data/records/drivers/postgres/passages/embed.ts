import type { PassageVector, UnembeddedPassage } from '../../../passages/types.js';
import { quoted } from '../../../schema.js';
import type { Query } from '../connection.js';
import { comparedExactly } from './indexes.js';
import { placeFor, placeOf, type VectorForm, type VectorPlace, vectorBytes, vectorText } from './vectors.js';

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
  const place = await placeFor(query, id, dimensions, form);
  const given = [...new Map(vectors.map(({ passage, vector }) => [passage, vector]))];
  const passages = given.map(([passage]) => passage);
  // Locked in their order, so that nobody who removes some waits in a circle.
  await query('select 1 from passages where number = any($1::bigint[]) order by number for key share', [passages]);
  const made = form === 'bytes' ? `decode(given.vector, 'hex')` : `given.vector::halfvec(${dimensions})`;
  await query(
    `with kept as (
      insert into ${quoted(place.table)} (connector, field, embedder, record, passage, vector)
        select p.connector, p.field, $1::integer, p.record, p.number, ${made}
          from unnest($2::bigint[], $3::text[]) as given (passage, vector) join passages p on p.number = given.passage
        on conflict (connector, field, embedder, record, passage) do update set vector = excluded.vector
        returning connector, field, xmax = 0 as added
    )
    insert into embedded (connector, field, embedder, passages)
      select connector, field, $1::integer, count(*) from kept where added group by connector, field order by connector, field
      on conflict (connector, field, embedder) do update set passages = embedded.passages + excluded.passages`,
    [
      place.embedder,
      passages,
      given.map(([, vector]) => (form === 'bytes' ? vectorBytes(vector).toString('hex') : vectorText(vector))),
    ],
  );
}

/** Passages without a vector, and up to which one there are none. */
interface Unembedded {
  readonly passages: UnembeddedPassage[];
  readonly place: VectorPlace | undefined;
  readonly upTo: string;
  /** Whether there are none left, and vectors of a field are so many that they need an index. */
  readonly many: boolean;
}

/** Finds passages that an embedder has not been given, the oldest first. */
export async function unembedded(query: Query, id: string, limit: number): Promise<Unembedded> {
  const place = await placeOf(query, id);
  // Asked of each passage in turn, never joined: the first few that lack a vector are wanted, and all others need no look.
  const absent = place
    ? `and p.number > ${place.embeddedUpTo} and (
        select 1 from ${quoted(place.table)} v where v.connector = p.connector and v.field = p.field
          and v.embedder = ${place.embedder} and v.record = p.record and v.passage = p.number) is null`
    : '';
  const rows = await query<{ passage: string; text: string }>(
    `select p.number::text as passage, substr(t.body, p.first + 1, p.behind - p.first) as text from (
      select * from passages p where true ${absent} order by p.number limit ${limit}
    ) p join field_texts t using (connector, field, record) order by p.number`,
  );
  const passages = rows.map(({ passage, text }) => ({ passage: Number(passage), text }));
  if (passages[0]) return { passages, place, upTo: String(passages[0].passage - 1), many: false };
  const [many] = await query('select 1 from embedded where embedder = $1 and passages > $2 limit 1', [
    place?.embedder ?? null,
    comparedExactly,
  ]);
  const [newest] = await query<{ number: string | null }>('select max(number)::text as number from passages');
  return { passages, place, upTo: newest?.number ?? '0', many: many !== undefined };
}

/** Every so many passages it is noted that those before have been embedded, so that they are not gone through again. */
const noted = 2000;

/** Whether it is worth noting up to where an embedder has been given all passages. */
export const isFar = ({ place, upTo }: Unembedded): boolean =>
  place !== undefined && Number(upTo) - Number(place.embeddedUpTo) >= noted;

/** Notes it. Passages come to be seen in the order of their numbers, as only one process writes at a time. */
export async function noteEmbedded(query: Query, { place, upTo }: Unembedded): Promise<void> {
  await query('update embedders set embedded_up_to = greatest(embedded_up_to, $2::bigint) where number = $1', [
    place!.embedder,
    upTo,
  ]);
}
