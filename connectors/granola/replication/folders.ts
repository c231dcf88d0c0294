import * as z from 'zod';
import { type Action, action, ConnectorError, get, type Source, type StoredRecord } from '../../../src/authoring.js';
import type { Note } from '../records.js';
import { maxPageSize } from './pages.js';

interface Folder {
  readonly id: string;
  readonly name: string | null;
}

const page: z.core.$ZodType = z.strictObject({ page_size: z.int(), cursor: z.string().optional() });

/** Lists folders, whose names are part of notes. */
export const folderList: Action = action({
  description: 'List folders.',
  params: page,
  returns: { kind: 'records', meta: undefined, shape: (data) => data },
  request: (given: any) => get('/v1/folders', given),
  read: ({ folders, cursor, hasMore }) => {
    if (!Array.isArray(folders)) throw new ConnectorError('invalid_response', 'Granola sent no list of folders.');
    return { data: folders, meta: { cursor: cursor ?? null, has_more: hasMore === true } };
  },
  next: ({ cursor, has_more }: any) => has_more && { cursor: cursor ?? '' },
  example: { page_size: maxPageSize },
});

/** Errors of a list of folders that say nothing about notes, such as that of a key without access to folders. */
const folderErrorCodes = new Set<string>([
  'forbidden',
  'invalid_params',
  'invalid_response',
  'not_found',
  'scope_missing',
]);

/** Folder names by id; what is known of them if the list cannot be read. */
export async function folderNames(source: Source): Promise<ReadonlyMap<string, string | null>> {
  const names = new Map<string, string | null>();
  try {
    for (let params: object | undefined = { page_size: maxPageSize }; params; ) {
      const page = await source.call('folders', params);
      for (const { id, name } of page.data as readonly Folder[]) names.set(id, name);
      const more = source.followingCall('folders', params, page);
      params = more && { ...params, ...more };
    }
  } catch (error) {
    if (!ConnectorError.is(error) || !folderErrorCodes.has(error.code)) throw error;
  }
  return names;
}

/** Whether a stored note has another name of its owner or of a folder than they have now. */
export function hasOldName(stored: StoredRecord, listed: Note, folders: ReadonlyMap<string, string | null>): boolean {
  const { owner, folder_membership } = stored as Partial<Note>;
  const isRenamed = ({ id, name }: Folder) => folders.has(id) && folders.get(id) !== name;
  return (listed.owner?.name && listed.owner.name !== owner?.name) || (folder_membership ?? []).some(isRenamed);
}
