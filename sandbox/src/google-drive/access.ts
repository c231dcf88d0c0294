import { company } from '../company.js';
import { type DriveContext, personForKey } from './context.js';
import { apiErrors } from './errors.js';
import { supportsAllDrives } from './parameters.js';
import type { DriveRow, FileRow, PermissionRow, Role } from './rows.js';
import type { DriveWorld } from './world.js';

const ranks: Readonly<Record<Role, number>> = {
  reader: 1,
  commenter: 2,
  writer: 3,
  fileOrganizer: 4,
  organizer: 5,
  owner: 6,
};

/** Whether a role includes another. */
export function isAtLeast(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && ranks[role] >= ranks[needed];
}

/** A permission and its origin. */
export interface EffectivePermission {
  row: PermissionRow;
  /** The folder or shared drive it is inherited from. */
  inheritedFrom?: string;
}

/** Each person's strongest permission on a file, direct or inherited. */
export function permissionsOf(world: DriveWorld, file: FileRow): EffectivePermission[] {
  const found = new Map<string, EffectivePermission>();
  const add = (row: PermissionRow, inheritedFrom?: string) => {
    const existing = found.get(row.id);
    if (existing && ranks[existing.row.role] >= ranks[row.role]) return;
    found.set(row.id, { row, ...(inheritedFrom !== undefined && { inheritedFrom }) });
  };
  for (const row of file.permissions) add(row);
  for (const folder of world.ancestors(file)) {
    // A folder's owner can edit files that others put into the folder, but does not own them.
    for (const row of folder.permissions) add(row.role === 'owner' ? { ...row, role: 'writer' } : row, folder.id);
  }
  const drive = world.drives.get(file.driveId ?? '');
  for (const row of drive?.members ?? []) add(row, drive!.id);
  return [...found.values()];
}

/** A person's role on a file; `isSearch` excludes link-only access. */
export function roleOn(world: DriveWorld, person: string, file: FileRow, isSearch = false): Role | undefined {
  const { email } = personForKey(person);
  let best: Role | undefined;
  for (const { row } of permissionsOf(world, file)) {
    const isMine =
      row.type === 'anyone' || row.type === 'domain'
        ? (row.type === 'anyone' || (row.domain === company.domain && email.endsWith(`@${row.domain}`))) &&
          (!isSearch || row.allowFileDiscovery === true || file.viewedBy[person] !== undefined)
        : row.emailAddress === email;
    if (isMine && !isAtLeast(best, row.role)) best = row.role;
  }
  return best;
}

/** A person's role in a shared drive. */
export function roleInDrive(person: string, drive: DriveRow): Role | undefined {
  const { email } = personForKey(person);
  return drive.members.find((row) => row.emailAddress === email)?.role;
}

/** Whether the credential can see a file. */
export function isVisible(context: DriveContext, file: FileRow, isSearch = false): boolean {
  if (isPerFile(context) && !isAppAuthorized(context, file)) return false;
  return roleOn(context.world, context.person, file, isSearch) !== undefined;
}

/** Whether the application has created the file, or the person has opened it with the application. */
export function isAppAuthorized({ person }: Pick<DriveContext, 'person'>, file: FileRow): boolean {
  return file.isAppAuthorized === true || file.pickedBy?.includes(person) === true;
}

/** Whether the credential is limited to files that the application created or opened. */
export function isPerFile({ scopes }: DriveContext): boolean {
  return !['drive', 'drive.readonly', 'drive.metadata.readonly'].some((scope) => scopes.has(scope));
}

/** Whether the request includes the file's resource key, if link access requires one. */
function hasResourceKey({ world, person, request }: DriveContext, file: FileRow): boolean {
  if (file.resourceKey === undefined || file.owner === person || file.viewedBy[person] !== undefined) return true;
  const { email } = personForKey(person);
  if (permissionsOf(world, file).some(({ row }) => row.emailAddress === email)) return true;
  const keys = request.headers.get('x-goog-drive-resource-keys')?.split(',') ?? [];
  return keys.some((key) => key.trim() === `${file.id}/${file.resourceKey}`);
}

/** A method's access requirements. */
export interface AccessRequirements {
  role?: Role;
  /** Whether the method finds shared drive items without requiring `supportsAllDrives`. */
  allDrives?: boolean;
}

/** The file, or Drive's error, which is identical for all inaccessible files. */
export function requireFile(context: DriveContext, id: string, requirements: AccessRequirements = {}): FileRow {
  const { world, person } = context;
  const file = world.files.get(id === 'root' ? world.root(person) : id);
  const isSupported = file?.driveId === undefined || requirements.allDrives || supportsAllDrives(context.search);
  if (!file || !isSupported || !isVisible(context, file) || !hasResourceKey(context, file))
    throw apiErrors.fileNotFound(id);
  if (!isAtLeast(roleOn(world, person, file), requirements.role ?? 'reader')) throw apiErrors.fileRights();
  return file;
}

/** A shared drive the person is a member of. */
export function requireDrive(context: DriveContext, id: string): DriveRow {
  const drive = context.world.drives.get(id);
  if (!drive || !roleInDrive(context.person, drive)) throw apiErrors.notFound('Shared drive', id, 'driveId');
  return drive;
}

/** Keys of everyone who can see a file. */
export function viewersOf(world: DriveWorld, file: FileRow): string[] {
  return [...world.roots.keys()].filter((person) => roleOn(world, person, file) !== undefined);
}
