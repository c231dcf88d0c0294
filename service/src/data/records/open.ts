import { ConnectorError, suggestion } from 'agent-connectors';
import { invalidParams, type ParsedQuery, type ParsedSearch, parseSearch } from 'agent-connectors/search';
import type { Requester } from '../../common/fair-queue.js';
import { Binder, bindPrompt, bindQuery, bindSummary, bothOf, FaultCollector, isVisible, visibleTo } from './bind.js';
import { type HistoryRequest, newestCursor, readChanges } from './changes/page.js';
import { Cursors } from './cursor.js';
import type { Driver, RecordPage } from './driver.js';
import type { External } from './drivers/external.js';
import { openSqlite } from './drivers/sqlite/driver.js';
import type { Collection, StoredRecord } from './entity.js';
import { isIncomplete } from './external-text.js';
import { searchableIn } from './keys.js';
import { EmbedderSelector, embedPrompt, PromptVectors } from './passages/prompt.js';
import {
  entityStatistics,
  rankEntity,
  readHits,
  type SemanticScope,
  semanticSearch,
} from './passages/semantic-search.js';
import { batches, batchRecords } from './passages/split-passages.js';
import { PathCheck } from './path-check.js';
import type { Condition } from './plan.js';
import { RecordsJson } from './records-json.js';
import { ranksOf } from './relevance.js';
import { boundedId, idOf, keyOf } from './rows.js';
import { columnsOf, type Layout, lackingIn, layoutOf } from './schema.js';
import { extentOf } from './search-extent.js';
import { SearchNotStarted, SearchTimeout } from './timeout.js';
import type { Store, StoreOptions, WriteCounts } from './types.js';

const streamPageSize = 1000;
/** Maximum length of a text stored in the database, in code units, if there is an object store. */
const defaultMaxInline = 16_384;
/** Number of records whose texts are split again at a time, between other writes. */
const indexBatchSize = 200;

