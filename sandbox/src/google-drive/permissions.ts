import { company } from '../company.js';
import type { VendorReply } from '../vendor.js';
import { type EffectivePermission, fileBy, isAtLeast, permissionsOf, roleOn } from './access.js';
import { answered, maskOf, noContent } from './answer.js';
import { type DriveContext, permissionIdOf, personOfEmail, timeOf } from './context.js';
import { pageOf } from './pages.js';
import { flag, pageSize } from './parameters.js';
import { permissionView } from './permission-view.js';
import { DriveRefusal, refusals } from './refusals.js';
import type { FileRow, PermissionRow, Role } from './rows.js';
import { shapes } from './shapes.js';

/** permissions.list */
export function listPermissions(context: DriveContext, fileId: string): VendorReply {
  const size = pageSize(context.search, 100, 0);
  const file = sharedFile(context, fileId);
  const rows = permissionsOf(context.world, file);
  // Without a page size everything comes at once, except from shared drives.
  const usual = file.driveId === undefined ? Math.max(1, rows.length) : 100;
  const page = pageOf(context, {
    ...{ name: `permissions ${file.id}`, rows, size: size || usual, bound: [] },
    idOf: ({ row }) => row.id,
  });
  maskOf(context, shapes.permissionList);
  return answered(context, shapes.permissionList, {
    kind: 'drive#permissionList',
    nextPageToken: page.nextPageToken,
    permissions: page.rows.map((one) => permissionView(file, one)),
  });
}

/** permissions.get */
export function getPermission(context: DriveContext, fileId: string, id: string): VendorReply {
  const file = sharedFile(context, fileId);
  return answered(context, shapes.permission, permissionView(file, permissionBy(context, file, id)));
}

/** permissions.create */
export function createPermission(context: DriveContext, fileId: string): VendorReply {
  maskOf(context, shapes.permission);
  const file = fileBy(context, fileId, { role: 'writer' });
  const row = rowOf(context.request.body);
  if (file.writersCanShare === false && roleOn(context.world, context.person, file) !== 'owner') throw cannotShare();
  file.permissions = [...file.permissions.filter(({ id }) => id !== row.id), row];
  const key = row.emailAddress === undefined ? undefined : personOfEmail(row.emailAddress)?.key;
  if (key !== undefined && file.driveId === undefined) {
    file.sharedWith[key] = { time: timeOf(context), by: context.person };
  }
  context.world.changed(file, timeOf(context));
  return answered(context, shapes.permission, permissionView(file, { row }));
}

/** permissions.delete */
export function deletePermission(context: DriveContext, fileId: string, id: string): VendorReply {
  const file = fileBy(context, fileId);
  const { row, inheritedFrom } = permissionBy(context, file, id);
  const isOwn = row.emailAddress !== undefined && personOfEmail(row.emailAddress)?.key === context.person;
  if (!isOwn && !isAtLeast(roleOn(context.world, context.person, file), 'writer')) throw refusals.fileRights();
  if (row.role === 'owner' || inheritedFrom !== undefined) throw cannotShare();
  file.permissions = file.permissions.filter((one) => one.id !== id);
  const key = personOfEmail(row.emailAddress ?? '')?.key;
  if (key !== undefined) delete file.sharedWith[key];
  context.world.changed(file, timeOf(context));
  return noContent;
}

/** Only who may write sees who else may do what. */
function sharedFile(context: DriveContext, fileId: string): FileRow {
  const isDomain = flag(context.search, 'useDomainAdminAccess');
  if (isDomain && !context.isAdministrator) throw refusals.fileNotFound(fileId);
  const inDomain = isDomain ? context.world.files.get(fileId) : undefined;
  if (inDomain?.driveId !== undefined) return inDomain;
  const file = fileBy(context, fileId);
  const needed: Role = file.driveId === undefined ? 'writer' : 'reader';
  if (!isAtLeast(roleOn(context.world, context.person, file), needed)) {
    const message = 'The user does not have sufficient permissions for this file.';
    throw new DriveRefusal(403, 'insufficientFilePermissions', message);
  }
  return file;
}

function permissionBy(context: DriveContext, file: FileRow, id: string): EffectivePermission {
  const email = personOfEmail(id)?.email;
  const found = permissionsOf(context.world, file).find(
    ({ row }) => row.id === id || (email !== undefined && row.emailAddress === email),
  );
  if (!found) throw refusals.notFound('Permission', id, 'permissionId');
  return found;
}

const roles = new Set(['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer']);

function rowOf(body: string): PermissionRow {
  let given: Record<string, unknown>;
  try {
    given = JSON.parse(body);
  } catch {
    throw new DriveRefusal(400, 'parseError', 'Parse Error');
  }
  const { type, role, emailAddress, domain, allowFileDiscovery } = given;
  if (typeof type !== 'string') throw missing('type');
  if (typeof role !== 'string') throw missing('role');
  if (!roles.has(role))
    throw new DriveRefusal(400, 'invalid', 'The specified role is invalid.', {
      location: 'permission.role',
      locationType: 'other',
    });
  const common = { role: role as Role, ...(allowFileDiscovery === true && { allowFileDiscovery }) };
  if (type === 'anyone') return { ...common, id: allowFileDiscovery ? 'anyone' : 'anyoneWithLink', type };
  if (type === 'domain') {
    if (typeof domain !== 'string') throw missing('domain');
    return { ...common, id: `${permissionIdOf(domain)}k`, type, domain, displayName: company.name };
  }
  if (type !== 'user' && type !== 'group') {
    throw new DriveRefusal(400, 'invalid', 'The specified type is invalid.', {
      location: 'permission.type',
      locationType: 'other',
    });
  }
  if (typeof emailAddress !== 'string') throw missing('emailAddress');
  const displayName = personOfEmail(emailAddress)?.name ?? emailAddress;
  return { role: common.role, id: permissionIdOf(emailAddress), type, emailAddress, displayName };
}

function missing(name: string): DriveRefusal {
  const message = `The permission ${name} field is required.`;
  return new DriveRefusal(400, 'required', message, { location: `permission.${name}`, locationType: 'other' });
}

function cannotShare(): DriveRefusal {
  return new DriveRefusal(403, 'cannotShareFile', 'The user cannot change who may see this file.');
}
