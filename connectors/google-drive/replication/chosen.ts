import type { Batch, Failure, Source, StoredRecord } from '../../../src/authoring.js';
import { getItem, type Item, isFile } from './items.js';
import { type FileAtPath, forEachConcurrently, readFiles } from './read-files.js';

const concurrency = 4;

/** Ids of the files to replicate instead of a folder; undefined if a folder is replicated. */
export const chosenIds = ({ config }: Pick<Source, 'config'>): readonly string[] | undefined =>
  config.file_ids as readonly string[] | undefined;

/** The files among these that can be read. A folder is none: `drive.file` does not cover its contents. */
export async function visibleFiles(source: Source, ids: readonly string[]): Promise<Item[]> {
  const found: Item[] = [];
  await forEachConcurrently(ids, concurrency, async (id) => {
    source.signal.throwIfAborted();
    const item = await getItem(source, id);
    if (item && !item.trashed && isFile(item)) found.push(item);
  });
  return found;
}

/** Reads the chosen files, each by its id, and removes all others. */
export async function* readChosen(source: Source, chosen: readonly string[]): AsyncGenerator<Batch> {
  const { again: before = [] } = (source.state ?? {}) as { readonly again?: string[] };
  const again: string[] = [];
  const items = await visibleFiles(source, chosen);
  const files = items.map((item): FileAtPath => ({ item, path: item.name, isForced: before.includes(item.id) }));
  for await (const { retryIds, ...batch } of readFiles(source, files)) {
    again.push(...retryIds);
    yield { ...batch, state: { again: before } };
  }
  const kept = new Set(items.map(({ id }) => id));
  const removed: string[] = [];
  for await (const id of source.storedIds()) if (!kept.has(id)) removed.push(id);
  yield { removed, state: { again } };
}

/** Reads some of the chosen files. */
export async function readSome(source: Source, ids: readonly string[], chosen: readonly string[]) {
  const items = await visibleFiles(
    source,
    ids.filter((id) => chosen.includes(id)),
  );
  const all = { records: [] as StoredRecord[], failed: [] as Failure[], retryIds: [] as string[] };
  for await (const { records, failed = [], retryIds } of readFiles(
    source,
    items.map((item) => ({ item, path: item.name })),
  )) {
    all.records.push(...records);
    all.failed.push(...failed);
    all.retryIds.push(...retryIds);
  }
  return all;
}
