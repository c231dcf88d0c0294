import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { builtFile } from '../../../../common/built-file.js';
import { FairQueue, type Requester } from '../../../../common/fair-queue.js';
import { prepareFolder } from '../../../folder.js';
import { StoreUnavailableError } from '../../../unavailable.js';
import type { Driver, PassageDriver, RecordPage } from '../../driver.js';
import { digestsIn } from '../../external-text.js';
import { recordsOf } from '../../passages/hits.js';
import type { FoundHits, PassageScope, PromptVector } from '../../passages/types.js';
import type { SearchPlan } from '../../plan.js';
import { RecordsJson } from '../../records-json.js';
import { recordsInTurns } from '../../rows.js';
import type { Layout } from '../../schema.js';
import type { IndexSpec } from '../../search-indexes.js';
import { defaultSearchTimeoutMs, SearchTimeout, searchWaitingLimit } from '../../timeout.js';
import { PurgeSchedule } from './purge-schedule.js';
import {
  inProcess,
  inThread,
  parseIdentified,
  type Reply,
  type Session,
  type SessionChannel,
  type SessionOptions,
} from './session.js';

/** Where SQLite stores the records, and the number of reader threads. */
export interface SqliteOptions {
  readonly folder: string;
  readonly layouts: readonly Layout[];
  readonly now: number;
  readonly readers: number;
  readonly worker: URL | null | undefined;
  readonly searchTimeoutMs?: number | undefined;
}

const fileName = 'records.db';

/** Vectors of this size, in bytes in memory, may be cached by each thread. */
const maxCopiedBytes = 4_000_000;
/** Maximum size of the vectors cached by the thread that has all of them, and by each of the others. */
const [maxVectorBytes, maxCopies] = [1_000_000_000, 32_000_000];

/** The worker script; without it, everything runs in this thread. */
const builtWorker = (): URL | null => builtFile(new URL('./store-worker.js', import.meta.url));

/**
 * Opens the records in a folder: one writer thread and several reader threads, which do not block each other. The readers
 * start with the first read for a caller.
 */
export async function openSqlite({
  folder,
  layouts,
  now,
  readers,
  worker,
  searchTimeoutMs = defaultSearchTimeoutMs,
}: SqliteOptions): Promise<Driver> {
  const location = folder === ':memory:' ? folder : prepareFile(folder);
  const code = worker === undefined ? builtWorker() : worker;
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const start = (role: SessionOptions['role'], vectorBytes = maxVectorBytes): Thread =>
    new Thread({ location, layouts, role, now, searchTimeoutMs, vectorBytes, stop }, code);
  const writer = start('writer');
  try {
    await writer.ready;
  } catch (error) {
    await writer.close();
    throw error;
  }
  // An in-memory database belongs to one connection. Until the readers are ready, the writer serves reads.
  const readerCount = location === ':memory:' ? 0 : readers;
  const startReaders = () =>
    Array.from({ length: readerCount }, (_, index) =>
      start('reader', index === readerCount - 1 ? maxVectorBytes : maxCopies),
    );
  return createDriver(writer, startReaders, stop);
}

