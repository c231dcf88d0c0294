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
      const readers = hasReaders(source.config) ? await storedReaders(source, item) : null;
      const storedRecord = stored.get(item.id);
      if (storedRecord && !isForced && isSame(storedRecord, item)) {
        const kept = { ...storedRecord, file_path: path, readers, content_version: contentVersion(item) };
        const isKept = isEqual(kept, { ...storedRecord, readers: storedRecord.readers ?? null });
        const isRead = storedRecord.content_state === 'read';
        // A stored record counts as read, and a run from the beginning forgets what earlier ones could not read.
        if (isRead || (isKept && source.state !== undefined && typeof storedRecord.content_state === 'string')) {
          if (!isKept) records.push(kept);
          return;
        }
      }
      const { canRetry, text, state, cause, detail, permanent } = await contentOf(source, item);
      records.push({
        ...recordOf(item, path),
        content: text,
        content_state: state,
        content_cause: cause ?? null,
        readers,
      });
      if (canRetry) retryIds.push(item.id);
      if (state === 'read') return;
      const message = detail === undefined ? path : `${path}: ${detail}`;
      failed.push({
        id: item.id,
        field: 'content',
        message,
        state,
        ...(cause && { cause }),
        ...(permanent && { permanent }),
      });
    });
    if (records.length > 0) yield { records, failed, retryIds };
  }
}

/** Identifies the content, which may change without the modification time: programs can set that. */
const contentVersion = ({ md5Checksum, headRevisionId, version }: Item): string | null =>
  md5Checksum ?? headRevisionId ?? version ?? null;

const isSame = (storedRecord: StoredRecord, item: Item) =>
  storedRecord.updated_at === item.modifiedTime &&
  storedRecord.file_name === item.name &&
  storedRecord.mime_type === item.mimeType &&
  // Unknown in records that an earlier release has stored.
  [contentVersion(item), null, undefined].includes(storedRecord.content_version as string | null | undefined);

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const recordOf = (item: Item, path: string): StoredRecord => ({
  id: item.id,
  updated_at: item.modifiedTime,
  file_name: item.name,
  file_path: path,
  mime_type: item.mimeType,
  content_version: contentVersion(item),
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
