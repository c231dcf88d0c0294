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

/** The file that a shortcut leads to; those to folders are not followed, and lead to nothing. */
export const targetOf = ({ mimeType, shortcutDetails }: Item): string | undefined =>
  mimeType === shortcutType && shortcutDetails?.targetMimeType !== folderType ? shortcutDetails?.targetId : undefined;

/** One page of what lies in a folder. */
export interface Page {
  readonly items: readonly Item[];
  readonly next: string | undefined;
  /** Whether Google reports an incomplete list. */
  readonly isIncomplete: boolean;
}

/** Lists what meets a condition of Google's and is not in the trash, page by page. */
export async function listItems(
  { execute }: Source,
  condition: string,
  pageToken?: string,
  { driveId, trashed = false }: { driveId?: string | undefined; trashed?: boolean } = {},
): Promise<Page> {
  const params = {
    q: `${condition}${trashed ? '' : ' and trashed = false'}`,
    ...{ pageSize: 1000, supportsAllDrives: true, includeItemsFromAllDrives: true },
    ...(driveId !== undefined && { corpora: 'drive', driveId }),
    fields: `nextPageToken,incompleteSearch,files(${itemFields})`,
  };
  const fetchPage = (token: string | undefined): Promise<Result<any, any>> =>
    execute('files', 'list', token === undefined ? params : { ...params, pageToken: token });
  const { data, meta } = await fetchPage(pageToken).catch((error: unknown) => {
    // Tokens live for some hours: one that is refused means to begin the list anew.
    if (pageToken !== undefined && codeOf(error) === 'invalid_params') return fetchPage(undefined);
    throw error;
  });
  return { items: data, next: meta.nextPageToken ?? undefined, isIncomplete: meta.incompleteSearch === true };
}

/** Lists what lies in a folder, page by page; nothing where the folder is gone. */
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
    // Were the synced folder itself taken for empty, all would be lost.
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

/** What a failure is, where it is one of ours. */
const codeOf = (error: unknown): string | undefined => (error instanceof ConnectorError ? error.code : undefined);

/** A path and a name below it. */
export const joinPath = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`);

/** Finds where items lie below the synced folder; what it learns of folders it keeps for the next question. */
export class PathResolver {
  readonly #source: Source;
  readonly #root: string;
  readonly #folders = new Map<string, Item | undefined>();

  constructor(source: Source, { id }: SyncedFolder) {
    this.#source = source;
    this.#root = id;
  }

  /** Tells it of a folder that it need not ask for. */
  addFolder(folder: Item): void {
    this.#folders.set(folder.id, folder);
  }

  /** The path of an item; undefined where it does not lie below the synced folder. */
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

/** The folder that is kept. */
export interface SyncedFolder {
  readonly id: string;
  /** The shared drive that it is, or belongs to. */
  readonly driveId: string | undefined;
  /** Whether a change log tells of all that happens in it: those of other people's folders are not complete. */
  readonly hasChangeLog: boolean;
}
