import type { Driver, PassageDriver } from '../../driver.js';
import { notConfigured, parseReference } from '../../external-text.js';
import { contextOf, recordsOf, windowAround, withMargins } from '../../passages/hits.js';
import type { PassageText } from '../../passages/types.js';
import { escapeText, parseCanonicalText, referenceMark } from '../../schema.js';
import type { ConnectionPool, RunStatement } from './connection.js';
import { rankByVector } from './nearest.js';
import { countUnembedded, embed, saveCheckpoints, unembedded } from './passage-embedding.js';
import { VectorIndexes } from './passage-indexes.js';
import { rankByWords, statisticsOf } from './passage-lexical.js';
import { resolveScope, type SearchScope } from './passage-scope.js';
import type { Reader } from './read.js';
import { acrossOrganizations, enterConnector, ownRows } from './row-security.js';
import type { SearchLimits } from './search-limits.js';
import { textsOf, vectorsOf } from './stored-vectors.js';
import { markIndexed, outdatedShape } from './tables.js';
import { VectorCopies } from './vector-copies.js';
import { dropEmbedder, findLocation, type VectorForm } from './vectors.js';
import { lockForWriting } from './write.js';

/** The Postgres passage driver; `close` stops its background work. */
export interface PostgresPassages extends PassageDriver {
  close(): Promise<void>;
}

/** Opens the passages in a database that already has the tables; `get` reads the passages' records. */
export function openPassages(
  pool: ConnectionPool,
  searches: SearchLimits,
  reader: Reader,
  form: VectorForm,
  get: Driver['get'],
): PostgresPassages {
  const indexes = new VectorIndexes(pool);
  const copies = new VectorCopies();
  return {
    isOutdated: (layout) => pool.readTransaction(async (query) => (await outdatedShape(query, layout)) !== undefined),
    markIndexed: (layout) => pool.writeTransaction((query) => markIndexed(query, layout)),
    words: (layout, { fields, ...scope }, prompt) =>
      searches.run(scope.requester ?? scope.connectorId, async (query) => {
        const scopes: Array<SearchScope | undefined> = [];
        for (const field of fields) {
          scopes.push(await resolveScope(query, reader, layout, { ...scope, field, condition: undefined, limit: 0 }));
        }
        return statisticsOf(query, scopes, prompt, (connector, words) =>
          reader.loadVocabularies(query, connector, [words]),
        );
      }),
    lexical: (layout, scope, words) =>
      searches.run(scope.requester ?? scope.connectorId, async (query) => {
        const searchScope = await resolveScope(query, reader, layout, scope);
        return searchScope ? rankByWords(query, searchScope, words) : [];
      }),
    first: ({ table }, connectorId, field, records) =>
      pool.readTransaction(async (query) => {
        const rows = await query<{ passage: string; record: string }>(
          `select min(p.number)::text as passage, r.id as record
            from ${ownRows(table)} r join ${ownRows('passages')} p on p.connector = r.connector and p.record = r.rid
              join passage_fields f on f.connector = p.connector and f.number = p.field
            where r.connector = $1 and f.entity = $2 and f.field = $3 and r.id = any($4::text[]) group by r.id`,
          [await enterConnector(query, connectorId), table, field, records],
        );
        return rows.map(({ passage, record }) => ({ passage: Number(passage), record }));
      }),
    nearest: (layout, scope, { embedder, vector }) =>
      searches.run(scope.requester ?? scope.connectorId, async (query) => {
        const searchScope = await resolveScope(query, reader, layout, scope);
        const location = searchScope && (await findLocation(query, embedder));
        return location ? rankByVector(query, searchScope, location, form, vector, copies) : [];
      }),
    async read(layout, connectorId, found, window) {
      const passages = found.map(({ passage }) => passage);
      const [texts, records] = await Promise.all([
        pool.readTransaction((query) => read(query, layout.table, connectorId, passages, window)),
        get(layout, connectorId, recordsOf(found)),
      ]);
      return { texts, records };
    },
    async unembedded(embedder, limit) {
      const found = await pool.readTransaction(async (query) => {
        await acrossOrganizations(query);
        return unembedded(query, embedder, limit);
      });
      if (found.location && found.checkpoints.length > 0) {
        await pool.writeTransaction(async (query) => {
          await acrossOrganizations(query);
          await saveCheckpoints(query, found);
        });
      }
      // Create the index only now: inserting into an indexed table is many times slower per vector.
      if (found.needsIndex && found.location && form === 'halfvec') indexes.requestIndex(found.location);
      return found.passages;
    },
    countUnembedded: (embedder) =>
      pool.readTransaction(async (query) => {
        await acrossOrganizations(query);
        return countUnembedded(query, embedder);
      }),
    async embed(embedder, vectors) {
      await pool.writeTransaction(async (query) => {
        await acrossOrganizations(query);
        await embed(query, embedder, vectors, form);
      });
    },
    texts: (layout, connectorId, ids) => pool.readTransaction((query) => textsOf(query, layout, connectorId, ids)),
    vectors: (connectorId, passages) => pool.readTransaction((query) => vectorsOf(query, connectorId, passages, form)),
    dimensions: (embedder) => pool.readTransaction(async (query) => (await findLocation(query, embedder))?.dimensions),
    keepEmbedders: (embedders) =>
      pool.writeTransaction(async (query) => {
        await lockForWriting(query);
        await acrossOrganizations(query);
        const removed = await query<{ number: number }>('select number from embedders where id <> all($1::text[])', [
          embedders.map(escapeText),
        ]);
        for (const { number } of removed) await dropEmbedder(query, number);
      }),
    count: ({ table }, connectorId, field, embedder) =>
      pool.readTransaction(async (query) => {
        const location = embedder === undefined ? undefined : await findLocation(query, embedder);
        const [row] = await query<{ passages: string | number; embedded: string | number }>(
          `select f.passages, coalesce(e.passages, 0) as embedded from passage_fields f
              left join embedded e on e.connector = f.connector and e.field = f.number and e.embedder = $4
            where f.connector = $1 and f.entity = $2 and f.field = $3`,
          [await enterConnector(query, connectorId), table, field, location?.embedder ?? 0],
        );
        return { passages: Number(row?.passages ?? 0), embedded: Number(row?.embedded ?? 0) };
      }),
    close: () => indexes.close(),
  };
}

