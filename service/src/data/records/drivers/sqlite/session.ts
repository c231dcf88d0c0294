import { Worker } from 'node:worker_threads';
import type { StoredRecord } from '../../entity.js';
import { bestOf, recordsOf } from '../../passages/ranking.js';
import type {
  EmbeddedPassage,
  FieldText,
  HitSelection,
  PassageCount,
  PassageScope,
  PassageText,
  PassageVector,
  RankedPassage,
  StoredText,
  UnembeddedPassage,
} from '../../passages/types.js';
import type { SearchPlan } from '../../plan.js';
import type { Layout } from '../../schema.js';
import type { WriteCounts } from '../../types.js';
import type { Connection } from './connection.js';
import { Nearest } from './nearest.js';
import { PassageReader } from './passage-reader.js';
import { type PageEnd, Reader } from './read.js';
import { StoredVectors } from './stored-vectors.js';
import { connect, prepareTables } from './tables.js';
import { Writer } from './write.js';

/** What a thread is started with. */
export interface SessionOptions {
  readonly location: string;
  readonly layouts: readonly Layout[];
  readonly role: 'writer' | 'reader';
  readonly now: number;
}

/** Passages, and the records that they are of as JSON. */
interface LoadedTexts {
  readonly texts: PassageText[];
  readonly records: string;
}

/** Everything a thread can be asked for; entities are named by their tables. */
export interface Session {
  write(
    table: string,
    connectorId: string,
    records: readonly StoredRecord[],
    texts?: ReadonlyArray<readonly FieldText[]>,
  ): WriteCounts;
  remove(table: string, connectorId: string, ids: readonly string[]): number;
  detachConnector(connectorId: string): void;
  sweep(): number | undefined;
  search(table: string, connectorId: string, plan: SearchPlan): PageEnd;
  get(table: string, connectorId: string, ids: readonly string[]): string;
  records(table: string, connectorId: string, after: string, limit: number): string;
  ids(table: string, connectorId: string, after: string, limit: number): string[];
  count(table: string, connectorId: string): number;
  connectors(): string[];
  lexical(table: string, scope: PassageScope, prompt: string): RankedPassage[];
  nearest(
    table: string,
    scope: PassageScope,
    embedder: string,
    vector: Float32Array,
    selection: HitSelection | undefined,
  ): { readonly ranking: RankedPassage[]; readonly read?: LoadedTexts };
  passages(
    table: string,
    connectorId: string,
    passages: readonly number[],
    ids: readonly string[],
    size: number,
  ): LoadedTexts;
  unembedded(embedder: string, limit: number): UnembeddedPassage[];
  embed(embedder: string, vectors: readonly PassageVector[]): void;
  texts(table: string, connectorId: string, ids: readonly string[]): StoredText[];
  vectors(passages: readonly number[]): EmbeddedPassage[];
  dimensions(embedder: string): number | undefined;
  removeOtherEmbedders(embedders: readonly string[]): boolean;
  passageCount(table: string, connectorId: string, field: string, embedder: string | undefined): PassageCount;
  close(): void;
}

