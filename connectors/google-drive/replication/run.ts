import type { Batch, Source, StoredRecord } from '../../../src/authoring.js';
import type { SyncedFolder } from './items.js';
import {
  folderType,
  getItem,
  type Item,
  itemsIn,
  joinPath,
  type Page,
  PathResolver,
  shortcutType,
  targetOf,
} from './items.js';
import { type FileAtPath, forEachConcurrently, readFiles } from './read-files.js';
import type { Shared } from './shared.js';
import { type Link, type PendingFolder, type State, serializeState } from './state.js';

/** Maximum files queued for another read; if more fail, the next run walks the whole folder. */
const maxRetryIds = 200;
/** The state is saved after this many folders even if nothing has changed. */
const maxUnsavedFolders = 50;
const concurrency = 4;

/** One run over a synced folder: its dependencies and state. */
export class Run {
  readonly source: Source;
  readonly folder: SyncedFolder;
  readonly shared: Shared;
  readonly state: State;
  /** Files seen since the full walk started; undefined if this run has no full walk. */
  seenFiles: Set<string> | undefined;
  readonly #lists = new Map<string, Promise<Page>>();
  /** The last saved state, if nothing has changed since. */
  #savedState: string | undefined;

  constructor(source: Source, folder: SyncedFolder, shared: Shared, state: State) {
    this.source = source;
    this.folder = folder;
    this.shared = shared;
    this.state = state;
    if (source.state !== undefined) this.#savedState = JSON.stringify(serializeState(state));
  }

  /** Yields deleted files and the position, unless nothing has changed. */
  *saveState(removed: readonly string[] = []): Generator<Batch> {
    const state = serializeState(this.state);
    const text = JSON.stringify(state);
    if (removed.length === 0 && text === this.#savedState) return;
    this.#savedState = text;
    yield { removed, state };
  }

  /** Starts a full walk; anything it does not find was deleted. */
  startFullWalk(): void {
    const { state, folder } = this;
    Object.assign(state, { ahead: [[folder.id, '']], page: null, links: [], isWalkDue: false });
    // A new replica has nothing to remove.
    if (this.source.state !== undefined) state.isRemovalDue = true;
    state.fingerprints.clear();
    this.#lists.clear();
    this.seenFiles = new Set();
  }

  /** Lists the pending folders. */
  async *walk(): AsyncGenerator<Batch> {
    let unsavedFolders = 0;
    const walked = new Set<string>();
    for (let at = this.state.ahead.at(-1); at; at = this.state.ahead.at(-1)) {
      const [id, path] = at;
      const key = keyOf(at);
      // A folder may be reachable more than once.
      if (this.state.page === null && walked.has(key)) {
        this.state.ahead.pop();
        continue;
      }
      walked.add(key);
      const page = await this.#page(id, path === null);
      if (page.isIncomplete) this.seenFiles = undefined;
      const batches = path === null ? this.#removePage(id, page) : this.#syncPage(id, path, page);
      unsavedFolders += 1;
      for await (const batch of batches) {
        if (isEmpty(batch) && unsavedFolders < maxUnsavedFolders) continue;
        unsavedFolders = 0;
        this.#savedState = undefined;
        yield batch;
      }
    }
    if (unsavedFolders > 0) yield* this.saveState();
  }

  /** Reads files; all batches but the last keep the previous state. */
  async *syncFiles(files: readonly FileAtPath[]): AsyncGenerator<Batch> {
    for (const { item } of files) this.seenFiles?.add(item.id);
    const { state } = this;
    for await (const { records, failed, retryIds } of readFiles(this.source, files)) {
      const readIds = new Set(records.map(({ id }) => id));
      for (const id of retryIds) readIds.delete(id);
      const again = [...new Set([...state.again.filter((id) => !readIds.has(id)), ...retryIds])];
      for (const { item } of files) if (retryIds.includes(item.id)) this.#rememberKey(item.id, item.resourceKey);
      state.again = again.slice(0, maxRetryIds);
      const excessIds = again.slice(maxRetryIds);
      if (excessIds.length > 0) state.isWalkDue = true;
      this.#savedState = undefined;
      yield { records: await this.#withoutUnread(records, excessIds), failed, state: serializeState(state) };
    }
  }

  /** Leaves files as they are in the replica, except for path and readers, so that the next walk reads them again. */
  async #withoutUnread(records: readonly StoredRecord[], unreadIds: readonly string[]): Promise<StoredRecord[]> {
    const unread = new Set(unreadIds);
    const stored = unread.size > 0 ? await this.source.stored(unreadIds) : new Map<string, StoredRecord>();
    return records.flatMap((record) => {
      if (!unread.has(record.id as string)) return [record];
      const before = stored.get(record.id as string);
      return before ? [{ ...before, file_path: record.file_path, readers: record.readers }] : [];
    });
  }

  #rememberKey(id: string, resourceKey: string | null | undefined): void {
    if (resourceKey) this.state.keys[id] = resourceKey;
  }

  /** Queues folders to list next. */
  queue(folders: readonly Item[], pathOf: (folder: Item) => string | null): void {
    for (const folder of folders) {
      this.#rememberKey(folder.id, folder.resourceKey);
      this.state.ahead.push([folder.id, pathOf(folder)]);
    }
  }

  /** Records a shortcut's location or deletion; after a deletion, its target has to be checked. */
  link(id: string, link?: Link, targetKey?: string | null): void {
    const { links, unsure } = this.state;
    if (link) this.#rememberKey(link[1], targetKey);
    const at = links.findIndex(([shortcut]) => shortcut === id);
    const [, before] = links[at] ?? [];
    if (at >= 0) links.splice(at, 1);
    if (link) links.push(link);
    if (before !== undefined && before !== link?.[1]) unsure.push(before);
  }

