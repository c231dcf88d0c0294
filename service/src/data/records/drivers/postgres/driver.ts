import type { Driver, RecordPage } from '../../driver.js';
import type { IdentifiedRecord } from '../../entity.js';
import { digestsIn } from '../../external-text.js';
import { KnownTerms, recordsIn, rowReader } from '../../rows.js';
import { type Layout, quoteIdentifier, referenceMark } from '../../schema.js';
import { defaultSearchTimeoutMs } from '../../timeout.js';
import type { ConnectionPool, RunStatement } from './connection.js';
import { countNodes } from './distribute.js';
import {
  dropHistory,
  forgetChanges,
  forgetReaders,
  historyReaders,
  noteOpening,
  readHistory,
  settleHistory,
} from './history.js';
import { columnsOf } from './page.js';
import { dropAll } from './passage-writer.js';
import { openPassages } from './passages.js';
import { Reader } from './read.js';
import { enterConnector, enterNumber, ownRows } from './row-security.js';
import { SearchIndexes } from './search-indexes.js';
import { SearchLimits } from './search-limits.js';
import { Statistics } from './statistics.js';
import { Summaries } from './summaries.js';
import { prepareTables } from './tables.js';
import { TermWriter } from './term-writer.js';
import type { VectorForm } from './vectors.js';
import { lockForWriting, remove, write } from './write.js';

const withoutExtension =
  'This Postgres database does not have the extension pgvector 0.8 or newer: each process compares vectors in memory, which its first semantic search of a field fills. A field with more than 256 MB of vectors is read for every search, which takes seconds. Install pgvector and restart the service; vectors are then computed again.';
/** Maximum time to count the nodes of a cluster, in milliseconds. */
const nodesTimeoutMs = 10_000;

/** Opens the record store in a Postgres database. */
export async function openPostgres(
  pool: ConnectionPool,
  layouts: readonly Layout[],
  now: number,
  searchTimeoutMs = defaultSearchTimeoutMs,
): Promise<Driver> {
  let form: VectorForm;
  try {
    form = await prepareTables(pool, layouts, now);
    await pool.writeTransaction(async (query) => {
      // Otherwise, a write could get its position in between, and its cursor would count as unknown.
      await lockForWriting(query);
      await noteOpening(query);
    });
  } catch (error) {
    await pool.close();
    throw error;
  }
  const reader = new Reader();
  const summaries = new Summaries(reader);
  const knownTerms = new KnownTerms();
  const get: Driver['get'] = (layout, connectorId, ids) =>
    listRecords(pool, layout, connectorId, 'r.id = any($2::text[])', [ids]);
  const statistics = new Statistics(pool);
  const indexes = new SearchIndexes(pool);
  const searches = new SearchLimits(pool, searchTimeoutMs);
  const passages = openPassages(pool, searches, reader, form, get);
  return {
    passages,
    ...(form === 'bytes' && { slowVectors: withoutExtension }),
    async write(layout, connectorId, records, texts, at) {
      const { written, added } = await pool.writeTransaction(async (query) => {
        const vocabulary = new TermWriter(query, knownTerms);
        return {
          written: await write(query, layout, connectorId, records, texts, vocabulary, at),
          added: vocabulary.added,
        };
      });
      knownTerms.learn(added);
      await statistics.recordAdded(layout, written.inserted);
      return written;
    },
    async reindex(layout, connectorId, records, texts) {
      const added = await pool.writeTransaction(async (query) => {
        const vocabulary = new TermWriter(query, knownTerms);
        await write(query, layout, connectorId, records, texts, vocabulary, undefined);
        return vocabulary.added;
      });
      knownTerms.learn(added);
    },
    remove: (layout, connectorId, ids, at) =>
      pool.writeTransaction((query) => remove(query, layout, connectorId, ids, at)),
    history: (layout, connectorId, request) =>
      pool.readTransaction(async (query) =>
        readHistory(query, layout, await enterConnector(query, connectorId, layout), request),
      ),
    settleHistory: (layout, connectorId, at) =>
      pool.writeTransaction(async (query) => {
        await lockForWriting(query);
        const connector = await enterConnector(query, connectorId, layout);
        if (connector !== undefined) await settleHistory(query, layout, connector, at);
      }),
    async forgetChanges(before) {
      const rows = await pool.readTransaction((query) => query<{ number: number }>('select number from connectors'));
      for (const { number } of rows) {
        await pool.writeTransaction(async (query) => {
          await enterNumber(query, number);
          await forgetChanges(query, number, before);
        });
      }
    },
    historyReaders: (layout, connectorId) =>
      pool.readTransaction(async (query) => {
        const connector = await enterConnector(query, connectorId, layout);
        return connector === undefined ? [] : historyReaders(query, layout, connector);
      }),
    forgetReaders: (layout, connectorId, readers) =>
      pool.writeTransaction(async (query) => {
        await lockForWriting(query);
        const connector = await enterConnector(query, connectorId, layout);
        if (connector !== undefined) await forgetReaders(query, layout, connector, readers);
      }),
    // Indexes stay in place during loads, because other processes may search or load the same table.
    startLoad: async () => undefined,
    finishLoad: async () => undefined,
    removeConnector: (connectorId) => pool.writeTransaction((query) => removeConnector(query, layouts, connectorId)),
    async search(layout, connectorId, plan) {
      const attempt = (isFinal: boolean) =>
        searches.run(plan.requester ?? connectorId, (query) =>
          reader.search(query, layout, connectorId, plan, isFinal),
        );
      const first = await attempt(false);
      if (!('needed' in first)) return first;
      await indexes.build(layout, first.needed);
      return (await attempt(true)) as RecordPage;
    },
    countUpTo: (layout, connectorId, condition, maxScanned, requester = connectorId) =>
      searches.run(requester, (query) => summaries.countUpTo(query, layout, connectorId, condition, maxScanned)),
    describeEmpty: (layout, connectorId, request, requester = connectorId) =>
      searches.run(requester, (query) => summaries.describeEmpty(query, layout, connectorId, request)),
    place: (layout, connectorId, ref, requester = connectorId) =>
      searches.run(requester, (query) => summaries.place(query, layout, connectorId, ref)),
    summarize: (layout, connectorId, summary, requester = connectorId) =>
      searches.run(requester, (query) => summaries.summarize(query, layout, connectorId, summary)),
    get,
    records: (layout, connectorId, after, limit) =>
      listRecords(pool, layout, connectorId, `r.id > $2 order by r.id limit ${limit}`, [after]),
    ids: (layout, connectorId, after, limit) =>
      pool.readTransaction(async (query) => {
        const rows = await query<{ id: string }>(
          `select r.id from ${ownRows(layout.table)} r where r.connector = $1 and r.id > $2 order by r.id limit ${limit}`,
          [await enterConnector(query, connectorId, layout), after],
        );
        return rows.map(({ id }) => id);
      }),
    count: (layout, connectorId) =>
      pool.readTransaction(async (query) => {
        const rows = await query<{ count: string | number }>(
          `select count(*) as count from ${ownRows(layout.table)} r where r.connector = $1`,
          [await enterConnector(query, connectorId, layout)],
        );
        return Number(rows[0]!.count);
      }),
    references: (connectorId) =>
      pool.readTransaction(async (query) => digestsIn(await references(query, layouts, connectorId))),
    nodes: () => pool.readTransaction(countNodes, nodesTimeoutMs),
    connectors: () =>
      pool.readTransaction(async (query) => {
        const rows = await query<{ id: string }>('select connector_id as id from connectors order by connector_id');
        return rows.map(({ id }) => id);
      }),
    async close() {
      searches.close();
      await Promise.all([passages.close(), indexes.close()]);
      await pool.close();
    },
  };
}

