import { isAtLeast, requireFile, roleOn } from './access.js';
import { type DriveContext, ownerPermission } from './context.js';
import { apiErrors, DriveApiError } from './errors.js';
import { moveOnDisk, requireWritableFolder } from './folders.js';
import type { FileRow } from './rows.js';

/** Moves a file with `addParents` and `removeParents`; a file always has exactly one parent. */
export function moveFile(context: DriveContext, file: FileRow, adding: string | null, removing: string | null): void {
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
