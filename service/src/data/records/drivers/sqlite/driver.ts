import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { builtFile } from '../../../../common/built-file.js';
import { prepareFolder } from '../../../folder.js';
import type { IdentifiedRecord, StoredRecord } from '../../entity.js';
import { recordsOf } from '../../passages/ranking.js';
import { recordsIn } from '../../rows.js';
import type { Layout } from '../../schema.js';
import type { Driver, PassageDriver } from '../driver.js';
import { type SessionOptions, Thread } from './session.js';

/** Where SQLite keeps the records, and how many threads read them. */
export interface SqliteOptions {
  readonly folder: string;
  readonly layouts: readonly Layout[];
  readonly now: number;
  readonly readers: number;
  readonly worker: URL | null | undefined;
}

const fileName = 'records.db';

/** The code of the threads; without it, everything runs in this one. */
const builtWorker = (): URL | null => builtFile(new URL('./store-worker.js', import.meta.url));

const parseIdentified = (text: string): IdentifiedRecord[] => recordsIn(text) as unknown as IdentifiedRecord[];

/** Opens the records in a folder: one thread writes, others read, and none waits for another kind. */
export async function openSqlite({ folder, layouts, now, readers, worker }: SqliteOptions): Promise<Driver> {
  const location = folder === ':memory:' ? folder : prepareFile(folder);
  const code = worker === undefined ? builtWorker() : worker;
  const start = (role: SessionOptions['role']): Thread => new Thread({ location, layouts, role, now }, code);
  const writer = start('writer');
  try {
    await writer.ready;
  } catch (error) {
    await writer.close();
    throw error;
  }
  // A database in memory belongs to one connection. Nothing waits for the readers: until they are ready the writer reads.
  const readerCount = location === ':memory:' ? 0 : readers;
  return createDriver(
    writer,
    Array.from({ length: readerCount }, () => start('reader')),
  );
}

function createDriver(writer: Thread, readers: readonly Thread[]): Driver {
  const leastBusyReader = (): Thread => {
    const open = readers.filter((thread) => thread.isOpen);
    return open.reduce((least, one) => (one.busy < least.busy ? one : least), open[0] ?? writer);
  };
  const vectorThread = async (): Promise<Thread> => {
    const last = readers.at(-1);
    await last?.ready;
    return last ?? writer;
  };
  const sweepAll = async (): Promise<number> => {
    let removed = 0;
    for (;;) {
      const count = await writer.call('sweep', []);
      if (count === undefined) return removed;
      removed += count;
    }
  };
  // What a connector left that was removed just before a crash.
  const initialSweep = sweepAll();
  initialSweep.catch(() => undefined);
  return {
    write: ({ table }, connectorId, records, texts) => writer.call('write', [table, connectorId, records, texts]),
    remove: ({ table }, connectorId, ids) => writer.call('remove', [table, connectorId, ids]),
    async removeConnector(connectorId) {
      await initialSweep;
      await writer.call('detachConnector', [connectorId]);
      return sweepAll();
    },
    async search({ table }, connectorId, plan) {
      const records: StoredRecord[] = [];
      const end = await leastBusyReader().call('search', [table, connectorId, plan], (text) => {
        for (const record of recordsIn(text)) records.push(record);
      });
      return { records, ...end };
    },
    get: async ({ table }, connectorId, ids) =>
      parseIdentified(await leastBusyReader().call('get', [table, connectorId, ids])),
    count: ({ table }, connectorId) => leastBusyReader().call('count', [table, connectorId]),
    ids: ({ table }, connectorId, after, limit) => leastBusyReader().call('ids', [table, connectorId, after, limit]),
    records: async ({ table }, connectorId, after, limit) =>
      parseIdentified(await leastBusyReader().call('records', [table, connectorId, after, limit])),
    connectors: () => leastBusyReader().call('connectors', []),
    passages: createPassageDriver(writer, leastBusyReader, vectorThread),
    async close() {
      await Promise.all(readers.map((thread) => thread.close()));
      await writer.close();
    },
  };
}

/** `vectorThread` is the one thread that holds vectors in memory: a second copy would cost more than it spares. */
function createPassageDriver(writer: Thread, reader: () => Thread, vectorThread: () => Promise<Thread>): PassageDriver {
  return {
    lexical: ({ table }, scope, prompt) => reader().call('lexical', [table, scope, prompt]),
    async nearest({ table }, scope, embedder, vector, selection) {
      const thread = await vectorThread();
      const { ranking, read } = await thread.call('nearest', [table, scope, embedder, vector, selection]);
      return { ranking, ...(read && { read: { texts: read.texts, records: parseIdentified(read.records) } }) };
    },
    async read({ table }, connectorId, found, window) {
      const passages = found.map(({ passage }) => passage);
      const read = reader().call('passages', [table, connectorId, passages, recordsOf(found), window]);
      const { texts, records } = await read;
      return { texts, records: parseIdentified(records) };
    },
    unembedded: (embedder, limit) => reader().call('unembedded', [embedder, limit]),
    embed: (embedder, vectors) => writer.call('embed', [embedder, vectors]),
    texts: ({ table }, connectorId, ids) => reader().call('texts', [table, connectorId, ids]),
    vectors: (passages) => reader().call('vectors', [passages]),
    dimensions: (embedder) => reader().call('dimensions', [embedder]),
    async keepEmbedders(embedders) {
      // In batches, so that other writes need not wait for all of it.
      while (await writer.call('removeOtherEmbedders', [embedders]));
    },
    count: ({ table }, connectorId, field, embedder) =>
      reader().call('passageCount', [table, connectorId, field, embedder]),
  };
}

function prepareFile(folder: string): string {
  prepareFolder(folder);
  const path = join(folder, fileName);
  // Before SQLite does: its log and its shared memory take over the mode of this file.
  closeSync(openSync(path, 'a', 0o600));
  return path;
}
