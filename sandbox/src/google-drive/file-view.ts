import { isAtLeast, isVisible, permissionsOf, roleOn } from './access.js';
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

/** A file in a response; each field is computed only if requested. */
export class FileView {
  readonly kind = 'drive#file';
  private readonly context: DriveContext;
  private readonly file: FileRow;
  private readonly isBinary: boolean;

  constructor(context: DriveContext, file: FileRow) {
    this.context = context;
    this.file = file;
    this.isBinary = !isNative(file.mimeType);
  }

  get id() {
    return this.file.id;
  }
  get name() {
    return this.file.name;
  }
  get mimeType() {
    return this.file.mimeType;
  }
  get description() {
    return this.file.description;
  }
  get driveId() {
    return this.file.driveId;
  }
  get teamDriveId() {
    return this.file.driveId;
  }
  get parents() {
    const { world } = this.context;
    const folder = world.files.get(this.file.parent ?? '');
    return folder && isVisible(this.context, folder) ? [folder.id] : undefined;
  }
  get spaces() {
    return ['drive'];
  }
  get version() {
    return String(this.file.version);
  }
  get createdTime() {
    return this.file.createdTime;
  }
  get modifiedTime() {
    return this.file.modifiedTime;
  }
  get modifiedByMe() {
    return this.modifiedByMeTime !== undefined;
  }
  get modifiedByMeTime() {
    const { file, context } = this;
    if (file.modifiedBy === context.person) return file.modifiedTime;
    return file.revisions.findLast(({ by }) => by === context.person)?.modifiedTime;
  }
  get viewedByMe() {
    return this.viewedByMeTime !== undefined;
  }
  get viewedByMeTime() {
    return this.file.viewedBy[this.context.person];
  }
  get sharedWithMeTime() {
    return this.file.sharedWith[this.context.person]?.time;
  }
  get sharingUser() {
    const by = this.file.sharedWith[this.context.person]?.by;
    return by === undefined ? undefined : userOf(this.context, by);
  }
  get lastModifyingUser() {
    return userOf(this.context, this.file.modifiedBy);
  }
  get owners() {
    return this.file.owner === undefined ? undefined : [userOf(this.context, this.file.owner)];
  }
  get ownedByMe() {
    return this.file.owner === undefined ? undefined : this.file.owner === this.context.person;
  }
  get starred() {
    return this.file.starredBy.includes(this.context.person);
  }
  get trashed() {
    return this.context.world.isTrashed(this.file);
  }
  get explicitlyTrashed() {
    return this.file.trashed !== undefined;
  }
  get trashedTime() {
    return this.file.driveId === undefined ? undefined : this.file.trashed?.time;
  }
  get trashingUser() {
    const by = this.file.driveId === undefined ? undefined : this.file.trashed?.by;
    return by === undefined ? undefined : userOf(this.context, by);
  }
  get size() {
    const { file, context } = this;
    if (file.mimeType === types.folder || file.mimeType === types.shortcut) return undefined;
    return String(context.world.contentOf(file)?.length ?? documentLength(file));
  }
  get quotaBytesUsed() {
    return this.size ?? '0';
  }
  get md5Checksum() {
    return this.checksums?.md5;
  }
  get sha1Checksum() {
    return this.checksums?.sha1;
  }
  get sha256Checksum() {
    return this.checksums?.sha256;
  }
  get headRevisionId() {
    return this.isBinary ? this.file.revisions.at(-1)?.id : undefined;
  }
  get originalFilename() {
    return this.isBinary ? (this.file.revisions.at(-1)?.originalFilename ?? this.file.name) : undefined;
  }
  get fullFileExtension() {
    return this.isBinary ? (/^[^.].*?\.((?:tar\.)?[^.\s]+)$/.exec(this.file.name)?.[1] ?? '') : undefined;
  }
  get fileExtension() {
    return this.isBinary ? (/^.+\.([^.\s]+)$/.exec(this.file.name)?.[1] ?? '') : undefined;
  }
  get folderColorRgb() {
    return this.file.mimeType === types.folder ? (this.file.folderColorRgb ?? '#8f8f8f') : undefined;
  }
  get properties() {
    return this.file.properties;
  }
  get appProperties() {
    return this.file.appProperties;
  }
  get isAppAuthorized() {
    return this.file.isAppAuthorized === true;
  }
  get copyRequiresWriterPermission() {
    return this.file.copyRequiresWriterPermission === true;
  }
  get viewersCanCopyContent() {
    return this.file.copyRequiresWriterPermission !== true;
  }
  get writersCanShare() {
    return this.file.driveId === undefined ? this.file.writersCanShare !== false : undefined;
  }
  get shared() {
    return this.file.driveId === undefined ? this.effective.length > 1 : undefined;
  }
  get permissions() {
    if (!this.canShare) return undefined;
    return this.effective.map((one) => permissionView(this.file, one));
  }
  get permissionIds() {
    return this.canShare ? this.effective.map(({ row }) => row.id) : undefined;
  }
  get capabilities() {
    return capabilitiesOf(this.context, this.file);
  }
  get contentRestrictions() {
    const { readOnlyReason: reason, modifiedTime, modifiedBy } = this.file;
    if (reason === undefined) return undefined;
    const by = userOf(this.context, modifiedBy);
    return [
      { readOnly: true, reason, type: 'globalContentRestriction', restrictingUser: by, restrictionTime: modifiedTime },
    ];
  }
  get shortcutDetails() {
    const { shortcut } = this.file;
    const targetResourceKey = shortcut && this.context.world.files.get(shortcut.targetId)?.resourceKey;
    return targetResourceKey === undefined ? shortcut : { ...shortcut, targetResourceKey };
  }
  get resourceKey() {
    return this.file.resourceKey;
  }
  get linkShareMetadata() {
    return { securityUpdateEligible: this.file.resourceKey !== undefined, securityUpdateEnabled: true };
  }
  get hasAugmentedPermissions() {
    return this.file.driveId === undefined ? undefined : this.file.permissions.length > 0;
  }
  get inheritedPermissionsDisabled() {
    return false;
  }
  get imageMediaMetadata() {
    return this.file.image && { ...this.file.image, rotation: 0 };
  }
  get hasThumbnail() {
    return /^image\/|^application\/pdf$|-apps\.(document|spreadsheet|presentation|drawing)$/.test(this.file.mimeType);
  }
  get thumbnailVersion() {
    return this.hasThumbnail ? String(this.file.revisions.length) : '0';
  }
  get thumbnailLink() {
    return this.hasThumbnail ? `https://lh3.googleusercontent.com/drive-storage/${this.file.id}=s220` : undefined;
  }
  get iconLink() {
    return `https://drive-thirdparty.googleusercontent.com/16/type/${this.file.mimeType}`;
  }
  get webViewLink() {
    const { id, mimeType } = this.file;
    if (mimeType === types.folder) return `https://drive.google.com/drive/folders/${id}`;
    const editor = editors[mimeType];
    if (editor !== undefined) return `https://docs.google.com/${editor}/d/${id}/edit?usp=drivesdk`;
    return `https://drive.google.com/file/d/${id}/view?usp=drivesdk`;
  }
  get webContentLink() {
    return this.isBinary ? `https://drive.google.com/uc?id=${this.file.id}&export=download` : undefined;
  }
  get exportLinks() {
    return exportLinksOf(this.file);
  }

  private get effective() {
    return permissionsOf(this.context.world, this.file);
  }
  private get canShare() {
    const role = roleOn(this.context.world, this.context.person, this.file);
    return this.file.driveId === undefined && isAtLeast(role, 'writer');
  }
  private get checksums() {
    return this.context.world.contentOf(this.file)?.checksums();
  }
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
