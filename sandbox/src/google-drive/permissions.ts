import { company } from '../company.js';
import type { VendorReply } from '../vendor.js';
import { type EffectivePermission, isAtLeast, permissionsOf, requireFile, roleOn } from './access.js';
import { type DriveContext, permissionIdOf, personForEmail, requestTime } from './context.js';
import { apiErrors, DriveApiError } from './errors.js';
import { pageOf } from './pages.js';
import { booleanParameter, pageSize } from './parameters.js';
import { permissionView } from './permission-view.js';
import { maskOf, noContent, resourceReply } from './reply.js';
import type { FileRow, PermissionRow, Role } from './rows.js';
import { shapes } from './shapes.js';

/** permissions.list */
export function listPermissions(context: DriveContext, fileId: string): VendorReply {
  const size = pageSize(context.search, 100, 0);
  const file = requireSharedFile(context, fileId);
  const rows = permissionsOf(context.world, file);
  // Without a page size, all permissions are returned in one page, except for shared drives.
  const defaultSize = file.driveId === undefined ? Math.max(1, rows.length) : 100;
  const page = pageOf(context, {
    name: `permissions ${file.id}`,
    rows,
    size: size || defaultSize,
    boundParameters: [],
    idOf: ({ row }) => row.id,
  });
  maskOf(context, shapes.permissionList);
  return resourceReply(context, shapes.permissionList, {
    kind: 'drive#permissionList',
    nextPageToken: page.nextPageToken,
    permissions: page.rows.map((one) => permissionView(file, one)),
  });
}

/** permissions.get */
export function getPermission(context: DriveContext, fileId: string, id: string): VendorReply {
  const file = requireSharedFile(context, fileId);
  return resourceReply(context, shapes.permission, permissionView(file, requirePermission(context, file, id)));
}

/** permissions.create */
export function createPermission(context: DriveContext, fileId: string): VendorReply {
  maskOf(context, shapes.permission);
  const file = requireFile(context, fileId, { role: 'writer' });
  const row = parsePermission(context.request.body);
  if (file.writersCanShare === false && roleOn(context.world, context.person, file) !== 'owner') throw sharingError();
  file.permissions = [...file.permissions.filter(({ id }) => id !== row.id), row];
  const key = row.emailAddress === undefined ? undefined : personForEmail(row.emailAddress)?.key;
  if (key !== undefined && file.driveId === undefined) {
    file.sharedWith[key] = { time: requestTime(context), by: context.person };
  }
  context.world.recordChange(file, requestTime(context));
  return resourceReply(context, shapes.permission, permissionView(file, { row }));
}

/** permissions.delete */
export function deletePermission(context: DriveContext, fileId: string, id: string): VendorReply {
  const file = requireFile(context, fileId);
  const { row, inheritedFrom } = requirePermission(context, file, id);
  const isOwn = row.emailAddress !== undefined && personForEmail(row.emailAddress)?.key === context.person;
  if (!isOwn && !isAtLeast(roleOn(context.world, context.person, file), 'writer')) throw apiErrors.fileRights();
  if (row.role === 'owner' || inheritedFrom !== undefined) throw sharingError();
  file.permissions = file.permissions.filter((one) => one.id !== id);
  const key = personForEmail(row.emailAddress ?? '')?.key;
  if (key !== undefined) delete file.sharedWith[key];
  context.world.recordChange(file, requestTime(context));
  return noContent;
}

/** Only writers can see permissions. */
function requireSharedFile(context: DriveContext, fileId: string): FileRow {
  const isDomain = booleanParameter(context.search, 'useDomainAdminAccess');
  if (isDomain && !context.isAdministrator) throw apiErrors.fileNotFound(fileId);
  const inDomain = isDomain ? context.world.files.get(fileId) : undefined;
  if (inDomain?.driveId !== undefined) return inDomain;
  const file = requireFile(context, fileId);
  const needed: Role = file.driveId === undefined ? 'writer' : 'reader';
  if (!isAtLeast(roleOn(context.world, context.person, file), needed)) {
    const message = 'The user does not have sufficient permissions for this file.';
    throw new DriveApiError(403, 'insufficientFilePermissions', message);
  }
  return file;
}

function requirePermission(context: DriveContext, file: FileRow, id: string): EffectivePermission {
  const email = personForEmail(id)?.email;
  const found = permissionsOf(context.world, file).find(
    ({ row }) => row.id === id || (email !== undefined && row.emailAddress === email),
  );
  if (!found) throw apiErrors.notFound('Permission', id, 'permissionId');
  return found;
}

const roles = new Set(['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer']);

function parsePermission(body: string): PermissionRow {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(body);
  } catch {
    throw new DriveApiError(400, 'parseError', 'Parse Error');
  }
  const { type, role, emailAddress, domain, allowFileDiscovery, expirationTime } = fields;
  if (typeof type !== 'string') throw missingFieldError('type');
  if (typeof role !== 'string') throw missingFieldError('role');
  if (!roles.has(role))
    throw new DriveApiError(400, 'invalid', 'The specified role is invalid.', {
      location: 'permission.role',
      locationType: 'other',
    });
  const common = { role: role as Role, ...(allowFileDiscovery === true && { allowFileDiscovery }) };
  if (type === 'anyone') return { ...common, id: allowFileDiscovery ? 'anyone' : 'anyoneWithLink', type };
  if (type === 'domain') {
    if (typeof domain !== 'string') throw missingFieldError('domain');
    return { ...common, id: `${permissionIdOf(domain)}k`, type, domain, displayName: company.name };
  }
  if (type !== 'user' && type !== 'group') {
    throw new DriveApiError(400, 'invalid', 'The specified type is invalid.', {
      location: 'permission.type',
      locationType: 'other',
    });
  }
  if (typeof emailAddress !== 'string') throw missingFieldError('emailAddress');
  const displayName = personForEmail(emailAddress)?.name ?? emailAddress;
  const expires = typeof expirationTime === 'string' && { expirationTime };
  return { role: common.role, id: permissionIdOf(emailAddress), type, emailAddress, displayName, ...expires };
}

function missingFieldError(name: string): DriveApiError {
  const message = `The permission ${name} field is required.`;
  return new DriveApiError(400, 'required', message, { location: `permission.${name}`, locationType: 'other' });
}

function sharingError(): DriveApiError {
  return new DriveApiError(403, 'cannotShareFile', 'The user cannot change who has access to this file.');
}