function createDriver(writer: Thread, startReaders: () => readonly Thread[], stop: Int32Array): Driver {
  let readers: readonly Thread[] | undefined;
  let isClosed = false;
  const queue = new FairQueue<Thread>(() => {
    const open = readers?.filter((thread) => thread.isOpen) ?? [];
    return open.length > 0 ? open : [writer];
  }, searchWaitingLimit);
  const run = async <T>(requester: Requester, work: (thread: Thread) => Promise<T>, thread?: Thread): Promise<T> => {
    // The service's own reads, some of them periodic, are not worth the readers' memory.
    if (requester !== '' && !isClosed) {
      readers ??= startReaders();
      // In the writer, a slow search would hold up writes and other tenants. If no reader starts, the writer remains.
      if (!readers.some(({ isOpen }) => isOpen)) await Promise.allSettled(readers.map(({ ready }) => ready));
    }
    return queue.run(requester, work, thread);
  };
  const read: Read = (requester, name, values) => run(requester, (thread) => thread.call(name, values));
  // Many vectors are read on the one thread that caches them: a second copy would cost more than it saves.
  const readVectors: ReadVectors = (...prompts) => {
    const bytes = prompts.reduce((sum, prompt) => sum + (prompt ? prompt.embedded * prompt.vector.length : 0), 0);
    if (bytes <= maxCopiedBytes) return read;
    if (!isClosed) readers ??= startReaders();
    const last = readers?.at(-1);
    const ready = last?.ready ?? Promise.resolve();
    return (requester, name, values) => ready.then(() => run(requester, (thread) => thread.call(name, values), last));
  };
  const sweepAll = async (): Promise<number> => {
    let removed = 0;
    for (;;) {
      const count = await writer.call('sweep', []);
      if (count === undefined) return removed;
      removed += count;
    }
  };
  // Built one at a time, so that writes can run in between.
  const buildIndexes = async (table: string, specs: readonly IndexSpec[]): Promise<void> => {
    for (const spec of specs) await writer.call('buildIndex', [table, spec]);
  };
  /** Finds a page, whose records `read` converts. */
  const find = async <Records>(
    { table }: Layout,
    connectorId: string,
    plan: SearchPlan,
    asJson: boolean,
    read: (parts: ReadonlyArray<string | Uint8Array>, count: number) => Records | Promise<Records>,
  ): Promise<RecordPage<Records>> => {
    const attempt = (isFinal: boolean) =>
      run(plan.requester ?? connectorId, async (thread) => {
        // Convert the results while the reader thread waits; otherwise, two readers could keep this thread busy with
        // their results.
        const parts: Array<string | Uint8Array> = [];
        const end = await thread.call('search', [table, connectorId, plan, isFinal, asJson], (part) =>
          parts.push(part),
        );
        if ('needed' in end) return end;
        const { count, last, more } = end;
        return { records: await read(parts, count), count, last, more };
      });
    const first = await attempt(false);
    if (!('needed' in first)) return first;
    await buildIndexes(table, first.needed);
    return (await attempt(true)) as RecordPage<Records>;
  };
  const purges = new PurgeSchedule(() => writer.call('purge', []));
  const initialSweep = sweepAll(); // Leftovers from a connector that was deleted just before a crash.
  initialSweep.then(purges.start, () => undefined);
  return {
    write: ({ table }, connectorId, records, texts, at) =>
      writer.call('write', [table, connectorId, records, texts, at]),
    reindex: ({ table }, connectorId, records, texts) => writer.call('reindex', [table, connectorId, records, texts]),
    startLoad: ({ table }) => writer.call('startLoad', [table]),
    async finishLoad({ table }) {
      const missing = await writer.call('finishLoad', [table]);
      await buildIndexes(table, missing);
      // Words are found much faster in an index that has been merged, in steps so that writes can run in between.
      let isMerging = missing.length > 0 && (await writer.call('mergeWords', [table, false]));
      while (isMerging) isMerging = await writer.call('mergeWords', [table, true]);
    },
    async remove({ table }, connectorId, ids, at) {
      const removed = await writer.call('remove', [table, connectorId, ids, at]);
      if (removed > 0) purges.startLater();
      return removed;
    },
    history: ({ table }, connectorId, request) => read(connectorId, 'history', [table, connectorId, request]),
    settleHistory: ({ table }, connectorId, at) => writer.call('settleHistory', [table, connectorId, at]),
    async forgetChanges(before) {
      while (await writer.call('forgetChanges', [before]));
    },
    historyReaders: ({ table }, connectorId) => writer.call('historyReaders', [table, connectorId]),
    forgetReaders: ({ table }, connectorId, readers) => writer.call('forgetReaders', [table, connectorId, readers]),
    async removeConnector(connectorId) {
      await initialSweep;
      await writer.call('detachConnector', [connectorId]);
      const removed = await sweepAll();
      purges.start();
      return removed;
    },
    search: (layout, connectorId, plan) =>
      find(layout, connectorId, plan, false, (texts) => recordsInTurns(texts as string[])),
    searchAsJson: (layout, connectorId, plan) =>
      find(layout, connectorId, plan, true, (parts, count) => new RecordsJson(parts as Uint8Array[], count)),
    summarize: ({ table }, connectorId, summary, requester = connectorId) =>
      read(requester, 'summarize', [table, connectorId, summary]),
    countUpTo: ({ table }, connectorId, condition, maxScanned, requester = connectorId) =>
      read(requester, 'countUpTo', [table, connectorId, condition, maxScanned]),
    describeEmpty: ({ table }, connectorId, request, requester = connectorId) =>
      read(requester, 'describeEmpty', [table, connectorId, request]),
    place: ({ table }, connectorId, ref, requester = connectorId) =>
      read(requester, 'place', [table, connectorId, ref]),
    get: ({ table }, connectorId, ids) => read(connectorId, 'get', [table, connectorId, ids]).then(parseIdentified),
    count: ({ table }, connectorId) => read(connectorId, 'count', [table, connectorId]),
    ids: ({ table }, connectorId, after, limit) => read(connectorId, 'ids', [table, connectorId, after, limit]),
    records: async ({ table }, connectorId, after, limit) =>
      parseIdentified(await read(connectorId, 'records', [table, connectorId, after, limit])),
    references: async (connectorId) => digestsIn(await read(connectorId, 'references', [connectorId])),
    connectors: () => read('', 'connectors', []),
    passages: createPassageDriver(writer, read, readVectors),
    async close() {
      isClosed = true;
      queue.close(closedError());
      Atomics.store(stop, 0, 1);
      await Promise.all((readers ?? []).map((thread) => thread.close()));
      await purges.finish();
      await writer.close();
    },
  };
}

/** Reads on any thread when it is the requester's turn. */
type Read = <Name extends keyof Session>(
  requester: Requester,
  name: Name,
  values: Parameters<Session[Name]>,
) => Promise<Result<Name>>;

