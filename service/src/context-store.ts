import type { Logger } from './common/log.js';
import type { ObjectStore } from './data/objects/types.js';
import { poolUsage } from './data/postgres-pool.js';
import { entitiesOf, openStore, type Store, type StoredEntity, type StoreOptions } from './data/records/index.js';
import { openEmbedding } from './data/records/passages/embed-background.js';
import { textsOf } from './data/records/passages/split-passages.js';
import type { Embedder } from './data/search/embedding/types.js';
import type { Reranker } from './data/search/rerank.js';
import { openTextReader } from './data/text/reader.js';
import type { Key, KeyRing } from './data/vault/keys.js';
import { type Definition, loadDefinitions } from './domain/connectors/definitions.js';
import { openReadiness, type Readiness } from './domain/connectors/readiness.js';
import { openReader, type RecordReader } from './domain/connectors/record-reader.js';
import { Reranking } from './domain/connectors/reranking.js';
import { openSearches, type Searches } from './domain/connectors/search.js';
import { currentHolding } from './domain/limits/memory.js';
import { openEngine, type ReplicationEngine } from './domain/replication/engine.js';
import type { JobDependencies } from './domain/replication/types.js';
import { openWriteThrough, type WriteThrough } from './domain/replication/write-through.js';
import { openRecordEvents } from './domain/webhooks/record-events.js';

/** Where replicated records are stored, and how they are kept up to date. */
export interface ContextStoreOptions extends Omit<JobDependencies, 'store' | 'pause' | 'textOf' | 'onStored'> {
  readonly folder: string;
  readonly databaseUrl: string | undefined;
  readonly keys: KeyRing;
  readonly replicates: boolean;
  /** The active embedder comes first. */
  readonly embedders: readonly Embedder[];
  readonly reranker: Reranker | undefined;
  readonly objects: ObjectStore | undefined;
  /** Whether content that authors of files have hidden is searchable. */
  readonly indexHidden: boolean | undefined;
  readonly logger: Logger | undefined;
  /** Starts the delivery of new webhook messages. */
  readonly deliver: () => void;
}

/** Replicated records: synced, searched and closed as one. */
export interface ContextStore {
  /** Counts the nodes of a cluster that store records; undefined without a cluster. */
  nodes(): ReturnType<Store['nodes']>;
  readonly records: RecordReader;
  readonly engine: ReplicationEngine;
  readonly readiness: Readiness;
  readonly searches: Searches;
  readonly writeThrough: WriteThrough;
  /** Removes long texts that no record refers to any more. */
  collectObjects(): Promise<unknown>;
  /** Forgets changes before a time, in milliseconds since 1970. */
  forgetChanges(before: number): Promise<void>;
  /** Stops running syncs and does not start new ones. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

type RecordsOptions = Pick<ContextStoreOptions, 'folder' | 'databaseUrl' | 'keys' | 'now'> &
  Partial<Pick<ContextStoreOptions, 'embedders' | 'definitions' | 'objects'>>;

/** Opens only the record store, which several processes can share. */
export async function openRecords({
  folder,
  databaseUrl,
  keys,
  now,
  objects,
  embedders = [],
  definitions,
}: RecordsOptions): Promise<Store> {
  const { all } = definitions ?? (await loadDefinitions());
  const options: StoreOptions = {
    ...(databaseUrl === undefined ? { folder } : { databaseUrl }),
    entities: all.flatMap(storedEntities),
    // Derived from the master keys, so a cursor works in every process and after a restart.
    cursorKeys: () => [cursorKeyOf(keys.newest), ...keys.all.map(cursorKeyOf)],
    now,
    embedders,
    objects,
  };
  return openStore(options).catch((error) => {
    throw new Error(`The record store cannot be opened: ${messageOf(error, databaseUrl)}`, {
      cause: error,
    });
  });
}

const cursorKeyOf = (key: Key): Uint8Array => new Uint8Array(key.derive('cursors').export());

/** Entities to store for a type, with the record key and the date fields that the replication declares. */
const storedEntities = ({ manifest, replication }: Definition): StoredEntity[] => entitiesOf(manifest, replication);

/** Opens the store and everything that depends on it. */
export async function openContextStore(options: ContextStoreOptions): Promise<ContextStore> {
  const store = await openRecords(options);
  const {
    folder,
    databaseUrl,
    keys,
    replicates,
    embedders,
    reranker,
    objects: _,
    logger,
    indexHidden,
    deliver,
    ...dependencies
  } = options;
  const { definitions } = dependencies;
  const reranking = reranker && new Reranking(reranker, (error) => dependencies.report(error, 'reranker'));
  const records = openReader(store, reranking);
  const [current, ...others] = embedders;
  const embedding = current && openEmbedding({ store, embedders: [current, ...others], logger, now: dependencies.now });
  if (embedding && store.slowVectors !== undefined) logger?.warn({}, store.slowVectors);
  const reader = openTextReader({ indexesHidden: indexHidden });
  const textOf: typeof reader.textOf = (file, tenant) => {
    const holding = currentHolding();
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        await holding?.receive(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
    return reader.textOf({ ...file, download: async () => (await file.download()).pipeThrough(counted) }, tenant);
  };
  const storing = { ...dependencies, store, textOf, onStored: embedding?.wake };
  const engine = openEngine({ ...storing, replicates });
  const writeThrough = openWriteThrough(storing);
  const recordEvents = openRecordEvents({ ...dependencies, store, deliver });
  const readiness = openReadiness({
    state: dependencies.state,
    definitions,
    store,
    replicates,
    embedderId: embedders[0]?.id,
    settle: writeThrough.settle,
  });
  const textsAgain = ({ type, entity, semantic = [], about }: StoredEntity) => {
    const replica = definitions.of(type).replication?.entities[entity];
    return replica && textsOf(replica, semantic, about);
  };
  let isClosing = false;
  const indexing = store.indexAgain(textsAgain).then(
    () => embedding?.wake(),
    // Closing interrupts the indexing; the next start resumes it.
    (error) => isClosing || dependencies.report(error, 'passages'),
  );
  dependencies.metrics.watch({
    async backlog() {
      const passages = current ? await store.countUnembedded(current.id) : 0;
      return { ...(await dependencies.state.backlog(definitions.replicatedTypes)), passages };
    },
    pools: poolUsage,
    nodes: () => store.nodes(),
  });
  // Leftovers from a process that ended while deleting.
  engine.removeOrphans().catch((error) => dependencies.report(error, 'replication'));
  return {
    records,
    engine,
    readiness,
    writeThrough,
    searches: openSearches({ definitions, records, readiness, telemetry: dependencies.telemetry }),
    nodes: () => store.nodes(),
    collectObjects: () => store.collectObjects(),
    forgetChanges: (before) => store.forgetChanges(before),
    drain: () => engine.close(),
    async close() {
      isClosing = true;
      await Promise.all([engine.close(), writeThrough.close(), embedding?.close(), recordEvents.close()]);
      await Promise.all([store.close(), reader.close(), indexing]);
    },
  };
}

/** The database's message without the URL, which may contain a password. */
function messageOf(error: unknown, databaseUrl: string | undefined): string {
  const message = error instanceof Error ? error.message : String(error);
  return databaseUrl === undefined ? message : message.replaceAll(databaseUrl, 'the database');
}
