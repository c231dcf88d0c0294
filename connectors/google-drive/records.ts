import * as z from 'zod';
import { notes, type RecordType, record } from '../../src/authoring.js';

const text = z.string().nullable();
const flag = z.boolean().nullable();
const instant = text.describe('RFC 3339, UTC.');
const int64 = text.describe('An integer as a string, because it can exceed the range of a double.');
const anyObject = z.looseObject({}).nullable();
const map = z.record(z.string(), z.string()).nullable();
const strings = z.array(z.string()).nullable();
const objects = z.array(z.looseObject({})).nullable();

const fieldsOfType = <S extends z.core.$ZodType, const K extends string>(schema: S, names: readonly K[]) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<K, S>;

const user = z
  .looseObject({
    ...fieldsOfType(text.optional(), ['kind', 'displayName', 'photoLink', 'permissionId', 'emailAddress']),
    me: flag.optional(),
  })
  .nullable()
  .describe('A user, as { displayName, emailAddress, permissionId, me, … }.');

const file = {
  id: z.string(),
  ...fieldsOfType(text, ['kind', 'name', 'mimeType', 'description']),
  version: int64,
  webContentLink: text.describe('Works in a browser where the user is signed in, but not for API downloads.'),
  ...fieldsOfType(text, ['webViewLink', 'iconLink']),
  thumbnailLink: text.describe('Expires after a few hours.'),
  thumbnailVersion: int64,
  ...fieldsOfType(instant, ['viewedByMeTime', 'createdTime', 'modifiedTime', 'modifiedByMeTime', 'sharedWithMeTime']),
  ...fieldsOfType(text, ['driveId', 'folderColorRgb', 'originalFilename', 'fullFileExtension', 'fileExtension']),
  ...fieldsOfType(text, ['md5Checksum', 'sha1Checksum', 'sha256Checksum']),
  size: int64.describe('Bytes, as a string; null for folders and shortcuts.'),
  quotaBytesUsed: int64,
  ...fieldsOfType(text, ['headRevisionId', 'resourceKey']),
  trashedTime: instant,
  ...fieldsOfType(flag, [
    'starred',
    'trashed',
    'explicitlyTrashed',
    'hasThumbnail',
    'viewedByMe',
    'modifiedByMe',
    'shared',
  ]),
  ...fieldsOfType(flag, [
    'ownedByMe',
    'viewersCanCopyContent',
    'copyRequiresWriterPermission',
    'writersCanShare',
    'isAppAuthorized',
  ]),
  parents: strings.describe('One folder id; null if the user cannot see the folder.'),
  spaces: strings,
  owners: z.array(user.unwrap()).nullable().describe('Null on shared drives.'),
  permissionIds: strings,
  contentRestrictions: objects,
  ...fieldsOfType(map, ['properties', 'appProperties']),
  capabilities: anyObject.describe('What the user can do, such as canDownload and canEdit.'),
  exportLinks: map.describe('URLs by export format, for native documents.'),
  ...fieldsOfType(anyObject, [
    'shortcutDetails',
    'linkShareMetadata',
    'labelInfo',
    'imageMediaMetadata',
    'videoMediaMetadata',
  ]),
  ...fieldsOfType(user, ['sharingUser', 'lastModifyingUser', 'trashingUser']),
};

/** A file or folder; missing fields are null. */
export const File = record(
  file,
  {},
  {
    concise: [
      'id',
      'name',
      'mimeType',
      'size',
      'modifiedTime',
      'lastModifyingUser.displayName',
      'trashed',
      'webViewLink',
    ],
    more: [
      'description',
      'createdTime',
      'parents',
      'driveId',
      'owners.displayName',
      'owners.emailAddress',
      'shared',
      'starred',
      'shortcutDetails',
      'resourceKey',
    ],
  },
);

/** A shared drive. */
export const Drive = record(
  {
    id: z.string(),
    ...fieldsOfType(text, ['kind', 'name', 'colorRgb', 'backgroundImageLink', 'themeId']),
    createdTime: instant,
    orgUnitId: text.describe('Set only with useDomainAdminAccess.'),
    ...fieldsOfType(anyObject, ['backgroundImageFile', 'capabilities', 'restrictions']),
    hidden: flag,
  },
  {},
  { concise: ['id', 'name', 'createdTime', 'hidden'], more: ['restrictions'] },
);

/** A permission on a file or shared drive. */
export const Permission = record(
  {
    id: z.string(),
    kind: text,
    type: text.describe('user, group, domain or anyone.'),
    ...fieldsOfType(text, ['emailAddress', 'domain']),
    role: text.describe('owner, organizer, fileOrganizer, writer, commenter or reader.'),
    ...fieldsOfType(text, ['view', 'displayName', 'photoLink']),
    expirationTime: instant,
    ...fieldsOfType(flag, ['allowFileDiscovery', 'deleted', 'pendingOwner']),
    ...fieldsOfType(objects, ['teamDrivePermissionDetails', 'permissionDetails']),
  },
  {},
  {
    concise: [
      'id',
      'type',
      'role',
      'displayName',
      'emailAddress',
      'domain',
      'expirationTime',
      'allowFileDiscovery',
      'deleted',
      'pendingOwner',
    ],
  },
);

