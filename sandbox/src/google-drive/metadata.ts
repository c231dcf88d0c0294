import { apiErrors, DriveApiError } from './errors.js';

/** File metadata set by a client. */
export interface Metadata {
  id?: string;
  name?: string;
  mimeType?: string;
  description?: string;
  parents?: string[];
  starred?: boolean;
  trashed?: boolean;
  folderColorRgb?: string;
  properties?: Record<string, string | null>;
  appProperties?: Record<string, string | null>;
  createdTime?: string;
  modifiedTime?: string;
  viewedByMeTime?: string;
  originalFilename?: string;
  copyRequiresWriterPermission?: boolean;
  writersCanShare?: boolean;
  shortcutDetails?: { targetId?: string };
}

const kinds: Readonly<Record<keyof Metadata, 'string' | 'boolean' | 'object' | 'time'>> = {
  id: 'string',
  name: 'string',
  mimeType: 'string',
  description: 'string',
  parents: 'object',
  starred: 'boolean',
  trashed: 'boolean',
  folderColorRgb: 'string',
  properties: 'object',
  appProperties: 'object',
  createdTime: 'time',
  modifiedTime: 'time',
  viewedByMeTime: 'time',
  originalFilename: 'string',
  copyRequiresWriterPermission: 'boolean',
  writersCanShare: 'boolean',
  shortcutDetails: 'object',
};

/** Read-only fields that Drive computes. */
const readOnlyFields = new Set([
  'size',
  'md5Checksum',
  'sha1Checksum',
  'sha256Checksum',
  'version',
  'headRevisionId',
  'quotaBytesUsed',
  'webViewLink',
  'webContentLink',
  'iconLink',
  'thumbnailLink',
  'hasThumbnail',
  'exportLinks',
  'capabilities',
  'owners',
  'ownedByMe',
  'permissions',
  'permissionIds',
  'lastModifyingUser',
  'sharingUser',
  'trashingUser',
  'driveId',
  'teamDriveId',
  'spaces',
  'shared',
  'sharedWithMeTime',
  'viewedByMe',
  'modifiedByMe',
  'trashedTime',
  'explicitlyTrashed',
  'fileExtension',
  'fullFileExtension',
  'isAppAuthorized',
  'imageMediaMetadata',
]);

/** Parses the metadata of a request body. */
export function readMetadata(text: string): Metadata {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DriveApiError(400, 'parseError', 'Parse Error');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DriveApiError(400, 'parseError', 'Parse Error');
  }
  const metadata: Record<string, unknown> = {};
  for (const [name, fieldValue] of Object.entries(value)) {
    if (readOnlyFields.has(name)) throw apiErrors.notWritable();
    const kind = kinds[name as keyof Metadata];
    if (kind === undefined || fieldValue === null) continue;
    if (typeof fieldValue !== (kind === 'time' ? 'string' : kind)) throw invalidValue(name, fieldValue);
    metadata[name] = kind === 'time' ? parseTime(name, fieldValue as string) : fieldValue;
  }
  const { parents } = metadata as Metadata;
  if (parents && !(Array.isArray(parents) && parents.every((parent) => typeof parent === 'string'))) {
    throw invalidValue('parents', parents);
  }
  return metadata;
}

function parseTime(name: string, text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw invalidValue(name, text);
  return new Date(time).toISOString();
}

function invalidValue(name: string, value: unknown): DriveApiError {
  return new DriveApiError(400, 'invalid', `Invalid value for: ${JSON.stringify(value)}`, {
    location: name,
    locationType: 'other',
  });
}

/** A file's custom properties after a change; null deletes a property. */
export function mergeProperties(
  current: Record<string, string> | undefined,
  changes: Record<string, string | null> | undefined,
): Record<string, string> | undefined {
  if (!changes) return current;
  const remaining = Object.entries({ ...current, ...changes }).filter(([, value]) => value !== null);
  return remaining.length === 0
    ? undefined
    : Object.fromEntries(remaining.map(([name, value]) => [name, String(value)]));
}