  /** Whether a shortcut in the synced folder points to a file. */
  isLinked(id: string): boolean {
    return this.state.links.some(([, target]) => target === id);
  }

  /** Whether to keep a file even if it is outside the synced folder. */
  isReferenced(id: string): boolean {
    return this.isLinked(id) || this.shared.files.has(id);
  }

  /** Adds files shared by others, except shortcut targets, which use the shortcut's location. */
  syncSharedFiles(): AsyncGenerator<Batch> {
    return this.syncFiles([...this.shared.files.values()].filter(({ item }) => !this.isLinked(item.id)));
  }

  /** Checks current and former shortcut targets, and files to retry. */
  async *revisit(retryIds: readonly string[]): AsyncGenerator<Batch> {
    const { source, folder, shared, state } = this;
    const paths = new PathResolver(source, folder);
    const linked = new Map<string, string>();
    for (const [, target, path] of state.links) if (!linked.has(target)) linked.set(target, path);
    const found: FileAtPath[] = [];
    const removed: string[] = [];
    await forEachConcurrently(
      [...new Set([...retryIds, ...state.unsure, ...linked.keys()])],
      concurrency,
      async (id) => {
        const item = await getItem(source, id, state.keys[id]);
        const isFile = item && !item.trashed && item.mimeType !== folderType && item.mimeType !== shortcutType;
        const elsewhere = linked.get(id) ?? shared.files.get(id)?.path;
        const path = isFile ? ((await paths.pathOf(item)) ?? elsewhere) : undefined;
        if (item && path !== undefined) found.push({ item, path, isForced: retryIds.includes(id) });
        else removed.push(id);
      },
    );
    yield* this.syncFiles(found);
    state.unsure = [];
    state.again = state.again.filter((id) => !removed.includes(id));
    yield* this.saveState(removed);
  }

  /** Deletes everything that a full walk did not find. */
  async *sweep(): AsyncGenerator<Batch> {
    const { seenFiles, shared, state } = this;
    let removed: string[] = [];
    if (seenFiles && !shared.isIncomplete) {
      for await (const id of this.source.storedIds()) if (!seenFiles.has(id) && !shared.files.has(id)) removed.push(id);
    }
    for (; removed.length > 1000; removed = removed.slice(1000)) yield* this.saveState(removed.slice(0, 1000));
    if (state.isRemovalDue) state.isRemovalDue = false;
    yield* this.saveState(removed);
  }

  /** The next page of a folder; following folders are prefetched. */
  async #page(id: string, trashed: boolean): Promise<Page> {
    const { source, folder, state } = this;
    const { keys } = state;
    if (state.page !== null)
      return itemsIn(source, folder, id, { pageToken: state.page, trashed, resourceKey: keys[id] });
    for (const ahead of state.ahead.slice(-concurrency).reverse()) {
      const key = keyOf(ahead);
      if (this.#lists.has(key)) continue;
      const list = itemsIn(source, folder, ahead[0], { trashed: ahead[1] === null, resourceKey: keys[ahead[0]] });
      // The failure is handled by the consumer.
      list.catch(() => undefined);
      this.#lists.set(key, list);
    }
    const key = keyOf(state.ahead.at(-1)!);
    const page = this.#lists.get(key)!;
    this.#lists.delete(key);
    return page;
  }

  /** Advances after a page: to the next one, or to the folders found. */
  #advance({ next }: Page, folders: readonly Item[], path: string | null): void {
    const { state } = this;
    const current = state.ahead.pop()!;
    state.page = next ?? null;
    this.queue(folders, ({ name }) => (path === null ? null : joinPath(path, name)));
    if (next === undefined) return;
    // The folder stays first until its last page.
    state.ahead.push(current);
  }

  async *#syncPage(id: string, path: string, page: Page): AsyncGenerator<Batch> {
    const { state } = this;
    const files: FileAtPath[] = [];
    const folders: Item[] = [];
    const links: { readonly link: Link; readonly targetKey: string | undefined }[] = [];
    for (const item of page.items) {
      const itemPath = joinPath(path, item.name);
      const target = targetOf(item);
      if (item.mimeType === folderType) folders.push(item);
      else if (target !== undefined) {
        links.push({ link: [item.id, target, itemPath], targetKey: item.shortcutDetails?.targetResourceKey });
      } else if (item.mimeType !== shortcutType) files.push({ item, path: itemPath });
    }
    yield* this.syncFiles(files);
    if (id === state.root) state.fingerprints.add(rootOf(id));
    for (const folder of folders) state.fingerprints.add(folder);
    for (const { link, targetKey } of links) this.link(link[0], link, targetKey);
    this.#advance(page, folders, path);
    yield { state: serializeState(state) };
  }

  async *#removePage(id: string, page: Page): AsyncGenerator<Batch> {
    const { state } = this;
    const folders: Item[] = [];
    const removed: string[] = [];
    for (const item of page.items) {
      if (item.mimeType === folderType) folders.push(item);
      else if (item.mimeType === shortcutType) this.link(item.id);
      else if (!this.isReferenced(item.id)) removed.push(item.id);
    }
    for (const gone of [id, ...folders.map((folder) => folder.id)]) state.fingerprints.remove(gone);
    this.#advance(page, folders, null);
    yield { removed, state: serializeState(state) };
  }
}

const keyOf = ([id, path]: PendingFolder) => (path === null ? `${id} gone` : id);

/** The synced folder as the root of fingerprints: its own name and location do not matter. */
export const rootOf = (id: string): Item => ({ id, name: '', mimeType: folderType, modifiedTime: '' });

const isEmpty = ({ records, removed, failed }: Batch) => !records?.length && !removed?.length && !failed?.length;
