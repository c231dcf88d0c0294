import { ConnectorError, type Source } from '../../../src/authoring.js';
import type { SyncedFolder } from './items.js';
import {
  folderType,
  getItem,
  type Item,
  itemsIn,
  joinPath,
  listItems,
  PathResolver,
  shortcutType,
  targetOf,
} from './items.js';
import { type FileAtPath, forEachConcurrently } from './read-files.js';

/** The path under which files shared by others appear, next to the contents of the synced folder. */
const sharedPath = 'Shared with me';

/** Files shared by others, in addition to the synced folder. */
export interface Shared {
  /** Files by id, each listed at one of its locations. */
  readonly files: ReadonlyMap<string, FileAtPath>;
  /** Whether Google reports that the list may be incomplete. */
  readonly isIncomplete: boolean;
}

const concurrency = 4;

/** Lists the files shared by others, including those in shared folders; empty unless requested. */
export async function sharedFiles(source: Source, folder: SyncedFolder): Promise<Shared> {
  const files = new Map<string, FileAtPath>();
  let isIncomplete = false;
  if (!isWanted(source.config.shared_with_me)) return { files, isIncomplete };
  const paths = new PathResolver(source, folder);
  // Lists restricted to a drive do not contain items shared from elsewhere.
  const unscopedFolder = { ...folder, driveId: undefined };
  const ahead: Array<readonly [path: string, folder?: Pick<Item, 'id' | 'resourceKey'>]> = [[sharedPath]];
  const walked = new Set([folder.id]);

  const addItem = async (item: Item, path: string): Promise<void> => {
    const target = targetOf(item);
    if (item.mimeType === folderType) {
      if (!walked.has(item.id)) ahead.push([path, item]);
      walked.add(item.id);
      return;
    }
    const file = target === undefined ? item : await getItem(source, target, item.shortcutDetails?.targetResourceKey);
    if (!file || file.trashed || file.mimeType === folderType || file.mimeType === shortcutType) return;
    // Choose the location that sorts first, so that it is the same in every run.
    const known = files.get(file.id);
    if (!known || path < known.path) files.set(file.id, { item: file, path });
  };
  const walk = async (path: string, { id, resourceKey }: Partial<Item> = {}): Promise<void> => {
    let pageToken: string | undefined;
    do {
      source.signal.throwIfAborted();
      const page =
        id === undefined
          ? await listItems(source, 'sharedWithMe = true', pageToken)
          : await itemsIn(source, unscopedFolder, id, { pageToken, resourceKey });
      isIncomplete ||= page.isIncomplete;
      await forEachConcurrently(page.items, concurrency, async (item) => {
        // Files in the synced folder keep their location there.
        if (id !== undefined || (await paths.pathOf(item)) === undefined)
          await addItem(item, joinPath(path, item.name));
      });
      pageToken = page.next;
    } while (pageToken !== undefined);
  };
  while (ahead.length > 0) await forEachConcurrently(ahead.splice(-concurrency), concurrency, (next) => walk(...next));
  return { files, isIncomplete };
}

/** Ids of stored files that are no longer shared. */
export async function noLongerShared(source: Source, { files, isIncomplete }: Shared): Promise<string[]> {
  const gone: string[] = [];
  if (isIncomplete || !isWanted(source.config.shared_with_me)) return gone;
  for await (const id of source.storedWith({ file_path: { startsWith: `${sharedPath}/` } })) {
    if (!files.has(id)) gone.push(id);
  }
  return gone;
}

/** Files stored as shared by others. */
export async function sharedBefore(source: Source, ids: readonly string[]): Promise<Shared> {
  const files = new Map<string, FileAtPath>();
  for (const [id, { file_path: path }] of await source.stored(ids)) {
    if (typeof path === 'string' && path.startsWith(`${sharedPath}/`)) files.set(id, { item: { id } as Item, path });
  }
  return { files, isIncomplete: false };
}

/** An incomplete list does not prove that anything was deleted. */
export function assertComplete(isIncomplete: boolean): void {
  if (isIncomplete) throw new ConnectorError('vendor_error', 'Google Drive returned an incomplete list.');
}

/** Whether a setting that may be given as text is on. */
export const isWanted = (given: unknown): boolean => given === true || given === 'true';
