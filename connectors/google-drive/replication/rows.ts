import type { Batch, Failure, Source, StoredRecord } from '../../../src/authoring.js';
import { contentOf } from './content.js';
import type { Item } from './items.js';

/** A file and its path below the synced folder. */
export interface Placed {
  readonly item: Item;
  readonly path: string;
  /** Whether it is read although nothing about it has changed. */
  readonly isForced?: boolean;
}

/** So many files are read at once. */
const abreast = 4;
/** So many make a batch: little is lost where a run is interrupted. */
const together = 24;

/** What has become of some files: records, and which of them are to be read again. */
export interface Rows extends Pick<Batch, 'records' | 'failed'> {
  readonly again: readonly string[];
}

/** Reads files some at a time; of those that the replica holds as they are nothing comes. */
export async function* rowsOf(source: Source, files: readonly Placed[]): AsyncGenerator<Rows> {
  for (let at = 0; at < files.length; at += together) {
    const some = files.slice(at, at + together);
    const stored = await source.stored(some.map(({ item }) => item.id));
    const records: StoredRecord[] = [];
    const failed: Failure[] = [];
    const again: string[] = [];
    const read: Placed[] = [];
    for (const placed of some) {
      const held = stored.get(placed.item.id);
      if (!held || placed.isForced || !isSame(held, placed.item)) read.push(placed);
      else if (held.file_path !== placed.path) records.push({ ...held, file_path: placed.path });
    }
    await each(read, abreast, async ({ item, path }) => {
      source.signal.throwIfAborted();
      const content = await contentOf(source, item);
      records.push(recordOf(item, path, content.text));
      if (!('failure' in content)) return;
      failed.push({ id: item.id, message: `${path}: ${content.failure}` });
      if (content.again) again.push(item.id);
    });
    if (records.length > 0) yield { records, failed, again };
  }
}

const isSame = (held: StoredRecord, { modifiedTime, name, mimeType }: Item) =>
  held.updated_at === modifiedTime && held.file_name === name && held.mime_type === mimeType;

const recordOf = ({ id, modifiedTime, name, mimeType }: Item, path: string, content: string | null): StoredRecord => ({
  id,
  updated_at: modifiedTime,
  file_name: name,
  file_path: path,
  mime_type: mimeType,
  content,
});

/** Does the same with all of some things, a few at once. */
export async function each<T>(things: readonly T[], most: number, work: (thing: T) => Promise<void>): Promise<void> {
  const rest = things.values();
  await Promise.all(
    Array.from({ length: Math.min(most, things.length) }, async () => {
      for (const thing of rest) await work(thing);
    }),
  );
}