async function removeConnector(query: RunStatement, layouts: readonly Layout[], connectorId: string): Promise<number> {
  await lockForWriting(query);
  const [row] = await query<{ number: number }>('delete from connectors where connector_id = $1 returning number', [
    connectorId,
  ]);
  if (!row) return 0;
  await enterNumber(query, row.number);
  let removed = 0;
  for (const { table } of layouts) {
    const rows = await query(`delete from ${quoteIdentifier(table)} where connector = $1 returning 1`, [row.number]);
    removed += rows.length;
  }
  await dropAll(query, row.number);
  await dropHistory(query, row.number);
  await query('delete from terms where connector = $1', [row.number]);
  return removed;
}

/** The object references in a connector's rows. */
async function references(query: RunStatement, layouts: readonly Layout[], connectorId: string): Promise<string[]> {
  const number = await enterConnector(query, connectorId);
  if (number === undefined) return [];
  const found: string[] = [];
  const add = async (table: string, value: string) => {
    const rows = await query<{ reference: string }>(
      `select ${value} as reference from ${quoteIdentifier(table)} where connector = $1 and strpos(${value}, $2) > 0`,
      [number, referenceMark],
    );
    for (const { reference } of rows) found.push(reference);
  };
  await add('field_texts', 'body');
  for (const { table, columns } of layouts) {
    for (const { field, type, stored, maxInline } of columns) {
      if (maxInline === undefined) continue;
      await add(table, type === 'json' ? `(rest ->> '${field.replaceAll("'", "''")}')` : quoteIdentifier(stored));
    }
  }
  return found;
}

function listRecords(
  pool: ConnectionPool,
  layout: Layout,
  connectorId: string,
  where: string,
  values: readonly unknown[],
): Promise<IdentifiedRecord[]> {
  return pool.readTransaction(async (query) => {
    const rows = await query<Readonly<Record<string, unknown>> & { readonly rid: string }>(
      `select r.id as rid, ${columnsOf(layout, undefined).join(', ')} from ${ownRows(layout.table)} r
        where r.connector = $1 and ${where}`,
      [await enterConnector(query, connectorId, layout), ...values],
    );
    const read = rowReader(layout, undefined);
    return rows.map((row) => ({ id: row.rid, record: recordsIn(`[${read(row)}]`)[0]! }));
  });
}
