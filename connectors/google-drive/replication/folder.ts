import { ConnectorError, type Source } from '../../../src/authoring.js';
import type { SyncedFolder } from './items.js';
import { folderType, withKey } from './items.js';

const configField = 'replication_config.folder_url';
const myDrive = /^(?:root|my[- ]drive)$/i;

function invalidFolder(message: string): ConnectorError {
  return new ConnectorError('invalid_params', `Google Drive: ${configField} ${message}.`, {
    issues: [{ path: configField, message }],
    hint: 'Pass a folder URL as shown in the browser, https://drive.google.com/drive/folders/…, or omit it for My Drive.',
  });
}

/** The folder's id and resource key from a URL or an id; `root` by default. */
function folderReference(given: unknown): FolderReference {
  if (given === undefined || given === null) return { id: 'root' };
  const text = String(given).trim();
  if (myDrive.test(text)) return { id: 'root' };
  if (/^[-\w]{10,}$/.test(text)) return { id: text };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(?:drive|docs)\.google\.com$/.test(url.hostname))
    throw invalidFolder('must be the URL or id of a folder');
  const id = /\/folders\/([-\w]+)/.exec(url.pathname)?.[1] ?? url.searchParams.get('id');
  const resourceKey = url.searchParams.get('resourcekey') ?? undefined;
  if (id && /^[-\w]+$/.test(id)) return { id, ...(/^[-\w]+$/.test(resourceKey ?? '') && { resourceKey }) };
  if (/\/my-drive\/?$/.test(url.pathname)) return { id: 'root' };
  throw invalidFolder(/\/d\/[-\w]+/.test(url.pathname) ? 'is the URL of a file, not a folder' : 'is not a folder URL');
}

interface FolderReference {
  readonly id: string;
  readonly resourceKey?: string | undefined;
}

/** Looks up the folder's canonical id and its drive. */
export async function syncedFolder({ execute, config }: Source): Promise<SyncedFolder> {
  const reference = folderReference(config.folder_url);
  const fields = 'id,mimeType,driveId,ownedByMe,shortcutDetails';
  const get = async ({ id, resourceKey }: FolderReference) =>
    (await execute('files', 'get', { fileId: id, fields, ...withKey(resourceKey) })).data;
  try {
    const found = await get(reference);
    const { targetId: id, targetResourceKey: resourceKey } = found.shortcutDetails ?? {};
    const target: FolderReference = id === undefined ? reference : { id, resourceKey };
    const folder = id === undefined ? found : await get(target);
    if (folder.mimeType !== folderType) throw invalidFolder('is a file, not a folder');
    const driveId: string | undefined = folder.driveId ?? undefined;
    const hasChangeLog = driveId !== undefined || folder.ownedByMe === true;
    return { id: folder.id, driveId, hasChangeLog, ...withKey(target.resourceKey) };
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.code !== 'not_found') throw error;
    throw new ConnectorError(
      'not_found',
      `Google Drive: the folder in ${configField} does not exist or is not shared with these credentials.`,
      {
        ...error,
        issues: [{ path: configField, message: 'folder not found' }],
      },
    );
  }
}
