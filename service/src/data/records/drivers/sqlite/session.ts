import { Worker } from 'node:worker_threads';
import type { Connection } from '../../../sqlite.js';
import { isDatabaseUnavailable } from '../../../unavailable.js';
import type { HistoryPart, HistoryRequest } from '../../changes/page.js';
import type { EmptyRequest, EmptySearch } from '../../empty-search.js';
import type { IdentifiedRecord, StoredRecord } from '../../entity.js';
import { recordsOf } from '../../passages/hits.js';
import { findHits, type PassagesOf } from '../../passages/semantic-search.js';
import type {
  EmbeddedPassage,
  FieldText,
  FirstPassage,
  PassageCount,
  PassageQuestion,
  PassageScope,
  PassageText,
  PassageVector,
  PromptVector,
  RankedPassage,
  StoredText,
  UnembeddedPassage,
  WordQuery,
  WordScope,
  WordStatistics,
} from '../../passages/types.js';
import type { Place } from '../../places.js';
import type { Condition, FieldRef, SearchPlan, Summary } from '../../plan.js';
import { recordsIn } from '../../rows.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import type { IndexSpec } from '../../search-indexes.js';
import type { Groups } from '../../summary.js';
import { SearchTimeout } from '../../timeout.js';
import type { WriteCounts } from '../../types.js';
import { readHistory } from './history.js';
import { Indexes, sampledAnalysis } from './indexes.js';
import { Nearest } from './nearest.js';
import { PassageReader } from './passage-reader.js';
import { mergeIndex, Purge } from './purge.js';
import { type EmitRecords, type PageEnd, Reader } from './read.js';
import { StoredVectors } from './stored-vectors.js';
import { Summaries } from './summaries.js';
import { connect, inMemory, markIndexed, outdatedShape, prepareEntities, prepareTables } from './tables.js';
import { Writer } from './write.js';

/** Changes forgotten at a time; other writes wait meanwhile. */
const forgottenPerStep = 5000;

/** Options for a session thread. */
export interface SessionOptions {
  readonly location: string;
  readonly layouts: readonly Layout[];
  readonly role: 'writer' | 'reader';
  readonly now: number;
  /** Time limit of one search, in milliseconds. */
  readonly searchTimeoutMs: number;
  /** Maximum size of cached vectors, unless a single field needs more. */
  readonly vectorBytes: number;
  /** Shared flag; setting it stops the searches of all threads. */
  readonly stop: Int32Array;
}

/** Passages, and their records as JSON. */
interface LoadedTexts {
  readonly texts: PassageText[];
  readonly records: string;
}

