import { type Access, ConnectorError, type Source } from '../../../src/authoring.js';
import { type Item, withKey } from './items.js';

/** The permission fields that determine who can open a file. */
interface Permission {
  readonly type: string | null;
  readonly role: string | null;
  readonly emailAddress: string | null;
  readonly domain: string | null;
  readonly view: string | null;
  readonly expirationTime: string | null;
  readonly allowFileDiscovery: boolean | null;
  readonly deleted: boolean | null;
}

/** Whether the replica contains file permissions. */
export const hasReaders = ({ permissions }: Source['config']): boolean =>
  permissions === true || permissions === 'true';

/** The reader that a permission names; undefined for a deleted account or if it does not apply to the file itself. */
function readerOf({ type, emailAddress, domain, view, allowFileDiscovery, deleted }: Permission): string[] {
  if (deleted || view) return [];
  const link = allowFileDiscovery ? '' : 'link:';
  if (type === 'anyone') return [`${link}anyone`];
  if (type === 'domain') return domain ? [`${link}domain:${domain.toLowerCase()}`] : [];
  return (type === 'user' || type === 'group') && emailAddress ? [`${type}:${emailAddress.toLowerCase()}`] : [];
}

/** Roles that may share a file. https://developers.google.com/workspace/drive/api/guides/ref-roles */
const sharingRoles = ['owner', 'organizer', 'fileOrganizer', 'writer'];

/** Who can currently open a file, or share it, including inherited and temporary access. */
async function readersOf(
  execute: Source['execute'],
  file: { readonly fileId: unknown; readonly resourceKey?: unknown },
  now: number,
  mayShare = false,
): Promise<string[]> {
  const readers: string[] = [];
  let pageToken: string | undefined;
  do {
    const params = { ...file, pageSize: 100, supportsAllDrives: true, ...(pageToken !== undefined && { pageToken }) };
    const { data, meta } = await execute('permissions', 'list', params);
    for (const permission of data as Permission[]) {
      const { expirationTime, role } = permission;
      if (mayShare && !sharingRoles.includes(role ?? '')) continue;
      if (!expirationTime || Date.parse(expirationTime) > now) readers.push(...readerOf(permission));
    }
    pageToken = meta.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
  return [...new Set(readers)].sort();
}

/** The readers to store for a file, excluding those with temporary access; null if Google does not report any. */
export async function storedReaders(
  { execute }: Source,
  { id, resourceKey }: Pick<Item, 'id' | 'resourceKey'>,
): Promise<string[] | null> {
  try {
    return await readersOf(execute, { fileId: id, ...withKey(resourceKey) }, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (ConnectorError.is(error) && (error.code === 'forbidden' || error.code === 'not_found')) return null;
    throw error;
  }
}

/** Readers of each file. */
export const access: Access = {
  isReplicated: hasReaders,
  readers: { files: 'readers' },
  // Excludes revisions: a file's readers may not be allowed to see its earlier contents.
  actions: [
    'files.get',
    'files.download',
    'files_export.download',
    'permissions.list',
    'permissions.get',
    'comments.list',
    'comments.get',
    'replies.list',
    'replies.get',
  ],
  sharing: ['permissions.list', 'permissions.get'],
  // A path contains the names of folders that may be closed to the user.
  hidden: { files: ['file_path', 'readers', 'permissions', 'permissionIds'] },
  readersOf: (execute, { fileId, resourceKey }, now, mayShare) =>
    readersOf(execute, resourceKey === undefined ? { fileId } : { fileId, resourceKey }, now, mayShare),
};
