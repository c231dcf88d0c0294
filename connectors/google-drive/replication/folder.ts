import { ConnectorError, type Source } from '../../../src/authoring.js';
import type { SyncedFolder } from './items.js';
import { folderType } from './items.js';

const configField = 'replication_config.folder_url';
const myDrive = /^(?:root|my[- ]drive)$/i;

function invalidFolder(message: string): ConnectorError {
  return new ConnectorError('invalid_params', `Google Drive: ${configField} ${message}.`, {
    issues: [{ path: configField, message }],
    hint: 'Pass a folder URL as shown in the browser, https://drive.google.com/drive/folders/…, or omit it for My Drive.',
  });
}

/** The folder id from a URL or an id; `root` by default. */
function folderId(given: unknown): string {
  if (given === undefined || given === null) return 'root';
  const text = String(given).trim();
  if (myDrive.test(text)) return 'root';
  if (/^[-\w]{10,}$/.test(text)) return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(?:drive|docs)\.google\.com$/.test(url.hostname))
    throw invalidFolder('must be the URL or id of a folder');
  const id = /\/folders\/([-\w]+)/.exec(url.pathname)?.[1] ?? url.searchParams.get('id');
  if (id && /^[-\w]+$/.test(id)) return id;
  if (/\/my-drive\/?$/.test(url.pathname)) return 'root';
  throw invalidFolder(/\/d\/[-\w]+/.test(url.pathname) ? 'is the URL of a file, not a folder' : 'is not a folder URL');
}

/** Looks up the folder's canonical id and its drive. */
export async function syncedFolder({ execute, config }: Source): Promise<SyncedFolder> {
  const fileId = folderId(config.folder_url);
  const fields = 'id,mimeType,driveId,ownedByMe,shortcutDetails';
  const get = async (id: string) => (await execute('files', 'get', { fileId: id, fields })).data;
  try {
    const found = await get(fileId);
    const target: string | undefined = found.shortcutDetails?.targetId;
    const folder = target === undefined ? found : await get(target);
    if (folder.mimeType !== folderType) throw invalidFolder('is a file, not a folder');
    const driveId: string | undefined = folder.driveId ?? undefined;
    return { id: folder.id, driveId, hasChangeLog: driveId !== undefined || folder.ownedByMe === true };
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
