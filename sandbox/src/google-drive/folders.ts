import type { FolderDrive } from '../folder-drive.js';
import { isAtLeast, isPerFile, requireFile, roleOn } from './access.js';
import type { DriveContext } from './context.js';
import { apiErrors, DriveApiError } from './errors.js';
import type { Metadata } from './metadata.js';
import { isNative, types } from './mime.js';
import type { FileRow } from './rows.js';

/** The parent folder of a new file. */
export function parentFor(context: DriveContext, metadata: Metadata): FileRow {
  const { parents = [] } = metadata;
  if (parents.length > 1) throw apiErrors.manyParents();
  const { world, person } = context;
  const id = parents[0] ?? 'root';
  const root = world.files.get(world.root(person))!;
  // Clients with the per-file scope cannot see the root, but can put files there.
  if (isPerFile(context) && (id === 'root' || id === root.id)) return root;
  return requireWritableFolder(context, id);
}

/** A folder the user can add files to. */
export function requireWritableFolder(context: DriveContext, id: string): FileRow {
  const folder = requireFile(context, id);
  if (folder.mimeType !== types.folder) {
    throw new DriveApiError(403, 'parentNotAFolder', 'The specified parent is not a folder.');
  }
  if (!isAtLeast(roleOn(context.world, context.person, folder), 'writer')) throw apiErrors.parentRights();
  return folder;
}

/** Creates a new file on disk if its folder exists there. */
export function createOnDisk(context: DriveContext, file: FileRow, parent: FileRow): void {
  const { folder, world } = context;
  const isOnDisk = folder && (parent.diskPath !== undefined || parent.id === world.root(context.person));
  if (!isOnDisk || (isNative(file.mimeType) && file.mimeType !== types.folder)) return;
  const content = file.mimeType === types.folder ? undefined : new Uint8Array(0);
  file.diskPath = folder.create(parent.diskPath ?? '', file.name, content);
}

/** Also renames a file on disk. */
export function renameOnDisk(context: DriveContext, file: FileRow, name: string): void {
  const { folder } = context;
  const before = file.diskPath;
  if (before === undefined || !folder) return;
  const parent = before.includes('/') ? before.slice(0, before.lastIndexOf('/')) : '';
  updateMovedPaths(context, folder, before, folder.move(before, parent, name));
}

/** Also moves a file on disk. */
export function moveOnDisk(context: DriveContext, file: FileRow, to: FileRow): void {
  const { folder, world, person } = context;
  const isOnDisk = to.diskPath !== undefined || to.id === world.root(person);
  if (!folder || file.diskPath === undefined || !isOnDisk) return;
  const moved = folder.move(file.diskPath, to.diskPath ?? '', file.name);
  updateMovedPaths(context, folder, file.diskPath, moved);
}

/** Updates every path below a folder moved on disk. */
function updateMovedPaths({ world }: DriveContext, folder: FolderDrive, before: string, after: string): void {
  for (const file of world.files.values()) {
    if (file.diskPath === before) file.diskPath = after;
    else if (file.diskPath?.startsWith(`${before}/`)) file.diskPath = after + file.diskPath.slice(before.length);
    else continue;
    const blob = file.revisions.at(-1)?.blob;
    if (blob !== undefined) world.blobs.set(blob, folder.open(file.diskPath));
  }
}
