import { isAppAuthorized, isAtLeast, isVisible, permissionsOf, roleOn } from './access.js';
import { capabilitiesOf } from './capabilities.js';
import { type DriveContext, userOf } from './context.js';
import { documentLength } from './document.js';
import { exportFormats, isNative, types } from './mime.js';
import { permissionView } from './permission-view.js';
import type { FileRow } from './rows.js';

const editors: Readonly<Record<string, string>> = {
  [types.document]: 'document',
  [types.spreadsheet]: 'spreadsheets',
  [types.presentation]: 'presentation',
  [types.drawing]: 'drawings',
  [types.form]: 'forms',
};

/** Bytes that a file counts toward its owner's storage; undefined for folders and shortcuts. */
export function sizeOf({ world }: DriveContext, file: FileRow): number | undefined {
  if (file.mimeType === types.folder || file.mimeType === types.shortcut) return undefined;
  return world.contentOf(file)?.length ?? documentLength(file);
}

/** When the user last modified a file. */
export function modifiedByMeTime({ person }: DriveContext, file: FileRow): string | undefined {
  if (file.modifiedBy === person) return file.modifiedTime;
  return file.revisions.findLast(({ by }) => by === person)?.modifiedTime;
}

/** A file in a response; fields that take computing are functions, which are called only if requested. */
export function fileView(context: DriveContext, file: FileRow) {
  const { world, person } = context;
  const { id, name, mimeType, driveId } = file;
  const isOwned = driveId === undefined;
  const isBinary = !isNative(mimeType);
  const hasThumbnail = /^image\/|^application\/pdf$|-apps\.(document|spreadsheet|presentation|drawing)$/.test(mimeType);
  const userIfAny = (key: string | undefined) => (key === undefined ? undefined : userOf(context, key));
  const permissions = () => permissionsOf(world, file);
  const canShare = () => isOwned && isAtLeast(roleOn(world, person, file), 'writer');
  const checksums = () => world.contentOf(file)?.checksums();
  const size = () => sizeOf(context, file)?.toString();
  return {
    kind: 'drive#file',
    id,
    name,
    mimeType,
    description: file.description,
    driveId,
    teamDriveId: driveId,
    parents: () => {
      const folder = world.files.get(file.parent ?? '');
      return folder && isVisible(context, folder) ? [folder.id] : undefined;
    },
    spaces: ['drive'],
    version: String(file.version),
    createdTime: file.createdTime,
    modifiedTime: file.modifiedTime,
    modifiedByMe: () => modifiedByMeTime(context, file) !== undefined,
    modifiedByMeTime: () => modifiedByMeTime(context, file),
    viewedByMe: file.viewedBy[person] !== undefined,
    viewedByMeTime: file.viewedBy[person],
    sharedWithMeTime: file.sharedWith[person]?.time,
    sharingUser: () => userIfAny(file.sharedWith[person]?.by),
    lastModifyingUser: () => userOf(context, file.modifiedBy),
    owners: () => file.owner && [userOf(context, file.owner)],
    ownedByMe: file.owner && file.owner === person,
    starred: file.starredBy.includes(person),
    trashed: () => world.isTrashed(file),
    explicitlyTrashed: file.trashed !== undefined,
    trashedTime: isOwned ? undefined : file.trashed?.time,
    trashingUser: () => (isOwned ? undefined : userIfAny(file.trashed?.by)),
    size,
    quotaBytesUsed: () => size() ?? '0',
    md5Checksum: () => checksums()?.md5,
    sha1Checksum: () => checksums()?.sha1,
    sha256Checksum: () => checksums()?.sha256,
    headRevisionId: isBinary ? file.revisions.at(-1)?.id : undefined,
    originalFilename: isBinary ? (file.revisions.at(-1)?.originalFilename ?? name) : undefined,
    fullFileExtension: isBinary ? (/^[^.].*?\.((?:tar\.)?[^.\s]+)$/.exec(name)?.[1] ?? '') : undefined,
    fileExtension: isBinary ? (/^.+\.([^.\s]+)$/.exec(name)?.[1] ?? '') : undefined,
    folderColorRgb: mimeType === types.folder ? (file.folderColorRgb ?? '#8f8f8f') : undefined,
    properties: file.properties,
    appProperties: file.appProperties,
    isAppAuthorized: isAppAuthorized(context, file),
    copyRequiresWriterPermission: file.copyRequiresWriterPermission === true,
    viewersCanCopyContent: file.copyRequiresWriterPermission !== true,
    writersCanShare: isOwned ? file.writersCanShare !== false : undefined,
    shared: () => (isOwned ? permissions().length > 1 : undefined),
    permissions: () => (canShare() ? permissions().map((effective) => permissionView(file, effective)) : undefined),
    permissionIds: () => (canShare() ? permissions().map(({ row }) => row.id) : undefined),
    capabilities: () => capabilitiesOf(context, file),
    contentRestrictions: () =>
      file.readOnlyReason === undefined
        ? undefined
        : [
            {
              readOnly: true,
              reason: file.readOnlyReason,
              type: 'globalContentRestriction',
              restrictingUser: userOf(context, file.modifiedBy),
              restrictionTime: file.modifiedTime,
            },
          ],
    shortcutDetails: () => {
      const targetResourceKey = file.shortcut && world.files.get(file.shortcut.targetId)?.resourceKey;
      return targetResourceKey === undefined ? file.shortcut : { ...file.shortcut, targetResourceKey };
    },
    resourceKey: file.resourceKey,
    linkShareMetadata: { securityUpdateEligible: file.resourceKey !== undefined, securityUpdateEnabled: true },
    hasAugmentedPermissions: isOwned ? undefined : file.permissions.length > 0,
    inheritedPermissionsDisabled: false,
    imageMediaMetadata: file.image && { ...file.image, rotation: 0 },
    hasThumbnail,
    thumbnailVersion: hasThumbnail ? String(file.revisions.length) : '0',
    thumbnailLink: hasThumbnail ? `https://lh3.googleusercontent.com/drive-storage/${id}=s220` : undefined,
    iconLink: `https://drive-thirdparty.googleusercontent.com/16/type/${mimeType}`,
    webViewLink: webViewLinkOf(file),
    webContentLink: isBinary ? `https://drive.google.com/uc?id=${id}&export=download` : undefined,
    exportLinks: () => exportLinksOf(file),
  };
}

function webViewLinkOf({ id, mimeType }: FileRow): string {
  if (mimeType === types.folder) return `https://drive.google.com/drive/folders/${id}`;
  const editor = editors[mimeType];
  if (editor !== undefined) return `https://docs.google.com/${editor}/d/${id}/edit?usp=drivesdk`;
  return `https://drive.google.com/file/d/${id}/view?usp=drivesdk`;
}

/** Export URLs of a native document, without the API's size limit. */
export function exportLinksOf({ id, mimeType }: FileRow, revision?: string): Record<string, string> | undefined {
  const formats = exportFormats[mimeType];
  const editor = editors[mimeType];
  if (!formats || editor === undefined) return undefined;
  const at = revision === undefined ? '' : `&revision=${revision}`;
  const link = (format: string) =>
    `https://docs.google.com/${editor}/export?id=${id}${at}&exportFormat=${format.split(/[/.+]/).at(-1)}`;
  return Object.fromEntries(formats.map((format) => [format, link(format)]));
}