/** Opens the store; rejects a folder or database from a newer release. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { objects: place, maxInline = defaultMaxInline } = options;
  const layouts = options.entities.map((entity) => layoutOf(entity, place && maxInline));
  const cursors = new Cursors(options.cursorKeys);
  const rows = await openDriver(options, layouts);
  if (!place) return createStore(rows, layouts, cursors, options);
  // Loaded on demand.
  const { openExternal } = await import('./drivers/external.js');
  const external = openExternal(rows, place, options.graceMs);
  return createStore(external.driver, layouts, cursors, options, external);
}

async function openDriver(options: StoreOptions, layouts: readonly Layout[]): Promise<Driver> {
  const { folder, databaseUrl, pool, now = Date.now, readers = 3, worker, searchTimeoutMs } = options;
  if ([folder, databaseUrl, pool].filter((location) => location !== undefined).length !== 1) {
    throw new Error('A store needs either a folder or a Postgres database.');
  }
  if (folder !== undefined) return openSqlite({ folder, layouts, now: now(), readers, worker, searchTimeoutMs });
  // Loaded on demand.
  const { connectTo } = await import('./drivers/postgres/connection.js');
  const { openPostgres } = await import('./drivers/postgres/driver.js');
  return openPostgres(pool ?? (await connectTo(databaseUrl!)), layouts, now(), searchTimeoutMs);
}

function createStore(
  driver: Driver,
  layouts: readonly Layout[],
  cursors: Cursors,
  { entities, embedders = [], now = Date.now }: StoreOptions,
  external?: External,
): Store {
  let changes = 0;
  let closing = false;
  /** Entities whose texts are known to be split and indexed by the current rules. */
  const indexed = new Set<Layout>();
  const noteChange = () => {
    changes += 1;
  };
  const embedderSelector = new EmbedderSelector(driver, embedders, () => changes);
  const prompts = new PromptVectors();
  const paths = new PathCheck(driver);
  const layoutFor = ({ type, entity }: Pick<Collection, 'type' | 'entity'>): Layout => {
    const layout = layouts.find((one) => one.type === type && one.entity === entity);
    if (layout) return layout;
    const known = layouts.filter((one) => one.type === type).map((one) => one.entity);
    throw new ConnectorError(
      'unknown_entity',
      `${type} has no searchable entity '${entity}'. ${suggestion(entity, known, 'names')}`,
    );
  };
  const { passages } = driver;
  const semanticScope = (
    layout: Layout,
    { connectorId }: Collection,
    requester: Requester | undefined,
  ): SemanticScope => {
    const embed: SemanticScope['embed'] = (plan) =>
      embedPrompt({ layout, connectorId, embedderSelector, prompts }, plan);
    return { passages, layout, connectorId, requester, embed, hasVectors: embedders.length > 0 };
  };
  const accept = <S extends ParsedSearch>(
    request: Collection & ({ readonly search: S } | { readonly params: unknown }),
  ) => {
    const { connectorId, type, entity, readers } = request;
    const layout = layoutFor(request);
    const search = 'search' in request ? request.search : parse(layout, request.params);
    return { layout, collection: { connectorId, type, entity, readers }, search };
  };
  const parse = (layout: Layout, params: unknown): ParsedSearch => {
    const parsed = parseSearch(params, searchableIn(entities[layouts.indexOf(layout)]!));
    if ('search' in parsed) return parsed.search;
    throw invalidParams(`${layout.entity}.context_store_search`, parsed.issues);
  };
  /** Binds a search, checks its paths against the replica, and decides the conditions on texts stored as objects. */
  const bind = async <P extends { readonly condition?: Condition | undefined }>(
    layout: Layout,
    connectorId: string,
    requester: Requester | undefined,
    bound: (binder: Binder) => P,
  ): Promise<P> => {
    const faults = new FaultCollector();
    const plan = bound(new Binder(layout, faults, now()));
    faults.throwIfAny(layout);
    if (faults.innerPaths.length > 0) await paths.check(layout, connectorId, faults, requester).catch(asTimeoutError);
    if (!external || !plan.condition) return plan;
    const scope = { layout, connectorId, requester };
    return { ...plan, condition: await external.decide(scope, plan.condition).catch(asTimeoutError) };
  };
  const findPage = async <Records>(
    { layout, collection, search, requester }: PageRequest,
    find: (...search: Parameters<Driver['search']>) => Promise<RecordPage<Records>>,
  ) => {
    const started = performance.now();
    const { connectorId } = collection;
    const visible = visibleTo(layout, collection);
    const plan = await bind(layout, connectorId, requester, (binder) => bindQuery(search, binder));
    const scope = { collection, query: search.source };
    const after = search.cursor === undefined ? undefined : cursors.read(search.cursor, scope, layout);
    const condition = bothOf(visible, plan.condition);
    const ranks = plan.sort.length > 0 || !plan.condition ? [] : ranksOf(plan.condition);
    const byRelevance = ranks.length > 1 && { ranks: ranks.map((rank) => bothOf(visible, rank)!) };
    const { records, count, last, more } = await find(layout, connectorId, {
      ...plan,
      ...byRelevance,
      condition,
      after,
      requester,
    }).catch(asTimeoutError);
    const extent = after
      ? {}
      : await extentOf(driver, layout, connectorId, { ...plan, requester }, visible, { count, more }).catch(
          asTimeoutError,
        );
    const cursor = more && last ? cursors.write(last, scope) : null;
    return { records, meta: { has_more: more, cursor, ...extent, took_ms: elapsedMs(started) } };
  };
  // Writes are queued: SQLite has a single writer, and concurrent writes would only wait inside it.
  let writing: Promise<unknown> = Promise.resolve();
  const enqueueWrite = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = writing.then(work).finally(noteChange);
    writing = turn.catch(() => undefined);
    return turn;
  };
  return {
    entities,
    slowVectors: driver.slowVectors,
    async write(collection, records, textsOf) {
      const layout = layoutFor(collection);
      const sum = { inserted: 0, updated: 0, unchanged: 0 };
      const cut = layout.semantic.length > 0 ? textsOf : undefined;
      for await (const { records: part, texts } of batchRecords(dedupeByKey(layout, records), cut)) {
        const written = await enqueueWrite(() => driver.write(layout, collection.connectorId, part, texts, now()));
        for (const name of Object.keys(sum) as Array<keyof WriteCounts>) sum[name] += written[name];
      }
      return sum;
    },
    startLoad: async (collection) => driver.startLoad(layoutFor(collection)),
    finishLoad: async (collection) => driver.finishLoad(layoutFor(collection)),
    async remove(collection, ids) {
      const layout = layoutFor(collection);
      let removed = 0;
      for (const part of batches(ids.map(boundedId)))
        removed += await enqueueWrite(() => driver.remove(layout, collection.connectorId, part, now()));
      return removed;
    },
    changes: async (collection, request) => {
      const layout = layoutFor(collection);
      const { connectorId } = collection;
      const history = (part: HistoryRequest) => driver.history(layout, connectorId, part);
      const records = async (ids: readonly string[]) =>
        (await driver.get(layout, connectorId, ids)).filter(({ record }) => isVisible(layout, collection, record));
      return readChanges({ layout, cursors, history, records }, collection, request);
    },
    changesCursor: async (collection) => {
      const layout = layoutFor(collection);
      const history = (part: HistoryRequest) => driver.history(layout, collection.connectorId, part);
      return newestCursor({ cursors, history }, collection);
    },
    settleChanges: (collection) =>
      enqueueWrite(() => driver.settleHistory(layoutFor(collection), collection.connectorId, now())),
    forgetChanges: (before) => driver.forgetChanges(before),
    historyReaders: async (collection) => driver.historyReaders(layoutFor(collection), collection.connectorId),
    forgetReaders: async (collection, readers) =>
      enqueueWrite(() => driver.forgetReaders(layoutFor(collection), collection.connectorId, readers)),
    removeConnector: (connectorId) => enqueueWrite(() => driver.removeConnector(connectorId)),
    async search(request) {
      const { layout, collection, search } = accept(request);
      if (search.kind === 'semantic') throw new TypeError('A semantic search was passed to `search`.');
      const { requester } = request;
      if (search.kind === 'query') {
        const { records, meta } = await findPage({ layout, collection, search, requester }, driver.search);
        return { data: records, meta };
      }
      const started = performance.now();
      const { connectorId } = collection;
      const summary = await bind(layout, connectorId, requester, (binder) => bindSummary(search, binder));
      // Loaded on demand.
      const { summaryResult } = await import('./summary-result.js');
      const condition = bothOf(visibleTo(layout, collection), summary.condition);
      const found = await driver
        .summarize(layout, connectorId, { ...summary, condition }, requester)
        .catch(asTimeoutError);
      return summaryResult(summary, found, search.limit, elapsedMs(started));
    },
    async searchAsJson(request) {
      const { search, requester } = request;
      const scope = { ...accept(request), search, requester };
      const { records, meta } = await findPage<unknown>(scope, driver.searchAsJson ?? driver.search);
      return { data: records instanceof RecordsJson ? records : RecordsJson.of(records as StoredRecord[]), meta };
    },
    async indexAgain(textsOf) {
      for (const layout of layouts) {
        if (closing || !(await driver.passages.isOutdated(layout))) continue;
        const entity = entities.find((one) => one.type === layout.type && one.entity === layout.entity)!;
        const cut = textsOf(entity);
        for (const connectorId of await driver.connectors()) {
          for (let after: string | undefined = ''; after !== undefined && !closing; ) {
            const from: string = after;
            // Read within the queued write, so that no newer data is overwritten.
            after = await enqueueWrite(async () => {
              const found = await driver.records(layout, connectorId, from, indexBatchSize);
              const records = found.map(({ record }) => record).filter((record) => !isIncomplete(record));
              if (records.length > 0) await driver.reindex(layout, connectorId, records, cut && records.map(cut));
              return found.length < indexBatchSize ? undefined : found.at(-1)!.id;
            });
          }
        }
        if (!closing) await driver.passages.markIndexed(layout);
      }
    },
    async isIndexing(entity) {
      const layout = layoutFor(entity);
      if (indexed.has(layout)) return false;
      const isOutdated = await driver.passages.isOutdated(layout);
      if (!isOutdated) indexed.add(layout);
      return isOutdated;
    },
    async wordStatistics({ prompt, requester, ...collection }) {
      const scope = semanticScope(layoutFor(collection), collection, requester);
      return entityStatistics(scope, prompt).catch(asTimeoutError);
    },
    async rankEntity({ prompt, mode, words, requester, ...collection }) {
      const scope = semanticScope(layoutFor(collection), collection, requester);
      const condition = visibleTo(scope.layout, collection);
      return rankEntity(scope, { prompt, mode, condition }, words).catch(asTimeoutError);
    },
    readHits: async (collection, ranking, shown) =>
      readHits(semanticScope(layoutFor(collection), collection, undefined), ranking, shown),
    async semanticSearch({ requester, ...request }) {
      const started = performance.now();
      const { layout, collection, search } = accept(request);
      if (search.kind !== 'semantic') throw new TypeError('A structured search was passed to `semanticSearch`.');
      const { connectorId } = collection;
      const plan = await bind(layout, connectorId, requester, (binder) => bindPrompt(search, layout, binder));
      const isBound = collection.readers !== undefined;
      const scope = { ...semanticScope(layout, collection, requester), isBound };
      const condition = bothOf(visibleTo(layout, collection), plan.condition);
      const { ranker, unmatched, ...found } = await semanticSearch(scope, { ...plan, condition }).catch(asTimeoutError);
      const words = unmatched.length > 0 && { unmatched_words: unmatched };
      return { ...found, meta: { took_ms: elapsedMs(started), ranker, ...words } };
    },
    unembedded: async (embedder, limit) => driver.passages.unembedded(embedder, limit),
    countUnembedded: (embedder) => driver.passages.countUnembedded(embedder),
    embed: (embedder, vectors) => enqueueWrite(() => driver.passages.embed(embedder, vectors)),
    keepEmbedders: (kept) => driver.passages.keepEmbedders(kept).finally(noteChange),
    textsOf: async (collection, ids) => driver.passages.texts(layoutFor(collection), collection.connectorId, ids),
    vectorsOf: async (connectorId, passages) => driver.passages.vectors(connectorId, passages),
    dimensionsOf: async (embedder) => driver.passages.dimensions(embedder),
    passageCount: async (collection, field, embedder) =>
      driver.passages.count(layoutFor(collection), collection.connectorId, field, embedder),
    async get(collection, ids) {
      const layout = layoutFor(collection);
      const found = await driver.get(layout, collection.connectorId, ids.map(boundedId));
      return found.filter(({ record }) => isVisible(layout, collection, record));
    },
    async countHidden(collection) {
      const layout = layoutFor(collection);
      const visible = visibleTo(layout, collection);
      if (!visible) return 0;
      const { connectorId } = collection;
      const seen = await driver.countUpTo(layout, connectorId, visible, maxCounted, undefined).catch(asTimeoutError);
      return seen === undefined ? null : (await driver.count(layout, connectorId)) - seen;
    },
    count: async (collection) => driver.count(layoutFor(collection), collection.connectorId),
    ids: (collection) => {
      const layout = layoutFor(collection);
      return stream(
        (after) => driver.ids(layout, collection.connectorId, after, streamPageSize),
        (id) => id,
      );
    },
    records: (collection) => {
      const layout = layoutFor(collection);
      return stream(
        async (after) => {
          const found = await driver.records(layout, collection.connectorId, after, streamPageSize);
          const incomplete = found.find(({ record }) => isIncomplete(record));
          if (!incomplete) return found;
          throw new Error(
            `A text field of ${layout.type}.${layout.entity} '${incomplete.id}' cannot be read from the object store.`,
          );
        },
        ({ id }) => id,
      );
    },
    collectObjects: async () => (await external?.collect(enqueueWrite)) ?? 0,
    fieldsOf: (collection) => JSON.stringify(columnsOf(layoutFor(collection))),
    lacking: (collection, fields) => lackingIn(layoutFor(collection), JSON.parse(fields)),
    idOf: (type, entity, record) => idOf(layoutFor({ type, entity }), record),
    hasId: ({ type, entity }, record) => keyOf(layoutFor({ type, entity }), record) !== undefined,
    connectors: () => driver.connectors(),
    nodes: async () => driver.nodes?.(),
    async close() {
      closing = true;
      await writing;
      await driver.close();
    },
  };
}

