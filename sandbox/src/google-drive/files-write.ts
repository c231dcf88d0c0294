import type { VendorReply } from '../vendor.js';
import { isAtLeast, permissionsOf, requireFile, roleOn, viewersOf } from './access.js';
import { type DriveContext, ownerPermission, requestTime } from './context.js';
import { apiErrors, DriveApiError } from './errors.js';
import { fileView } from './file-view.js';
import { createOnDisk, moveOnDisk, parentFor, renameOnDisk, requireWritableFolder } from './folders.js';
import { type Metadata, mergeProperties, readMetadata } from './metadata.js';
import { isNative, typeOfName, types } from './mime.js';
import { maskOf, noContent, resourceReply } from './reply.js';
import type { FileRow } from './rows.js';
import { shapes } from './shapes.js';
import { type Media, writeContent } from './storage.js';

/** files.create without content. */
export function createFile(context: DriveContext): VendorReply {
  maskOf(context, shapes.file);
  return fileReply(context, makeFile(context, readMetadata(context.request.body), undefined));
}

/** A file as returned by a write. */
export function fileReply(context: DriveContext, file: FileRow): VendorReply {
  return resourceReply(context, shapes.file, fileView(context, file));
}

/** Creates a file from metadata and optional content. */
export function makeFile(context: DriveContext, metadata: Metadata, media: Media | undefined): FileRow {
  const { world, person } = context;
  const parent = parentFor(context, metadata);
  const time = requestTime(context);
  const name = metadata.name ?? 'Untitled';
  const isOwned = parent.driveId === undefined;
  const file: FileRow = {
    id: idFor(context, metadata),
    name,
    mimeType: mimeTypeOf(metadata, media, name),
    parent: parent.id,
    createdTime: metadata.createdTime ?? time,
    modifiedTime: metadata.modifiedTime ?? time,
    modifiedBy: person,
    version: 0,
    starredBy: [],
    viewedBy: { [person]: metadata.viewedByMeTime ?? time },
    sharedWith: {},
    permissions: [],
    revisions: [],
    isAppAuthorized: true,
    ...(parent.driveId !== undefined && { driveId: parent.driveId }),
    ...(isOwned && { owner: person }),
  };
  if (isOwned) file.permissions.push(ownerPermission(person));
  applyMetadata(context, file, metadata);
  if (file.mimeType === types.shortcut) setShortcutTarget(context, file, metadata);
  else if (file.mimeType === types.folder && media) throw apiErrors.badRequest();
  createOnDisk(context, file, parent);
  if (file.mimeType !== types.folder && file.mimeType !== types.shortcut) writeContent(context, file, media);
  world.files.set(file.id, file);
  world.reserved.delete(file.id);
  world.recordChange(file, time);
  return file;
}

function idFor({ world }: DriveContext, { id }: Metadata): string {
  if (id === undefined) return world.newId();
  if (world.files.has(id)) {
    throw new DriveApiError(409, 'fileIdInUse', 'A file already exists with the provided ID.', {
      location: 'file.id',
      locationType: 'other',
    });
  }
  if (!world.reserved.has(id)) {
    throw new DriveApiError(400, 'invalid', 'The provided file ID is not usable.', {
      location: 'file.id',
      locationType: 'other',
    });
  }
  return id;
}

function mimeTypeOf(metadata: Metadata, media: Media | undefined, name: string): string {
  if (metadata.mimeType !== undefined) return metadata.mimeType;
  const sent = media?.mimeType ?? 'application/octet-stream';
  return sent === 'application/octet-stream' && media ? typeOfName(name) : sent;
}

function setShortcutTarget(context: DriveContext, file: FileRow, { shortcutDetails }: Metadata): void {
  const target = context.world.files.get(shortcutDetails?.targetId ?? '');
  if (!target) throw apiErrors.fileNotFound(shortcutDetails?.targetId ?? '');
  file.shortcut = { targetId: target.id, targetMimeType: target.mimeType };
}

/** Applies the metadata. */
function applyMetadata({ person }: DriveContext, file: FileRow, metadata: Metadata): void {
  const { name, description, folderColorRgb, starred, originalFilename } = metadata;
  if (name !== undefined) file.name = name;
  if (description !== undefined) file.description = description;
  if (originalFilename !== undefined) {
    file.originalFilename = originalFilename;
    const head = file.revisions.at(-1);
    if (head?.blob !== undefined) head.originalFilename = originalFilename;
  }
  if (folderColorRgb !== undefined && file.mimeType === types.folder) file.folderColorRgb = folderColorRgb;
  if (metadata.copyRequiresWriterPermission !== undefined) {
    file.copyRequiresWriterPermission = metadata.copyRequiresWriterPermission;
  }
  if (metadata.writersCanShare !== undefined) file.writersCanShare = metadata.writersCanShare;
  const properties = mergeProperties(file.properties, metadata.properties);
  const appProperties = mergeProperties(file.appProperties, metadata.appProperties);
  delete file.properties;
  delete file.appProperties;
  if (properties) file.properties = properties;
  if (appProperties) file.appProperties = appProperties;
  if (metadata.viewedByMeTime !== undefined) file.viewedBy[person] = metadata.viewedByMeTime;
  if (starred !== undefined) {
    file.starredBy = file.starredBy.filter((key) => key !== person);
    if (starred) file.starredBy.push(person);
  }
}

/** files.update without content. */
export function updateFile(context: DriveContext, id: string): VendorReply {
  maskOf(context, shapes.file);
  const metadata = readMetadata(context.request.body);
  return fileReply(context, changeFile(context, id, metadata, undefined));
}

const personalFields = new Set(['starred', 'viewedByMeTime']);

