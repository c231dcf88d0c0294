import type { EffectivePermission } from './access.js';
import { permissionIdOf } from './context.js';
import type { FileRow } from './rows.js';

/** A permission in a response; inheritance is only shown in shared drives. */
export function permissionView(file: FileRow, { row, inheritedFrom }: EffectivePermission): Record<string, unknown> {
  const { id, type, role, emailAddress, domain, displayName, allowFileDiscovery, expirationTime, deleted } = row;
  const isAddressed = type === 'user' || type === 'group';
  const inherited = inheritedFrom !== undefined;
  const from = inherited ? { inheritedFrom, inherited } : { inherited };
  const kind = inheritedFrom === file.driveId ? 'member' : 'file';
  return {
    kind: 'drive#permission',
    id,
    type,
    emailAddress,
    domain,
    role,
    displayName,
    photoLink: isAddressed
      ? `https://lh3.googleusercontent.com/a/${permissionIdOf(emailAddress ?? id)}=s64`
      : undefined,
    expirationTime,
    allowFileDiscovery: isAddressed ? undefined : (allowFileDiscovery ?? false),
    deleted: isAddressed ? (deleted ?? false) : undefined,
    pendingOwner: type === 'user' && file.driveId === undefined ? false : undefined,
    ...(file.driveId !== undefined && {
      permissionDetails: [{ permissionType: kind, role, ...from }],
      teamDrivePermissionDetails: [{ teamDrivePermissionType: kind, role, ...from }],
    }),
  };
}
