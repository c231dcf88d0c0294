import { isAtLeast, roleInDrive, roleOn } from './access.js';
import type { DriveContext } from './context.js';
import { isNative, types } from './mime.js';
import type { DriveRow, FileRow, Role } from './rows.js';
import { driveCapabilities, fileCapabilities } from './shapes.js';

type FileCapability = (typeof fileCapabilities)[number];

/** The user's capabilities on a file. */
export function capabilitiesOf(context: DriveContext, file: FileRow): Record<string, boolean> {
  const role = roleOn(context.world, context.person, file);
  const may = (needed: Role) => isAtLeast(role, needed);
  const isFolder = file.mimeType === types.folder;
  const isShared = file.driveId !== undefined;
  const isRoot = context.world.isRoot(file);
  const isOwner = role === 'owner';
  const canCopy = may('writer') || file.copyRequiresWriterPermission !== true;
  const canMove = !isRoot && may(isShared ? 'fileOrganizer' : 'writer');
  const canEdit = may('writer') && file.readOnlyReason === undefined;
  const canTrash = !isRoot && may(isShared ? 'fileOrganizer' : 'owner');
  const capabilities: Partial<Record<FileCapability, boolean>> = {
    canAddChildren: isFolder && may('writer'),
    canAddMyDriveParent: false,
    canChangeCopyRequiresWriterPermission: may('writer'),
    canChangeSecurityUpdateEnabled: false,
    canChangeViewersCanCopyContent: may('writer'),
    canComment: may('commenter'),
    canCopy: canCopy && !isFolder,
    canDelete: !isRoot && may(isShared ? 'organizer' : 'owner'),
    canDownload: canCopy && !isFolder,
    canEdit,
    canListChildren: isFolder,
    canModifyContent: canEdit,
    canModifyContentRestriction: may('writer'),
    canModifyEditorContentRestriction: may('writer'),
    canModifyOwnerContentRestriction: isOwner || may('organizer'),
    canMoveItemIntoTeamDrive: isOwner && !isRoot,
    canMoveItemOutOfDrive: canMove,
    canMoveItemWithinDrive: canMove,
    canReadRevisions: may('writer') && !isFolder,
    canRemoveChildren: isFolder && may('writer'),
    canRemoveContentRestriction: file.readOnlyReason !== undefined && may('writer'),
    canRename: !isRoot && may('writer'),
    canShare: may(file.writersCanShare === false ? 'owner' : 'writer'),
    canTrash,
    canUntrash: canTrash,
    ...(isShared
      ? {
          canAddFolderFromAnotherDrive: isFolder && may('fileOrganizer'),
          canDeleteChildren: isFolder && may('organizer'),
          canMoveChildrenOutOfDrive: isFolder && may('organizer'),
          canMoveChildrenOutOfTeamDrive: isFolder && may('organizer'),
          canMoveChildrenWithinDrive: isFolder && may('fileOrganizer'),
          canMoveChildrenWithinTeamDrive: isFolder && may('fileOrganizer'),
          canMoveItemOutOfTeamDrive: canMove,
          canMoveItemWithinTeamDrive: canMove,
          canMoveTeamDriveItem: canMove,
          canReadDrive: true,
          canReadTeamDrive: true,
          canTrashChildren: isFolder && may('fileOrganizer'),
        }
      : {
          canAcceptOwnership: false,
          canMoveChildrenWithinDrive: isFolder && may('writer'),
          canRemoveMyDriveParent: canMove,
        }),
    ...(!isNative(file.mimeType) && { canReadLabels: true, canModifyLabels: may('writer') }),
  };
  return pickInOrder(fileCapabilities, capabilities);
}

/** The user's capabilities on a shared drive. */
export function driveCapabilitiesOf(context: DriveContext, drive: DriveRow): Record<string, boolean> {
  const role = roleInDrive(context.person, drive);
  const may = (needed: Role) => isAtLeast(role, needed);
  const isOrganizer = may('organizer');
  const capabilities: Partial<Record<(typeof driveCapabilities)[number], boolean>> = {
    canAddChildren: may('writer'),
    canComment: may('commenter'),
    canCopy: may('reader'),
    canDownload: may('reader'),
    canEdit: may('writer'),
    canListChildren: may('reader'),
    canReadRevisions: may('writer'),
    canRename: may('writer'),
    canShare: may('fileOrganizer'),
    canTrashChildren: may('fileOrganizer'),
  };
  return pickInOrder(
    driveCapabilities,
    Object.fromEntries(driveCapabilities.map((name) => [name, capabilities[name] ?? isOrganizer])),
  );
}

function pickInOrder(names: readonly string[], values: Record<string, boolean | undefined>): Record<string, boolean> {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}