/** Changes a file's metadata, location or content. */
export function changeFile(context: DriveContext, id: string, metadata: Metadata, media: Media | undefined): FileRow {
  const { world, person, search } = context;
  if (metadata.parents) {
    throw apiErrors.notWritable(
      'The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead.',
    );
  }
  if (metadata.id !== undefined && metadata.id !== id) throw apiErrors.notWritable();
  const { trashed, ...rest } = metadata;
  const isPersonal = !media && trashed === undefined && Object.keys(rest).every((name) => personalFields.has(name));
  const file = requireFile(context, id, { role: isPersonal ? 'reader' : 'writer' });
  if (world.isRoot(file) && !isPersonal) throw apiErrors.fileRights();
  checkType(file, metadata, media);
  if (trashed !== undefined) trash(context, file, trashed);
  moveFile(context, file, search.get('addParents'), search.get('removeParents'));
  const time = requestTime(context);
  if (metadata.name !== undefined && metadata.name !== file.name) renameOnDisk(context, file, metadata.name);
  applyMetadata(context, file, rest);
  if (metadata.mimeType !== undefined && !isNative(file.mimeType)) file.mimeType = metadata.mimeType;
  if (media) writeContent(context, file, media);
  if (!isPersonal && (media || Object.keys(rest).length > 0)) {
    file.modifiedTime = metadata.modifiedTime ?? time;
    file.modifiedBy = person;
  }
  world.recordChange(file, time);
  return file;
}

function checkType(file: FileRow, { mimeType }: Metadata, media: Media | undefined): void {
  if (file.mimeType === types.folder && media) throw apiErrors.badRequest();
  if (mimeType === undefined || mimeType === file.mimeType) return;
  if (isNative(file.mimeType) || isNative(mimeType)) throw apiErrors.badRequest();
}

function trash(context: DriveContext, file: FileRow, isTrashed: boolean): void {
  const role = roleOn(context.world, context.person, file);
  const needed = file.driveId === undefined ? 'owner' : 'fileOrganizer';
  if (!isAtLeast(role, needed)) throw apiErrors.fileRights();
  if (isTrashed) file.trashed ??= { time: requestTime(context), by: context.person };
  else delete file.trashed;
}

/** files.delete, including everything below a folder. */
export function deleteFile(context: DriveContext, id: string): VendorReply {
  const { world, person, folder } = context;
  const file = requireFile(context, id);
  const needed = file.driveId === undefined ? 'owner' : 'organizer';
  if (world.isRoot(file) || !isAtLeast(roleOn(world, person, file), needed)) throw apiErrors.fileRights();
  const deletedFiles = world.withDescendants(file).filter((one) => one.owner === file.owner);
  const viewers = new Map(deletedFiles.map((one) => [one, viewersOf(world, one)]));
  const ids = new Set(deletedFiles.map((one) => one.id));
  // Other people's files in the deleted folder remain, but have no parent.
  for (const one of world.files.values()) {
    if (one.parent === undefined || !ids.has(one.parent) || ids.has(one.id)) continue;
    one.permissions = permissionsOf(world, one).map(({ row }) => row);
    delete one.parent;
    world.recordChange(one, requestTime(context));
  }
  if (file.diskPath !== undefined) folder?.remove(file.diskPath);
  for (const [one, seenBy] of viewers) world.remove(one, requestTime(context), seenBy);
  return noContent;
}

/** Moves a file with `addParents` and `removeParents`; a file always has exactly one parent. */
function moveFile(context: DriveContext, file: FileRow, adding: string | null, removing: string | null): void {
  const { world, person } = context;
  const own = (id: string) => (id === 'root' ? world.root(person) : id);
  const added = splitIds(adding)
    .map(own)
    .filter((id) => id !== file.parent);
  const removed = splitIds(removing).map(own);
  for (const id of removed) if (id !== file.parent) requireFile(context, id);
  if (added.length === 0) {
    if (file.parent === undefined || !removed.includes(file.parent)) return;
    if (file.driveId !== undefined) {
      throw new DriveApiError(403, 'teamDrivesParentLimit', 'A shared drive item must have exactly one parent.');
    }
    added.push(world.root(file.owner ?? person));
  }
  const isReplacing = file.parent === undefined || removed.includes(file.parent);
  if (added.length > 1 || !isReplacing) {
    if (file.driveId === undefined) throw apiErrors.manyParents();
    throw new DriveApiError(403, 'teamDrivesParentLimit', 'A shared drive item must have exactly one parent.');
  }
  const folder = requireWritableFolder(context, added[0]!);
  if (folder === file || [...world.ancestors(folder)].includes(file)) {
    throw new DriveApiError(
      403,
      'cyclicMembershipsNotAllowed',
      'A folder cannot be moved into itself or one of its subfolders.',
    );
  }
  changeDrive(context, file, folder);
  file.parent = folder.id;
  moveOnDisk(context, file, folder);
}

function splitIds(ids: string | null): string[] {
  return (ids ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

/** Moving a folder between drives also transfers everything in it. */
function changeDrive(context: DriveContext, file: FileRow, folder: FileRow): void {
  const { world, person } = context;
  if (file.driveId === folder.driveId) return;
  const role = roleOn(world, person, file);
  if (!isAtLeast(role, file.driveId === undefined ? 'owner' : 'organizer')) throw apiErrors.fileRights();
  for (const one of world.withDescendants(file)) {
    if (folder.driveId === undefined) {
      delete one.driveId;
      one.owner = person;
    } else {
      one.driveId = folder.driveId;
      delete one.owner;
    }
    one.permissions = one.permissions.filter(({ role: memberRole }) => memberRole !== 'owner');
    if (one.owner !== undefined) one.permissions.unshift(ownerPermission(one.owner));
  }
}