/** All calls that a thread accepts; entities are identified by table name. */
export interface Session {
  write(
    table: string,
    connectorId: string,
    records: readonly StoredRecord[],
    texts: ReadonlyArray<readonly FieldText[]> | undefined,
    at: number,
  ): WriteCounts;
  reindex(
    table: string,
    connectorId: string,
    records: readonly StoredRecord[],
    texts?: ReadonlyArray<readonly FieldText[]>,
  ): void;
  startLoad(table: string): void;
  /** Lists the indexes to build. */
  finishLoad(table: string): IndexSpec[];
  buildIndex(table: string, spec: IndexSpec): void;
  /** Merges a part of the index of words; returns whether there is more to do. */
  mergeWords(table: string, isMerging: boolean): boolean;
  remove(table: string, connectorId: string, ids: readonly string[], at: number): number;
  history(table: string, connectorId: string, request: HistoryRequest): HistoryPart;
  settleHistory(table: string, connectorId: string, at: number): void;
  /** Forgets changes before a time; returns whether there may be more of them. */
  forgetChanges(before: number): boolean;
  historyReaders(table: string, connectorId: string): string[];
  forgetReaders(table: string, connectorId: string, readers: readonly string[]): void;
  detachConnector(connectorId: string): void;
  sweep(): number | undefined;
  purge(): boolean;
  /** Finds one page or, unless `isFinal`, lists the indexes to build first. */
  search(
    table: string,
    connectorId: string,
    plan: SearchPlan,
    isFinal: boolean,
    asJson: boolean,
  ): PageEnd | { readonly needed: readonly IndexSpec[] };
  summarize(table: string, connectorId: string, summary: Summary): Groups;
  countUpTo(
    table: string,
    connectorId: string,
    condition: Condition | undefined,
    maxScanned: number,
  ): number | undefined;
  describeEmpty(table: string, connectorId: string, request: EmptyRequest): EmptySearch;
  place(table: string, connectorId: string, ref: FieldRef): Place;
  get(table: string, connectorId: string, ids: readonly string[]): string;
  records(table: string, connectorId: string, after: string, limit: number): string;
  ids(table: string, connectorId: string, after: string, limit: number): string[];
  count(table: string, connectorId: string): number;
  references(connectorId: string): string[];
  connectors(): string[];
  isOutdated(table: string): boolean;
  markIndexed(table: string): void;
  words(table: string, scope: WordScope, prompt: string): WordStatistics[];
  lexical(table: string, scope: PassageScope, query: WordQuery): RankedPassage[];
  first(table: string, connectorId: string, field: string, records: readonly string[]): FirstPassage[];
  nearest(table: string, scope: PassageScope, vector: PromptVector): RankedPassage[];
  /** The hits of a question, as JSON. */
  find(table: string, connectorId: string, question: PassageQuestion): Promise<string>;
  passages(
    table: string,
    connectorId: string,
    passages: readonly number[],
    ids: readonly string[],
    size: number,
  ): LoadedTexts;
  unembedded(embedder: string, limit: number): UnembeddedPassage[];
  countUnembedded(embedder: string): number;
  embed(embedder: string, vectors: readonly PassageVector[]): void;
  texts(table: string, connectorId: string, ids: readonly string[]): StoredText[];
  vectors(passages: readonly number[]): EmbeddedPassage[];
  dimensions(embedder: string): number | undefined;
  removeOtherEmbedders(embedders: readonly string[]): boolean;
  passageCount(table: string, connectorId: string, field: string, embedder: string | undefined): PassageCount;
  close(): void;
}