const reply = {
  id: z.string(),
  kind: text,
  ...fieldsOfType(instant, ['createdTime', 'modifiedTime']),
  htmlContent: text.describe('For display.'),
  content: text.describe('Plain text; null when deleted.'),
  action: text.describe('resolve or reopen, if the reply resolved or reopened the comment.'),
  author: user.describe('As { displayName, me, photoLink }; Google omits the email address.'),
  deleted: flag,
  assigneeEmailAddress: text,
  mentionedEmailAddresses: strings,
};

/** A reply to a comment. */
export const Reply = record(
  reply,
  {},
  { concise: ['id', 'author.displayName', 'createdTime', 'action', 'content', 'deleted'], more: ['modifiedTime'] },
);

/** A comment on a file. */
export const Comment = record(
  {
    id: z.string(),
    kind: text,
    ...fieldsOfType(instant, ['createdTime', 'modifiedTime']),
    htmlContent: text.describe('For display.'),
    content: text.describe('Plain text; null when deleted.'),
    anchor: text,
    author: reply.author,
    ...fieldsOfType(flag, ['deleted', 'resolved']),
    assigneeEmailAddress: text,
    quotedFileContent: anyObject.describe('The passage commented on, as { mimeType, value }.'),
    replies: z.array(z.looseObject({ id: z.string() })).nullable(),
    mentionedEmailAddresses: strings,
  },
  {},
  {
    concise: [
      'id',
      'author.displayName',
      'createdTime',
      'resolved',
      'deleted',
      'content',
      'quotedFileContent.value',
      'replies.id',
      'replies.author.displayName',
      'replies.createdTime',
      'replies.action',
      'replies.content',
    ],
    more: ['modifiedTime', 'assigneeEmailAddress'],
  },
);

/** A revision of a file. */
export const Revision = record(
  {
    id: z.string(),
    ...fieldsOfType(text, ['kind', 'mimeType']),
    modifiedTime: instant,
    ...fieldsOfType(text, ['publishedLink', 'originalFilename', 'md5Checksum']),
    size: int64,
    ...fieldsOfType(flag, ['keepForever', 'published', 'publishAuto', 'publishedOutsideDomain']),
    lastModifyingUser: user,
    exportLinks: map,
  },
  {},
  {
    concise: ['id', 'modifiedTime', 'lastModifyingUser.displayName', 'size', 'mimeType', 'keepForever'],
    more: ['originalFilename', 'published', 'publishedLink'],
  },
);

/** A change log entry. */
export const Change = record(
  {
    ...fieldsOfType(text, ['kind', 'fileId', 'driveId']),
    time: instant,
    type: text,
    changeType: text.describe('file or drive.'),
    removed: flag.describe('True if deleted or no longer visible.'),
    file: z.looseObject({ id: z.string() }).nullable().describe('The current file; null when removed.'),
    drive: z.looseObject({ id: z.string() }).nullable(),
  },
  {},
  {
    concise: [
      'time',
      'changeType',
      'fileId',
      'driveId',
      'removed',
      'file.name',
      'file.mimeType',
      'file.modifiedTime',
      'file.lastModifyingUser.displayName',
      'file.trashed',
      'drive.name',
    ],
  },
);

/** The current position of the change log. */
export const StartPageToken = record({ kind: text, startPageToken: z.string() });

/** The user, and the capabilities of this Drive. */
export const About = record(
  {
    kind: text,
    user,
    storageQuota: map.describe(
      'Bytes as strings: { limit?, usage, usageInDrive, usageInDriveTrash }; no limit means unlimited.',
    ),
    ...fieldsOfType(z.record(z.string(), z.array(z.string())).nullable(), ['importFormats', 'exportFormats']),
    maxImportSizes: map,
    maxUploadSize: int64,
    ...fieldsOfType(flag, ['appInstalled', 'canCreateDrives', 'canCreateTeamDrives']),
    folderColorPalette: strings,
    ...fieldsOfType(objects, ['driveThemes', 'teamDriveThemes']),
  },
  {},
  { concise: ['user.displayName', 'user.emailAddress', 'storageQuota', 'maxUploadSize', 'canCreateDrives'] },
);

/** Meta of most lists. */
export const Page = z.object({ nextPageToken: text.describe('Pass it as `pageToken` for the next page.') });
/** Meta of `files.list`. */
export const FilePage = z.object({
  nextPageToken: Page.shape.nextPageToken,
  incompleteSearch: flag.describe('True if not all shared drives were searched.'),
  notes,
});
/** Meta of `changes.list`. */
export const ChangePage = z.object({
  nextPageToken: Page.shape.nextPageToken,
  newStartPageToken: text.describe('Last page only: the start token for the next run.'),
});

/** A file or folder. */
export type File = RecordType<typeof File>;
/** A shared drive. */
export type Drive = RecordType<typeof Drive>;
/** A permission. */
export type Permission = RecordType<typeof Permission>;
/** A comment. */
export type Comment = RecordType<typeof Comment>;
/** A reply. */
export type Reply = RecordType<typeof Reply>;
/** A revision. */
export type Revision = RecordType<typeof Revision>;
/** A change. */
export type Change = RecordType<typeof Change>;
