import * as z from 'zod';
import { type Action, ConnectorError, type HttpRequest, type Result, type Source } from '../../../src/authoring.js';
import { files } from '../files.js';
import { keyHeader } from '../operations.js';

const google = 'application/vnd.google-apps.';

export const folderType = `${google}folder`;
export const shortcutType = `${google}shortcut`;

/** Whether an item is a file, not a folder or a shortcut. */
export const isFile = ({ mimeType }: { readonly mimeType: string }): boolean =>
  mimeType !== folderType && mimeType !== shortcutType;

/** The fields of a file, folder or shortcut that a replica needs. */
export interface Item {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly modifiedTime: string;
  readonly size?: string;
  /** Increases with every change, including those that do not affect the content. */
  readonly version?: string;
  /** Checksum of the content; absent for native documents. */
  readonly md5Checksum?: string;
  readonly headRevisionId?: string;
  /** Required for some files and folders shared by link before 2021. */
  readonly resourceKey?: string | undefined;
  readonly parents?: readonly string[];
  readonly trashed?: boolean;
  readonly shortcutDetails?: {
    readonly targetId?: string;
    readonly targetMimeType?: string;
    readonly targetResourceKey?: string;
  };
}

/** Fields to request for each item. */
export const itemFields =
  'id,name,mimeType,modifiedTime,size,version,md5Checksum,headRevisionId,resourceKey,parents,trashed,' +
  'shortcutDetails(targetId,targetMimeType,targetResourceKey)';

const { list } = files.actions;

/** `files.list` for the contents of a folder that requires a resource key. */
export const keyedList: Action = {
  ...list,
  params: z.record(z.string(), z.unknown()),
  request: ({ folder, resourceKey, ...params }, call) => ({
    ...(list.request(params, call) as HttpRequest),
    headers: keyHeader(folder, resourceKey),
  }),
};

/** The target file of a shortcut; shortcuts to folders are not followed. */
export const targetOf = ({ mimeType, shortcutDetails }: Item): string | undefined =>
  mimeType === shortcutType && shortcutDetails?.targetMimeType !== folderType ? shortcutDetails?.targetId : undefined;

/** A page of a folder's contents. */
export interface Page {
  readonly items: readonly Item[];
  readonly next: string | undefined;
  /** Whether Google reports an incomplete list. */
  readonly isIncomplete: boolean;
}

/** Runs that have restarted a list, each at most once: a token of the same run does not expire. */
const restarted = new WeakSet<Source['shared']>();

/** Lists untrashed items that match a query, page by page. */
export async function listItems(
  { execute, call, shared }: Source,
  condition: string,
  pageToken?: string,
  { driveId, trashed = false, keyed }: { driveId?: string | undefined; trashed?: boolean; keyed?: object } = {},
): Promise<Page> {
  const params = {
    q: `${condition}${trashed ? '' : ' and trashed = false'}`,
    pageSize: 1000,
    supportsAllDrives: true,
    includeItemsFromAllDrives: true,
    ...(driveId !== undefined && { corpora: 'drive', driveId }),
    fields: `kind,nextPageToken,incompleteSearch,files(${itemFields})`,
  };
  const fetchPage = (token: string | undefined): Promise<Result<any, any>> => {
    const pageParams = token === undefined ? params : { ...params, pageToken: token };
    return keyed ? call('keyed_list', { ...pageParams, ...keyed }) : execute('files', 'list', pageParams);
  };
  const { data, meta } = await fetchPage(pageToken).catch((error: unknown) => {
    // Tokens expire after several hours: restart the list if one is rejected.
    if (pageToken === undefined || codeOf(error) !== 'invalid_params' || restarted.has(shared)) throw error;
    restarted.add(shared);
    return fetchPage(undefined);
  });
  return { items: data, next: meta.nextPageToken ?? undefined, isIncomplete: meta.incompleteSearch === true };
}

/** Lists a folder's contents page by page; empty if the folder was deleted. */
export async function itemsIn(
  source: Source,
  { id, driveId, resourceKey: rootKey }: SyncedFolder,
  folder: string,
  options: { pageToken?: string | undefined; trashed?: boolean; resourceKey?: string | undefined } = {},
): Promise<Page> {
  const { pageToken, trashed } = options;
  const resourceKey = options.resourceKey ?? (folder === id ? rootKey : undefined);
  const condition = `'${folder.replace(/['\\]/g, '\\$&')}' in parents`;
  try {
    return await listItems(source, condition, pageToken, {
      driveId,
      ...(trashed !== undefined && { trashed }),
      ...(resourceKey && { keyed: { folder, resourceKey } }),
    });
  } catch (error) {
    // Treating the synced folder itself as empty would delete everything.
    if (codeOf(error) !== 'not_found' || folder === id) throw error;
    return { items: [], next: undefined, isIncomplete: false };
  }
}

/** One item; undefined if deleted or not visible. */
export async function getItem({ execute }: Source, id: string, resourceKey?: string): Promise<Item | undefined> {
  const params = { fileId: id, fields: itemFields, supportsAllDrives: true, ...withKey(resourceKey) };
  try {
    return (await execute('files', 'get', params)).data;
  } catch (error) {
    if (codeOf(error) === 'not_found') return undefined;
    throw error;
  }
}

/** The parameter for a file's resource key, if it has one. */
export const withKey = (resourceKey: string | null | undefined) => (resourceKey ? { resourceKey } : {});

/** The error code, if it is a ConnectorError. */
const codeOf = (error: unknown): string | undefined => (error instanceof ConnectorError ? error.code : undefined);

/** A path with a name appended. */
export const joinPath = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`);

/** Resolves paths below the synced folder, caching folders. */
export class PathResolver {
  readonly #source: Source;
  readonly #root: string;
  readonly #folders = new Map<string, Item | undefined>();

  constructor(source: Source, { id }: SyncedFolder) {
    this.#source = source;
    this.#root = id;
  }

  /** Adds a folder to the cache. */
  addFolder(folder: Item): void {
    this.#folders.set(folder.id, folder);
  }

  /** The path of an item; undefined if it is not below the synced folder. */
  async pathOf(item: Item): Promise<string | undefined> {
    const names = [item.name];
    const seen = new Set([item.id]);
    for (let at = item.parents?.[0]; at !== this.#root; ) {
      if (at === undefined || seen.has(at)) return undefined;
      seen.add(at);
      if (!this.#folders.has(at)) this.#folders.set(at, await getItem(this.#source, at));
      const folder = this.#folders.get(at);
      if (!folder) return undefined;
      names.unshift(folder.name);
      at = folder.parents?.[0];
    }
    return names.join('/');
  }
}

/** The synced folder. */
export interface SyncedFolder {
  readonly id: string;
  /** The shared drive that the folder is or belongs to. */
  readonly driveId: string | undefined;
  readonly resourceKey?: string | undefined;
  /** Whether a change log covers everything in the folder; logs for other users' folders are incomplete. */
  readonly hasChangeLog: boolean;
}