interface PassageRow {
  readonly passage: string;
  readonly record: string;
  readonly start: number;
  readonly end: number;
  readonly length: number;
  readonly attribution: string;
  /** The reference if the text is stored as an object. */
  readonly reference: string | null;
}

async function read(
  query: RunStatement,
  table: string,
  connectorId: string,
  passages: readonly number[],
  size: number,
): Promise<PassageText[]> {
  const connector = await enterConnector(query, connectorId);
  const rows = await query<PassageRow>(
    `select p.number::text as passage, r.id as record, p.first as start, p.behind as end,
        char_length(t.body) as length, p.attribution::text as attribution,
        case when strpos(t.body, $3) > 0 then t.body end as reference
      from ${ownRows('passages')} p join field_texts t using (connector, field, record)
        join ${ownRows(table)} r on r.connector = p.connector and r.rid = p.record
      where p.connector = $1 and p.number = any($2::bigint[])`,
    [connector, passages, referenceMark],
  );
  const windows = rows.map((one) => {
    const length = (one.reference !== null && parseReference(one.reference)?.length) || one.length;
    const window = windowAround(one, size, length);
    return { window, read: withMargins(window, length) };
  });
  // Fetch only the part that is shown, as the whole text may be long.
  const parts = await query<{ passage: string; part: string }>(
    `select p.number::text as passage, substr(t.body, given.start + 1, given.wanted) as part
      from unnest($2::bigint[], $3::integer[], $4::integer[]) as given (number, start, wanted)
      join ${ownRows('passages')} p on p.number = given.number join field_texts t using (connector, field, record)
      where p.connector = $1`,
    [
      connector,
      rows.map(({ passage }) => passage),
      windows.map((one) => one.read.start),
      windows.map((one) => one.read.end - one.read.start),
    ],
  );
  const partOf = new Map(parts.map(({ passage, part }) => [passage, part]));
  return rows.map((one, index) => {
    const { window, read: span } = windows[index]!;
    const { start, end, reference } = one;
    return {
      passage: Number(one.passage),
      record: one.record,
      ...(reference === null
        ? contextOf(partOf.get(one.passage)!, span, window, one)
        : { context: notConfigured, before: 0, external: { reference, read: span, window, passage: { start, end } } }),
      attribution: parseCanonicalText(one.attribution) as PassageText['attribution'],
    };
  });
}