/** A connection and its calls; `emit` receives the records of a search as they are found. */
function openSession(options: SessionOptions, emit: EmitRecords): Session {
  const connection = connect(options.location, options.role);
  try {
    if (options.role === 'writer') prepareTables(connection, options);
    return createSession(connection, options, emit);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function createSession(
  connection: Connection,
  { location, layouts, role, searchTimeoutMs, vectorBytes, stop }: SessionOptions,
  emit: EmitRecords,
): Session {
  // In memory, an entity's tables are created on first use, since most runs need only a few.
  const prepared = location === inMemory ? [] : [...layouts];
  const indexes = new Indexes(connection);
  const reader = new Reader(connection, indexes);
  const summaries = new Summaries(connection, reader);
  const writer = new Writer(connection);
  const purge = new Purge(connection, prepared);
  const passages = new PassageReader(connection, reader, prepared);
  const nearest = new Nearest(connection, reader, passages, vectorBytes);
  const storedVectors = new StoredVectors(connection, passages);
  const byTable = new Map(layouts.map((layout) => [layout.table, layout]));
  const layoutFor = (table: string): Layout => {
    const layout = byTable.get(table)!;
    if (prepared.includes(layout)) return layout;
    prepareEntities(connection, [layout]);
    prepared.push(layout);
    return layout;
  };
  const limited = <T>(work: () => T, ms = searchTimeoutMs): T => connection.withTimeLimit(ms, stop, work);
  const readPassages = (
    layout: Layout,
    connectorId: string,
    numbers: readonly number[],
    ids: readonly string[],
    size: number,
  ) => ({
    texts: passages.read(layout, connectorId, numbers, size),
    records: reader.get(layout, connectorId, ids),
  });
  /** The steps of one search, which share its time limit. */
  const steps = (): PassagesOf['passages'] => {
    const deadline = performance.now() + searchTimeoutMs;
    const step = <T>(work: () => T): T => limited(work, deadline - performance.now());
    return {
      words: async (...search) => step(() => passages.words(...search)),
      lexical: async (...search) => step(() => passages.lexical(...search)),
      nearest: async (...search) => step(() => nearest.find(...search)),
      first: async (...search) => step(() => passages.first(...search)),
      read: async (layout, connectorId, found, size) => {
        const numbers = found.map(({ passage }) => passage);
        const { texts, records } = step(() => readPassages(layout, connectorId, numbers, recordsOf(found), size));
        return { texts, records: parseIdentified(records) };
      },
    };
  };
  return {
    write: (table, connectorId, records, texts, at) => {
      const counts = writer.write(layoutFor(table), connectorId, records, texts, at);
      indexes.noteInserted(layoutFor(table), counts.inserted);
      return counts;
    },
    reindex: (table, connectorId, records, texts) => {
      writer.write(layoutFor(table), connectorId, records, texts, undefined);
    },
    startLoad: (table) => indexes.startLoad(layoutFor(table)),
    finishLoad: (table) => indexes.finishLoad(layoutFor(table)),
    buildIndex: (table, spec) => indexes.build(layoutFor(table), spec),
    mergeWords: (table, isMerging) => mergeIndex(connection, quoteIdentifier(layoutFor(table).words), isMerging),
    remove: (table, connectorId, ids, at) => writer.remove(layoutFor(table), connectorId, ids, at),
    history: (table, connectorId, request) =>
      readHistory(connection, layoutFor(table), reader.numberOf(connectorId), request),
    settleHistory: (table, connectorId, at) => writer.history.settle(layoutFor(table), connectorId, at),
    forgetChanges: (before) => writer.history.forget(before, forgottenPerStep),
    historyReaders: (table, connectorId) => writer.history.readers(layoutFor(table), connectorId),
    forgetReaders: (table, connectorId, readers) =>
      writer.history.forgetReaders(layoutFor(table), connectorId, readers),
    detachConnector: (connectorId) => writer.detachConnector(connectorId),
    sweep: () => writer.sweep(prepared),
    purge: () => purge.step(),
    search: (table, connectorId, plan, isFinal, asJson) => {
      const layout = layoutFor(table);
      const search = () => reader.search(layout, connectorId, plan, asJson, emit);
      return limited(() => (isFinal ? search() : indexes.searchOrNeeds(layout, connectorId, plan, search)));
    },
    summarize: (table, connectorId, summary) =>
      limited(() => summaries.summarize(layoutFor(table), connectorId, summary)),
    countUpTo: (table, connectorId, condition, maxScanned) =>
      limited(() => summaries.countUpTo(layoutFor(table), connectorId, condition, maxScanned)),
    describeEmpty: (table, connectorId, request) =>
      limited(() => summaries.describeEmpty(layoutFor(table), connectorId, request)),
    place: (table, connectorId, ref) => limited(() => summaries.place(layoutFor(table), connectorId, ref)),
    get: (table, connectorId, ids) => reader.get(layoutFor(table), connectorId, ids),
    records: (table, connectorId, after, limit) => reader.records(layoutFor(table), connectorId, after, limit),
    ids: (table, connectorId, after, limit) => reader.ids(layoutFor(table), connectorId, after, limit),
    count: (table, connectorId) => reader.count(layoutFor(table), connectorId),
    references: (connectorId) => reader.references(prepared, connectorId),
    connectors: () => reader.connectors(),
    isOutdated: (table) => outdatedShape(connection, layoutFor(table)) !== undefined,
    markIndexed: (table) => markIndexed(connection, layoutFor(table)),
    words: (table, scope, prompt) => limited(() => passages.words(layoutFor(table), scope, prompt)),
    lexical: (table, scope, query) => limited(() => passages.lexical(layoutFor(table), scope, query)),
    first: (table, connectorId, field, records) => passages.first(layoutFor(table), connectorId, field, records),
    nearest: (table, scope, vector) => limited(() => nearest.find(layoutFor(table), scope, vector)),
    find: async (table, connectorId, question) =>
      JSON.stringify(await findHits({ layout: layoutFor(table), connectorId, passages: steps() }, question)),
    passages: (table, ...found) => readPassages(layoutFor(table), ...found),
    unembedded: (embedder, limit) => passages.unembedded(embedder, limit),
    countUnembedded: (embedder) => storedVectors.countUnembedded(embedder),
    embed: (embedder, vectors) => writer.passages.embed(embedder, vectors),
    texts: (table, connectorId, ids) => storedVectors.texts(layoutFor(table), connectorId, ids),
    vectors: (numbers) => storedVectors.vectors(numbers),
    dimensions: (embedder) => storedVectors.dimensions(embedder),
    removeOtherEmbedders: (embedders) => writer.passages.removeOtherEmbedders(embedders),
    passageCount: (table, connectorId, field, embedder) =>
      passages.count(layoutFor(table), connectorId, field, embedder),
    close() {
      // Saves the planner statistics for the next process.
      if (role === 'writer') connection.exec(`${sampledAnalysis}; pragma optimize; pragma wal_checkpoint(truncate)`);
      connection.close();
    },
  };
}

/** Parses records with their ids. */
export const parseIdentified = (text: string): IdentifiedRecord[] => recordsIn(text) as unknown as IdentifiedRecord[];

/** A call to a session. */
export interface Call {
  readonly number: number;
  readonly name: keyof Session;
  readonly values: readonly unknown[];
}

/** A message from a session: records as they are found, then a result or an error. */
export type Reply =
  | { readonly number: number; readonly records: string | Uint8Array }
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly failure: string; readonly timedOut?: boolean; readonly unavailable?: boolean };

/** Opens a session and handles calls; call 0 reports whether it opened. */
export function serveSession(options: SessionOptions, send: (reply: Reply) => void): (call: Call) => void {
  let currentCall = 0;
  const attempt = (number: number, work: () => unknown): void => {
    currentCall = number;
    const fail = (error: unknown): void => {
      const timedOut = error instanceof SearchTimeout;
      const failure = error instanceof Error ? error.message : String(error);
      send({ number, failure, timedOut, unavailable: isDatabaseUnavailable(error) });
    };
    try {
      const result = work();
      if (result instanceof Promise) result.then((value) => send({ number, result: value }), fail);
      else send({ number, result });
    } catch (error) {
      fail(error);
    }
  };
  let session: Session | undefined;
  attempt(0, () => {
    session = openSession(options, (records) => send({ number: currentCall, records }));
  });
  return ({ number, name, values }) => {
    attempt(number, () => (session?.[name] as ((...values: readonly unknown[]) => unknown) | undefined)?.(...values));
  };
}

export interface SessionChannel {
  send(call: Call): void;
  /** Ends the session and accepts no more calls. */
  end(): Promise<void>;
}

/** A session in its own thread. */
export function inThread(
  options: SessionOptions,
  code: URL,
  onReply: (reply: Reply) => void,
  onFailure: (error: Error) => void,
): SessionChannel {
  const worker = new Worker(code, { workerData: options, name: `store ${options.role}` });
  worker.on('message', onReply);
  worker.on('error', onFailure);
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      onFailure(new Error('The store thread has exited.'));
      resolve();
    });
  });
  return {
    send: (call) => worker.postMessage(call),
    // The session is already closed; letting the port close itself works only on Node.
    end: () => worker.terminate().then(() => ended),
  };
}

/** A session in this thread. */
export function inProcess(options: SessionOptions, onReply: (reply: Reply) => void): SessionChannel {
  const answer = serveSession(options, onReply);
  return { send: answer, end: async () => undefined };
}