/** One connection and all that it is asked for; `emit` takes the records of a search as they come. */
function openSession({ location, layouts, role, now }: SessionOptions, emit: (records: string) => void): Session {
  const connection = connect(location, role);
  try {
    if (role === 'writer') prepareTables(connection, layouts, now);
    return createSession(connection, layouts, role, emit);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function createSession(
  connection: Connection,
  layouts: readonly Layout[],
  role: SessionOptions['role'],
  emit: (records: string) => void,
): Session {
  const reader = new Reader(connection);
  const writer = new Writer(connection);
  const passages = new PassageReader(connection, reader, layouts);
  const nearest = new Nearest(connection, reader, passages);
  const storedVectors = new StoredVectors(connection, passages);
  const byTable = new Map(layouts.map((layout) => [layout.table, layout]));
  const layoutFor = (table: string): Layout => byTable.get(table)!;
  const readPassages: Session['passages'] = (table, connectorId, numbers, ids, size) => ({
    texts: passages.read(layoutFor(table), connectorId, numbers, size),
    records: reader.get(layoutFor(table), connectorId, ids),
  });
  return {
    write: (table, connectorId, records, texts) => writer.write(layoutFor(table), connectorId, records, texts),
    remove: (table, connectorId, ids) => writer.remove(layoutFor(table), connectorId, ids),
    detachConnector: (connectorId) => writer.detachConnector(connectorId),
    sweep: () => writer.sweep(layouts),
    search: (table, connectorId, plan) => reader.search(layoutFor(table), connectorId, plan, emit),
    get: (table, connectorId, ids) => reader.get(layoutFor(table), connectorId, ids),
    records: (table, connectorId, after, limit) => reader.records(layoutFor(table), connectorId, after, limit),
    ids: (table, connectorId, after, limit) => reader.ids(layoutFor(table), connectorId, after, limit),
    count: (table, connectorId) => reader.count(layoutFor(table), connectorId),
    connectors: () => reader.connectors(),
    lexical: (table, scope, prompt) => passages.lexical(layoutFor(table), scope, prompt),
    nearest: (table, scope, embedder, vector, selection) => {
      const ranking = nearest.find(layoutFor(table), scope, embedder, vector);
      const best = selection && bestOf(ranking, selection);
      if (!best || best.length === 0) return { ranking };
      const numbers = best.map(({ passage }) => passage);
      return { ranking, read: readPassages(table, scope.connectorId, numbers, recordsOf(best), selection.contextSize) };
    },
    passages: readPassages,
    unembedded: (embedder, limit) => passages.unembedded(embedder, limit),
    embed: (embedder, vectors) => writer.passages.embed(embedder, vectors),
    texts: (table, connectorId, ids) => storedVectors.texts(layoutFor(table), connectorId, ids),
    vectors: (numbers) => storedVectors.vectors(numbers),
    dimensions: (embedder) => storedVectors.dimensions(embedder),
    removeOtherEmbedders: (embedders) => writer.passages.removeOtherEmbedders(embedders),
    passageCount: (table, connectorId, field, embedder) =>
      passages.count(layoutFor(table), connectorId, field, embedder),
    close() {
      // What was learnt of the tables helps the next one that opens the file.
      if (role === 'writer') connection.exec('pragma analysis_limit = 400; pragma optimize');
      connection.close();
    },
  };
}

/** How calls reach a session. */
export interface SessionChannel {
  send(call: Call): void;
  /** Ends the session without more calls. */
  end(): Promise<void>;
}

interface PendingCall {
  readonly onRecords: (text: string) => void;
  readonly resolve: (result: any) => void;
  readonly reject: (error: Error) => void;
}

type Result<Name extends keyof Session> = ReturnType<Session[Name]>;

/** A session in a thread of its own, or in this one where there is no code for another. */
export class Thread {
  readonly #pending = new Map<number, PendingCall>();
  readonly #channel: SessionChannel;
  readonly ready: Promise<void>;
  #lastNumber = 0;
  #open = false;
  #closeError: Error | undefined;

  constructor(options: SessionOptions, code: URL | null) {
    this.ready = this.#expect(0, () => undefined).then(() => {
      this.#open = true;
    });
    // Not everybody waits for it; calls are told the same.
    this.ready.catch(() => undefined);
    const onReply = (reply: Reply) => this.#handleReply(reply);
    this.#channel = code ? inThread(options, code, onReply, (error) => this.#fail(error)) : inProcess(options, onReply);
  }

  /** How many calls have no answer yet. */
  get busy(): number {
    return this.#pending.size;
  }

  /** Whether it answers calls. */
  get isOpen(): boolean {
    return this.#open && !this.#closeError;
  }

  call<Name extends keyof Session>(
    name: Name,
    values: Parameters<Session[Name]>,
    onRecords: (text: string) => void = () => undefined,
  ): Promise<Result<Name>> {
    if (this.#closeError) return Promise.reject(this.#closeError);
    const number = ++this.#lastNumber;
    const answer = this.#expect(number, onRecords);
    this.#channel.send({ number, name, values });
    return answer;
  }

  async close(): Promise<void> {
    if (this.#closeError) return;
    await this.call('close', []);
    this.#closeError = new Error('The store has been closed.');
    await this.#channel.end();
  }

  #expect(number: number, onRecords: (text: string) => void): Promise<any> {
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { onRecords, resolve, reject });
    });
  }

  #handleReply(reply: Reply): void {
    const pending = this.#pending.get(reply.number);
    if (!pending) return;
    if ('records' in reply) {
      pending.onRecords(reply.records);
      return;
    }
    this.#pending.delete(reply.number);
    if ('failure' in reply) pending.reject(new Error(`The store failed: ${reply.failure}`));
    else pending.resolve(reply.result);
  }

  #fail(error: Error): void {
    this.#closeError ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#closeError);
    this.#pending.clear();
  }
}

function inThread(
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
      onFailure(new Error('The thread of the store has ended.'));
      resolve();
    });
  });
  return {
    send: (call) => worker.postMessage(call),
    // Its session is closed by now; a port that closes itself would do on Node alone.
    end: () => worker.terminate().then(() => ended),
  };
}

function inProcess(options: SessionOptions, onReply: (reply: Reply) => void): SessionChannel {
  const answer = serveSession(options, onReply);
  return { send: answer, end: async () => undefined };
}

/** One thing that a session is asked for. */
export interface Call {
  readonly number: number;
  readonly name: keyof Session;
  readonly values: readonly unknown[];
}

/** What a session says: records as they come, then a result or why there is none. */
export type Reply =
  | { readonly number: number; readonly records: string }
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly failure: string };

/** Opens a session and answers calls with it; the call numbered 0 tells whether it opened. */
export function serveSession(options: SessionOptions, send: (reply: Reply) => void): (call: Call) => void {
  let currentCall = 0;
  const attempt = (number: number, work: () => unknown): void => {
    currentCall = number;
    try {
      send({ number, result: work() });
    } catch (error) {
      send({ number, failure: error instanceof Error ? error.message : String(error) });
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
