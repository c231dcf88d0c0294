import type { VendorReply } from '../vendor.js';
import { requireDrive, roleInDrive } from './access.js';
import { driveCapabilitiesOf } from './capabilities.js';
import type { DriveContext } from './context.js';
import { apiErrors, DriveApiError } from './errors.js';
import { compareNumbers, containsWordPrefix, evaluate } from './match.js';
import { pageOf } from './pages.js';
import { booleanParameter, pageSize } from './parameters.js';
import { driveVocabulary, parseQuery } from './query.js';
import { maskOf, resourceReply } from './reply.js';
import type { DriveRow } from './rows.js';
import { shapes } from './shapes.js';

/** drives.list */
export function listDrives(context: DriveContext): VendorReply {
  const { search, world, person } = context;
  const size = pageSize(search, 100, 10);
  const isDomain = usesAdminAccess(context);
  const condition = parseQuery(search.get('q') ?? '', driveVocabulary);
  const rows = [...world.drives.values()]
    .filter((drive) => isDomain || roleInDrive(person, drive))
    .filter(
      (drive) =>
        !condition ||
        evaluate(
          condition,
          (one) => one.kind === 'compare' && matchesField(context, drive, one.field, one.operator, one.value),
        ),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const bound = ['q', 'useDomainAdminAccess'];
  const page = pageOf(context, { name: 'drives', rows, idOf: ({ id }) => id, size, boundParameters: bound });
  maskOf(context, shapes.driveList);
  return resourceReply(context, shapes.driveList, {
    kind: 'drive#driveList',
    nextPageToken: page.nextPageToken,
    drives: page.rows.map((drive) => ({
      ...driveView(context, drive),
      orgUnitId: isDomain ? drive.orgUnitId : undefined,
    })),
  });
}

/** drives.get */
export function getDrive(context: DriveContext, id: string): VendorReply {
  const isDomain = usesAdminAccess(context);
  const drive = isDomain ? context.world.drives.get(id) : requireDrive(context, id);
  if (!drive) throw apiErrors.notFound('Shared drive', id, 'driveId');
  return resourceReply(context, shapes.drive, driveView(context, drive));
}

/** A shared drive in a response. */
export function driveView(context: DriveContext, drive: DriveRow): Record<string, unknown> {
  const { id, name, createdTime, themeId, colorRgb, restrictions } = drive;
  return {
    kind: 'drive#drive',
    id,
    name,
    colorRgb,
    themeId,
    createdTime,
    restrictions,
    backgroundImageLink: `https://ssl.gstatic.com/team_drive_themes/${themeId}_background.jpg`,
    capabilities: driveCapabilitiesOf(context, drive),
    hidden: drive.hiddenFor.includes(context.person),
  };
}

function usesAdminAccess(context: DriveContext): boolean {
  if (!booleanParameter(context.search, 'useDomainAdminAccess')) return false;
  if (context.isAdministrator) return true;
  const message =
    'The requesting user does not have the administrator privilege required to list or manage all shared drives.';
  throw new DriveApiError(403, 'noListTeamDrivesAdministratorPrivilege', message);
}

function matchesField(
  { person }: DriveContext,
  drive: DriveRow,
  field: string,
  operator: Parameters<typeof compareNumbers>[1],
  value: string | boolean | number,
): boolean {
  const isEqual = (found: unknown) => (found === value) === (operator === '=');
  const organizers = drive.members.filter(({ role }) => role === 'organizer').length;
  switch (field) {
    case 'name':
      return operator === 'contains' ? containsWordPrefix(drive.name, String(value)) : isEqual(drive.name);
    case 'hidden':
      return isEqual(drive.hiddenFor.includes(person));
    case 'createdTime':
      return compareNumbers(Date.parse(drive.createdTime), operator, Number(value));
    default:
      return compareNumbers(field === 'memberCount' ? drive.members.length : organizers, operator, Number(value));
  }
}
