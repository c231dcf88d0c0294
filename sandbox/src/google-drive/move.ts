import { fileBy, isAtLeast, roleOn } from './access.js';
import { type DriveContext, ownerPermission } from './context.js';
import { folderBy, moveOnDisk } from './folders.js';
import { DriveRefusal, refusals } from './refusals.js';
import type { FileRow } from './rows.js';

/** Moves a file as `addParents` and `removeParents` say: it keeps exactly one folder. */
export function moveFile(context: DriveContext, file: FileRow, adding: string | null, removing: string | null): void {
  const { world, person } = context;
  const own = (id: string) => (id === 'root' ? world.root(person) : id);
  const added = listed(adding)
    .map(own)
    .filter((id) => id !== file.parent);
  const removed = listed(removing).map(own);
  for (const id of removed) if (id !== file.parent) fileBy(context, id);
  if (added.length === 0) {
    if (file.parent === undefined || !removed.includes(file.parent)) return;
    if (file.driveId !== undefined) {
      throw new DriveRefusal(403, 'teamDrivesParentLimit', 'A shared drive item must have exactly one parent.');
    }
    added.push(world.root(file.owner ?? person));
  }
  const isReplacing = file.parent === undefined || removed.includes(file.parent);
  if (added.length > 1 || !isReplacing) {
    if (file.driveId === undefined) throw refusals.manyParents();
    throw new DriveRefusal(403, 'teamDrivesParentLimit', 'A shared drive item must have exactly one parent.');
  }
  const folder = folderBy(context, added[0]!);
  if (folder === file || [...world.ancestors(folder)].includes(file)) {
    throw new DriveRefusal(403, 'cyclicMembershipsNotAllowed', 'A folder cannot be moved into itself or below itself.');
  }
  changeDrive(context, file, folder);
  file.parent = folder.id;
  moveOnDisk(context, file, folder);
}

function listed(ids: string | null): string[] {
  return (ids ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

/** A move between drives hands over everything below, too. */
function changeDrive(context: DriveContext, file: FileRow, folder: FileRow): void {
  const { world, person } = context;
  if (file.driveId === folder.driveId) return;
  const role = roleOn(world, person, file);
  if (!isAtLeast(role, file.driveId === undefined ? 'owner' : 'organizer')) throw refusals.fileRights();
  for (const one of world.withDescendants(file)) {
    if (folder.driveId === undefined) {
      delete one.driveId;
      one.owner = person;
    } else {
      one.driveId = folder.driveId;
      delete one.owner;
    }
    one.permissions = one.permissions.filter(({ role: held }) => held !== 'owner');
    if (one.owner !== undefined) one.permissions.unshift(ownerPermission(one.owner));
  }
}
