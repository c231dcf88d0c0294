import { ConnectorError, type Result, type Source } from '../../../src/authoring.js';

const google = 'application/vnd.google-apps.';

export const folderType = `${google}folder`;
export const shortcutType = `${google}shortcut`;

/** The fields of a file, folder or shortcut that a replica needs. */
export interface Item {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly modifiedTime: string;
  readonly size?: string;
  readonly parents?: readonly string[];
  readonly trashed?: boolean;
  readonly shortcutDetails?: { readonly targetId?: string; readonly targetMimeType?: string };
}

/** Fields to request for each item. */
export const itemFields = 'id,name,mimeType,modifiedTime,size,parents,trashed,shortcutDetails(targetId,targetMimeType)';

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

/** Lists untrashed items that match a query, page by page. */
export async function listItems(
  { execute }: Source,
  condition: string,
  pageToken?: string,
  { driveId, trashed = false }: { driveId?: string | undefined; trashed?: boolean } = {},
): Promise<Page> {
  const params = {
    q: `${condition}${trashed ? '' : ' and trashed = false'}`,
    pageSize: 1000,
    supportsAllDrives: true,
    includeItemsFromAllDrives: true,
    ...(driveId !== undefined && { corpora: 'drive', driveId }),
    fields: `nextPageToken,incompleteSearch,files(${itemFields})`,
  };
  const fetchPage = (token: string | undefined): Promise<Result<any, any>> =>
    execute('files', 'list', token === undefined ? params : { ...params, pageToken: token });
  const { data, meta } = await fetchPage(pageToken).catch((error: unknown) => {
    // Tokens expire after several hours: restart the list if one is rejected.
    if (pageToken !== undefined && codeOf(error) === 'invalid_params') return fetchPage(undefined);
    throw error;
  });
  return { items: data, next: meta.nextPageToken ?? undefined, isIncomplete: meta.incompleteSearch === true };
}

/** Lists a folder's contents page by page; empty if the folder was deleted. */
export async function itemsIn(
  source: Source,
  { id, driveId }: SyncedFolder,
  folder: string,
  { pageToken, trashed }: { pageToken?: string | undefined; trashed?: boolean } = {},
): Promise<Page> {
  const condition = `'${folder.replace(/['\\]/g, '\\$&')}' in parents`;
  try {
    return await listItems(source, condition, pageToken, { driveId, ...(trashed !== undefined && { trashed }) });
  } catch (error) {
    // Treating the synced folder itself as empty would delete everything.
    if (codeOf(error) !== 'not_found' || folder === id) throw error;
    return { items: [], next: undefined, isIncomplete: false };
  }
}

/** One item; undefined if deleted or not visible. */
export async function getItem({ execute }: Source, id: string): Promise<Item | undefined> {
  try {
    return (await execute('files', 'get', { fileId: id, fields: itemFields, supportsAllDrives: true })).data;
  } catch (error) {
    if (codeOf(error) === 'not_found') return undefined;
    throw error;
  }
}

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
  /** Whether a change log covers everything in the folder; logs for other users' folders are incomplete. */
  readonly hasChangeLog: boolean;
}
