import { ConnectorError, type Source, type Withheld } from '../../../src/authoring.js';
import { chosenIds } from './chosen.js';
import { folderType, type SyncedFolder } from './items.js';
import { isWanted } from './shared.js';

/** What an account can read outside the synced folder, as far as it is known. */
export type Outside = {
  /** When it was looked up, in milliseconds since 1970. */
  readonly checkedAt: number;
  /** Files and folders shared with the account; null if Google does not list them. */
  readonly shared: Counts | null;
  /** Number of shared drives apart from the synced folder's; null if Google does not list them. */
  readonly drives: Pick<Counts, 'items' | 'more'> | null;
};

type Counts = {
  readonly items: number;
  readonly folders: number;
  /** Whether there are more than these. */
  readonly more: boolean;
};

/** Counts what the replica, which is complete, does not have; a page of each kind at most. */
export async function outsideOf(
  source: Source,
  { id, driveId }: SyncedFolder,
  isSynced: (id: string) => boolean,
): Promise<Outside> {
  const shared = await listed(source, 'files', {
    q: 'sharedWithMe = true and trashed = false',
    pageSize: 1000,
    fields: 'nextPageToken,files(id,mimeType)',
  });
  const drives = await listed(source, 'drives', { pageSize: 100 });
  // What is shared can be, or be in, the synced folder.
  const stored = await source.stored(shared?.data.map((item) => item.id) ?? []);
  const missing = shared?.data.filter((item) => item.id !== id && !isSynced(item.id) && !stored.has(item.id)) ?? [];
  return {
    checkedAt: source.now(),
    shared: shared && {
      items: missing.length,
      folders: missing.filter(({ mimeType }) => mimeType === folderType).length,
      more: shared.more,
    },
    drives: drives && { items: drives.data.filter(({ id }) => id !== driveId).length, more: drives.more },
  };
}

/** A page of a list; null if Google refuses it, since a replica without these counts is better than none. */
async function listed({ execute }: Source, entity: string, params: object): Promise<Listed | null> {
  try {
    const { data, meta } = await execute(entity, 'list', params);
    return { data, more: (meta.nextPageToken ?? null) !== null };
  } catch (error) {
    if (ConnectorError.is(error) && !error.retryable) return null;
    throw error;
  }
}

interface Listed {
  readonly data: readonly { readonly id: string; readonly mimeType?: string }[];
  readonly more: boolean;
}

/** Which files a replica does not have although the account can read them. */
export function withheldFiles({ config, state }: Pick<Source, 'config' | 'state'>): readonly (string | Withheld)[] {
  if (chosenIds({ config })) return ['Only the chosen files are replicated.'];
  const { folder_url, shared_with_me } = config;
  const { outside } = (state ?? {}) as { readonly outside?: Outside };
  const excludesShared = !isWanted(shared_with_me);
  const { shared, drives } = outside ?? { shared: null, drives: null };
  return [
    'Trashed files, folders and shortcuts are not replicated; files.list lists them.',
    ...(folder_url === undefined ? [] : ['Files outside the configured folder are not replicated.']),
    ...(excludesShared ? sharedFilesGap(shared) : []),
    ...(drives === null
      ? ['Files on shared drives are not replicated, except for the configured folder.']
      : drives.items === 0
        ? []
        : [`Files on ${counted(drives, 'shared drive')} are not replicated: a shared drive needs its own connector.`]),
  ];
}

function sharedFilesGap(shared: Counts | null): readonly (string | Withheld)[] {
  const how = 'set shared_with_me in replication_config to include them.';
  if (shared === null) return [`Files shared with the account are not replicated; ${how}`];
  if (shared.items === 0 && !shared.more) return [];
  // A folder contains files that are not counted.
  const count = shared.folders === 0 && !shared.more ? { count: shared.items } : {};
  return [
    {
      detail: `${counted(shared, 'file or folder', 'files or folders')} shared with the account ${isSingle(shared) ? 'is' : 'are'} not replicated; ${how}`,
      ...count,
    },
  ];
}

const isSingle = ({ items, more }: Pick<Counts, 'items' | 'more'>): boolean => items === 1 && !more;

const counted = (counts: Pick<Counts, 'items' | 'more'>, one: string, several = `${one}s`): string =>
  `${counts.more ? 'more than ' : ''}${counts.items} ${isSingle(counts) ? one : several}`;