/** A query, and whose turn it takes. */
interface PageRequest {
  readonly layout: Layout;
  readonly collection: Collection;
  readonly search: ParsedQuery;
  readonly requester: Requester | undefined;
}

/** Converts a search timeout to a caller-facing error. */
function asTimeoutError(error: unknown): never {
  if (error instanceof SearchNotStarted) {
    const hint = 'Send fewer searches at the same time.';
    throw new ConnectorError('rate_limited', error.message, { retryable: true, retryAfterMs: 1000, hint });
  }
  if (!(error instanceof SearchTimeout)) throw error;
  throw new ConnectorError('timeout', error.message, {
    // An identical retry would take just as long.
    retryable: false,
    hint: 'Add a selective condition such as eq or a date range, or use fewer fuzzy and like conditions.',
  });
}

/** Maximum number of records scanned to count those visible to a reader. */
const maxCounted = 10_000;

const elapsedMs = (started: number): number => Math.round(performance.now() - started);

/** If several records have the same key, the last one wins. */
function dedupeByKey(layout: Layout, records: readonly StoredRecord[]): StoredRecord[] {
  return [...new Map(records.map((record) => [idOf(layout, record), record])).values()];
}

async function* stream<T>(read: (after: string) => Promise<T[]>, idOfItem: (item: T) => string): AsyncGenerator<T> {
  let after = '';
  for (;;) {
    const items = await read(after);
    yield* items;
    if (items.length < streamPageSize) return;
    after = idOfItem(items.at(-1)!);
  }
}
