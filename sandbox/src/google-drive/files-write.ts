import type { VendorReply } from '../vendor.js';
import { fileBy, isAtLeast, permissionsOf, roleOn, viewersOf } from './access.js';
import { answered, maskOf, noContent } from './answer.js';
import { type DriveContext, ownerPermission, timeOf } from './context.js';
import { FileView } from './file-view.js';
import { parentFor, placeOnDisk, renameOnDisk } from './folders.js';
import { type Metadata, propertiesAfter, readMetadata } from './metadata.js';
import { isNative, typeOfName, types } from './mime.js';
import { moveFile } from './move.js';
import { DriveRefusal, refusals } from './refusals.js';
import type { FileRow } from './rows.js';
import { shapes } from './shapes.js';
import { type Media, writeContent } from './storage.js';

/** files.create without content. */
export function createFile(context: DriveContext): VendorReply {
  maskOf(context, shapes.file);
  return answeredFile(context, makeFile(context, readMetadata(context.request.body), undefined));
}

/** A file as the answer to a write. */
export function answeredFile(context: DriveContext, file: FileRow): VendorReply {
  return answered(context, shapes.file, new FileView(context, file));
}

/** Makes a file of metadata and perhaps content. */
export function makeFile(context: DriveContext, metadata: Metadata, media: Media | undefined): FileRow {
  const { world, person } = context;
  const parent = parentFor(context, metadata);
  const time = timeOf(context);
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
  describe(context, file, metadata);
  if (file.mimeType === types.shortcut) linkTo(context, file, metadata);
  else if (file.mimeType === types.folder && media) throw refusals.badRequest();
  placeOnDisk(context, file, parent);
  if (file.mimeType !== types.folder && file.mimeType !== types.shortcut) writeContent(context, file, media);
  world.files.set(file.id, file);
  world.reserved.delete(file.id);
  world.changed(file, time);
  return file;
}

function idFor({ world }: DriveContext, { id }: Metadata): string {
  if (id === undefined) return world.id();
  if (world.files.has(id)) {
    throw new DriveRefusal(409, 'fileIdInUse', 'A file already exists with the provided ID.', {
      ...{ location: 'file.id', locationType: 'other' },
    });
  }
  if (!world.reserved.has(id)) {
    throw new DriveRefusal(400, 'invalid', 'The provided file ID is not usable.', {
      ...{ location: 'file.id', locationType: 'other' },
    });
  }
  return id;
}

function mimeTypeOf(metadata: Metadata, media: Media | undefined, name: string): string {
  if (metadata.mimeType !== undefined) return metadata.mimeType;
  const sent = media?.mimeType ?? 'application/octet-stream';
  return sent === 'application/octet-stream' && media ? typeOfName(name) : sent;
}

function linkTo(context: DriveContext, file: FileRow, { shortcutDetails }: Metadata): void {
  const target = context.world.files.get(shortcutDetails?.targetId ?? '');
  if (!target) throw refusals.fileNotFound(shortcutDetails?.targetId ?? '');
  file.shortcut = { targetId: target.id, targetMimeType: target.mimeType };
}

/** Takes over what the metadata says. */
function describe({ person }: DriveContext, file: FileRow, metadata: Metadata): void {
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
  const properties = propertiesAfter(file.properties, metadata.properties);
  const appProperties = propertiesAfter(file.appProperties, metadata.appProperties);
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
  return answeredFile(context, changeFile(context, id, metadata, undefined));
}

const personal = new Set(['starred', 'viewedByMeTime']);

/** Changes a file's metadata, place or content. */
export function changeFile(context: DriveContext, id: string, metadata: Metadata, media: Media | undefined): FileRow {
  const { world, person, search } = context;
  if (metadata.parents) {
    throw refusals.notWritable(
      'The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead.',
    );
  }
  if (metadata.id !== undefined && metadata.id !== id) throw refusals.notWritable();
  const { trashed, ...rest } = metadata;
  const isPersonal = !media && trashed === undefined && Object.keys(rest).every((name) => personal.has(name));
  const file = fileBy(context, id, { role: isPersonal ? 'reader' : 'writer' });
  if (world.isRoot(file) && !isPersonal) throw refusals.fileRights();
  checkType(file, metadata, media);
  if (trashed !== undefined) trash(context, file, trashed);
  moveFile(context, file, search.get('addParents'), search.get('removeParents'));
  const time = timeOf(context);
  if (metadata.name !== undefined && metadata.name !== file.name) renameOnDisk(context, file, metadata.name);
  describe(context, file, rest);
  if (metadata.mimeType !== undefined && !isNative(file.mimeType)) file.mimeType = metadata.mimeType;
  if (media) writeContent(context, file, media);
  if (!isPersonal && (media || Object.keys(rest).length > 0)) {
    file.modifiedTime = metadata.modifiedTime ?? time;
    file.modifiedBy = person;
  }
  world.changed(file, time);
  return file;
}

function checkType(file: FileRow, { mimeType }: Metadata, media: Media | undefined): void {
  if (file.mimeType === types.folder && media) throw refusals.badRequest();
  if (mimeType === undefined || mimeType === file.mimeType) return;
  if (isNative(file.mimeType) || isNative(mimeType)) throw refusals.badRequest();
}

function trash(context: DriveContext, file: FileRow, isTrashed: boolean): void {
  const role = roleOn(context.world, context.person, file);
  const needed = file.driveId === undefined ? 'owner' : 'fileOrganizer';
  if (!isAtLeast(role, needed)) throw refusals.fileRights();
  if (isTrashed) file.trashed ??= { time: timeOf(context), by: context.person };
  else delete file.trashed;
}

/** files.delete, which takes everything below a folder along. */
export function deleteFile(context: DriveContext, id: string): VendorReply {
  const { world, person, folder } = context;
  const file = fileBy(context, id);
  const needed = file.driveId === undefined ? 'owner' : 'organizer';
  if (world.isRoot(file) || !isAtLeast(roleOn(world, person, file), needed)) throw refusals.fileRights();
  const gone = world.withDescendants(file).filter((one) => one.owner === file.owner);
  const viewers = new Map(gone.map((one) => [one, viewersOf(world, one)]));
  const ids = new Set(gone.map((one) => one.id));
  // What others own inside the folder stays, and comes to lie nowhere.
  for (const one of world.files.values()) {
    if (one.parent === undefined || !ids.has(one.parent) || ids.has(one.id)) continue;
    one.permissions = permissionsOf(world, one).map(({ row }) => row);
    delete one.parent;
    world.changed(one, timeOf(context));
  }
  if (file.diskPath !== undefined) folder?.remove(file.diskPath);
  for (const [one, seenBy] of viewers) world.remove(one, timeOf(context), seenBy);
  return noContent;
}
