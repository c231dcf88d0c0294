import { recordsOf } from '../../../passages/ranking.js';
import { contextOf, windowAround, withMargins } from '../../../passages/texts.js';
import type { PassageText } from '../../../passages/types.js';
import { quoted, storable, valueIn } from '../../../schema.js';
import type { Driver, PassageDriver } from '../../driver.js';
import type { ConnectionPool, Query } from '../connection.js';
import type { Reader } from '../read.js';
import { takeTurn } from '../write.js';
import { embed, isFar, noteEmbedded, unembedded } from './embed.js';
import { VectorIndexes } from './indexes.js';
import { textsOf, vectorsOf } from './kept-vectors.js';
import { rankByWords } from './lexical.js';
import { rankByVector } from './nearest.js';
import { searchedIn } from './scope.js';
import { forgetEmbedder, placeOf, type VectorForm } from './vectors.js';

/** Passages in Postgres, and what ends their work in the background. */
export interface PostgresPassages extends PassageDriver {
  close(): Promise<void>;
}

/** Opens the passages of a database whose tables are ready; `get` reads their records. */
export function passagesIn(
  pool: ConnectionPool,
  reader: Reader,
  form: VectorForm,
  get: Driver['get'],
): PostgresPassages {
  const indexes = new VectorIndexes(pool);
  return {
    lexical: (layout, scope, prompt) =>
      pool.reading(async (query) => {
        const searched = await searchedIn(query, reader, layout, scope);
        return searched ? rankByWords(query, searched, prompt, (words) => reader.learn(query, [words])) : [];
      }),
    nearest: (layout, scope, embedder, vector) =>
      pool.reading(async (query) => {
        const searched = await searchedIn(query, reader, layout, scope);
        const place = searched && (await placeOf(query, embedder));
        return { ranking: place ? await rankByVector(query, searched, place, form, vector) : [] };
      }),
    async read(layout, connectorId, found, window) {
      const passages = found.map(({ passage }) => passage);
      const [texts, records] = await Promise.all([
        pool.reading((query) => read(query, layout.table, connectorId, passages, window)),
        get(layout, connectorId, recordsOf(found)),
      ]);
      return { texts, records };
    },
    async unembedded(embedder, limit) {
      const found = await pool.reading((query) => unembedded(query, embedder, limit));
      if (isFar(found)) await pool.writing((query) => noteEmbedded(query, found));
      // Not before: each vector takes many times as long once it goes into an index too.
      if (found.many && found.place && form === 'halfvec') indexes.want(found.place);
      return found.passages;
    },
    async embed(embedder, vectors) {
      await pool.writing((query) => embed(query, embedder, vectors, form));
    },
    texts: (layout, connectorId, ids) => pool.reading((query) => textsOf(query, layout, connectorId, ids)),
    vectors: (passages) => pool.reading((query) => vectorsOf(query, passages, form)),
    dimensions: (embedder) => pool.reading(async (query) => (await placeOf(query, embedder))?.dimensions),
    keepEmbedders: (embedders) =>
      pool.writing(async (query) => {
        await takeTurn(query);
        const gone = await query<{ number: number }>('select number from embedders where id <> all($1::text[])', [
          embedders.map(storable),
        ]);
        for (const { number } of gone) await forgetEmbedder(query, number);
      }),
    count: ({ table }, connectorId, field, embedder) =>
      pool.reading(async (query) => {
        const [row] = await query<{ passages: string | number; embedded: string | number }>(
          `select f.passages, coalesce((
              select e.passages from embedded e join embedders m on m.number = e.embedder
                where e.connector = f.connector and e.field = f.number and m.id = $4), 0) as embedded
            from passage_fields f join connectors c on c.number = f.connector
            where c.connector_id = $1 and f.entity = $2 and f.field = $3`,
          [connectorId, table, field, embedder === undefined ? null : storable(embedder)],
        );
        return { passages: Number(row?.passages ?? 0), embedded: Number(row?.embedded ?? 0) };
      }),
    close: () => indexes.close(),
  };
}

interface Placed {
  readonly passage: string;
  readonly record: string;
  readonly start: number;
  readonly end: number;
  readonly length: number;
  readonly attribution: string;
}

async function read(
  query: Query,
  table: string,
  connectorId: string,
  passages: readonly number[],
  size: number,
): Promise<PassageText[]> {
  const placed = await query<Placed>(
    `select p.number::text as passage, r.id as record, p.first as start, p.behind as end,
        char_length(t.body) as length, p.attribution::text as attribution
      from passages p join field_texts t using (connector, field, record) join ${quoted(table)} r on r.rid = p.record
      where p.connector = (select number from connectors where connector_id = $1) and p.number = any($2::bigint[])`,
    [connectorId, passages],
  );
  const stretches = placed.map((one) => {
    const window = windowAround(one, size, one.length);
    return { window, read: withMargins(window, one.length) };
  });
  // Only the part that is shown is handed over: the whole may be long.
  const parts = await query<{ passage: string; part: string }>(
    `select p.number::text as passage, substr(t.body, given.start + 1, given.wanted) as part
      from unnest($1::bigint[], $2::integer[], $3::integer[]) as given (number, start, wanted)
      join passages p on p.number = given.number join field_texts t using (connector, field, record)`,
    [
      placed.map(({ passage }) => passage),
      stretches.map((one) => one.read.start),
      stretches.map((one) => one.read.end - one.read.start),
    ],
  );
  const partOf = new Map(parts.map(({ passage, part }) => [passage, part]));
  return placed.map((one, index) => {
    const { window, read: stretch } = stretches[index]!;
    return {
      passage: Number(one.passage),
      record: one.record,
      context: contextOf(partOf.get(one.passage)!, stretch, window, one),
      attribution: valueIn(one.attribution) as PassageText['attribution'],
    };
  });
}