/** The reading of vectors that prompts are compared with, such as those of a field and of titles. */
type ReadVectors = (...prompts: ReadonlyArray<PromptVector | undefined>) => Read;

function createPassageDriver(writer: Thread, read: Read, readVectors: ReadVectors): PassageDriver {
  return {
    isOutdated: ({ table }) => read('', 'isOutdated', [table]),
    markIndexed: ({ table }) => writer.call('markIndexed', [table]),
    words: ({ table }, scope, prompt) => read(requesterOf(scope), 'words', [table, scope, prompt]),
    lexical: ({ table }, scope, query) => read(requesterOf(scope), 'lexical', [table, scope, query]),
    first: ({ table }, connectorId, field, records) => read(connectorId, 'first', [table, connectorId, field, records]),
    nearest: ({ table }, scope, vector) => readVectors(vector)(requesterOf(scope), 'nearest', [table, scope, vector]),
    async find(scope, question) {
      const { layout, connectorId } = scope;
      const readHits = readVectors(question.vector, question.titleVector);
      const hits = await readHits(requesterOf(scope), 'find', [layout.table, connectorId, question]);
      return JSON.parse(hits) as FoundHits;
    },
    async read({ table }, connectorId, found, window) {
      const numbers = found.map(({ passage }) => passage);
      const { texts, records } = await read(connectorId, 'passages', [
        table,
        connectorId,
        numbers,
        recordsOf(found),
        window,
      ]);
      return { texts, records: parseIdentified(records) };
    },
    unembedded: (embedder, limit) => read('', 'unembedded', [embedder, limit]),
    countUnembedded: (embedder) => read('', 'countUnembedded', [embedder]),
    embed: (embedder, vectors) => writer.call('embed', [embedder, vectors]),
    texts: ({ table }, connectorId, ids) => read(connectorId, 'texts', [table, connectorId, ids]),
    vectors: (_, passages) => read('', 'vectors', [passages]),
    dimensions: (embedder) => read('', 'dimensions', [embedder]),
    // Deletes in batches, so other writes do not have to wait.
    async keepEmbedders(embedders) {
      while (await writer.call('removeOtherEmbedders', [embedders]));
    },
    count: ({ table }, connectorId, field, embedder) =>
      read(connectorId, 'passageCount', [table, connectorId, field, embedder]),
  };
}

const requesterOf = ({ requester, connectorId }: Pick<PassageScope, 'requester' | 'connectorId'>): Requester =>
  requester ?? connectorId;

function prepareFile(folder: string): string {
  prepareFolder(folder);
  const path = join(folder, fileName);
  // Created before SQLite opens it, because SQLite copies this file's mode to its WAL and shared-memory files.
  closeSync(openSync(path, 'a', 0o600));
  return path;
}

const closedError = (): Error => new Error('The store has been closed.');

interface PendingCall {
  readonly onRecords: (records: string | Uint8Array) => void;
  readonly resolve: (result: any) => void;
  readonly reject: (error: Error) => void;
}

type Result<Name extends keyof Session> = Awaited<ReturnType<Session[Name]>>;

/** A session in its own thread, or in this one if there is no worker script. */
class Thread {
  readonly #pending = new Map<number, PendingCall>();
  readonly #channel: SessionChannel;
  readonly ready: Promise<void>;
  #lastNumber = 0;
  #open = false;
  #closeError: Error | undefined;
  readonly #options: SessionOptions;

  constructor(options: SessionOptions, code: URL | null) {
    this.#options = options;
    this.ready = this.#expect(0, () => undefined).then(() => {
      this.#open = true;
    });
    // Not every caller awaits `ready`; calls fail with the same error.
    this.ready.catch(() => undefined);
    const onReply = (reply: Reply) => this.#handleReply(reply);
    this.#channel = code ? inThread(options, code, onReply, (error) => this.#fail(error)) : inProcess(options, onReply);
  }

  /** Whether the session accepts calls. */
  get isOpen(): boolean {
    return this.#open && !this.#closeError;
  }

  call<Name extends keyof Session>(
    name: Name,
    values: Parameters<Session[Name]>,
    onRecords: PendingCall['onRecords'] = () => undefined,
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
    this.#closeError = closedError();
    await this.#channel.end();
  }

  #expect(number: number, onRecords: PendingCall['onRecords']): Promise<any> {
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
    if ('failure' in reply) {
      const StoreError = reply.unavailable ? StoreUnavailableError : Error;
      pending.reject(reply.timedOut ? this.#timeoutError() : new StoreError(`The store failed: ${reply.failure}`));
    } else pending.resolve(reply.result);
  }

  #timeoutError(): Error {
    const { stop, searchTimeoutMs } = this.#options;
    return Atomics.load(stop, 0) === 0 ? new SearchTimeout(searchTimeoutMs) : closedError();
  }

  #fail(error: Error): void {
    this.#closeError ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#closeError);
    this.#pending.clear();
  }
}
