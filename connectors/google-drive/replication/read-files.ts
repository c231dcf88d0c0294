import type { Batch, Failure, Source, StoredRecord } from '../../../src/authoring.js';
import { contentOf } from './content.js';
import type { Item } from './items.js';
import { hasReaders, storedReaders } from './readers.js';

/** A file and its path below the synced folder. */
export interface FileAtPath {
  readonly item: Item;
  readonly path: string;
  /** Whether to read the file even if it has not changed. */
  readonly isForced?: boolean;
}

/** Files read concurrently. */
const concurrency = 4;
/** Batch size: small, so that an interrupted run loses little. */
const batchSize = 24;

/** Result of reading files: records, and files to retry later. */
export interface FileBatch extends Pick<Batch, 'failed'> {
  readonly records: readonly StoredRecord[];
  readonly retryIds: readonly string[];
}

/** Reads files in batches; unchanged ones in the replica are skipped. */
export async function* readFiles(source: Source, files: readonly FileAtPath[]): AsyncGenerator<FileBatch> {
  for (let at = 0; at < files.length; at += batchSize) {
    const batch = files.slice(at, at + batchSize);
    const stored = await source.stored(batch.map(({ item }) => item.id));
    const records: StoredRecord[] = [];
    const failed: Failure[] = [];
    const retryIds: string[] = [];
    await forEachConcurrently(batch, concurrency, async ({ item, path, isForced }) => {
      source.signal.throwIfAborted();
      const readers = hasReaders(source.config) ? await storedReaders(source, item.id) : null;
      const storedRecord = stored.get(item.id);
      if (storedRecord && !isForced && isSame(storedRecord, item)) {
        const isKept = storedRecord.file_path === path && isEqual(storedRecord.readers ?? null, readers);
        if (!isKept) records.push({ ...storedRecord, file_path: path, readers });
        return;
      }
      const content = await contentOf(source, item);
      records.push({ ...recordOf(item, path, content.text), readers });
      if (!('failure' in content)) return;
      failed.push({ id: item.id, field: 'content', message: `${path}: ${content.failure}` });
      if (content.canRetry) retryIds.push(item.id);
    });
    if (records.length > 0) yield { records, failed, retryIds };
  }
}

const isSame = (storedRecord: StoredRecord, { modifiedTime, name, mimeType }: Item) =>
  storedRecord.updated_at === modifiedTime && storedRecord.file_name === name && storedRecord.mime_type === mimeType;

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const recordOf = ({ id, modifiedTime, name, mimeType }: Item, path: string, content: string | null): StoredRecord => ({
  id,
  updated_at: modifiedTime,
  file_name: name,
  file_path: path,
  mime_type: mimeType,
  content,
});

/** Maps over items with limited concurrency. */
export async function forEachConcurrently<T>(
  things: readonly T[],
  limit: number,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const rest = things.values();
  await Promise.all(
    Array.from({ length: Math.min(limit, things.length) }, async () => {
      for (const thing of rest) await work(thing);
    }),
  );
}
