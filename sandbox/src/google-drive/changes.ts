import type { VendorReply } from '../vendor.js';
import { isPerFile, isVisible, requireDrive, roleInDrive } from './access.js';
import type { DriveContext } from './context.js';
import { driveView } from './drives.js';
import { apiErrors, DriveApiError } from './errors.js';
import { fileView } from './file-view.js';
import { includesAllDrives } from './files-list.js';
import { booleanParameter, pageSize } from './parameters.js';
import { maskOf, resourceReply } from './reply.js';
import type { ChangeRow, FileRow } from './rows.js';
import { shapes } from './shapes.js';

/** The number of the first change; later changes count up from it. */
const firstChangeNumber = 1000;

/** changes.getStartPageToken */
export function getStartPageToken(context: DriveContext): VendorReply {
  const driveId = driveIdOf(context);
  if (driveId !== undefined) requireDrive(context, driveId);
  const startPageToken = String(firstChangeNumber + context.world.changes.length);
  return resourceReply(context, shapes.startPageToken, { kind: 'drive#startPageToken', startPageToken });
}

/** changes.list */
export function listChanges(context: DriveContext): VendorReply {
  const { search, world, fault } = context;
  const token = search.get('pageToken');
  if (token === null) throw apiErrors.required('pageToken');
  let size = pageSize(search, 1000, 100);
  const scope = scopeOf(context);
  maskOf(context, shapes.changeList);
  const at = Number(token) - firstChangeNumber;
  if (!/^\d+$/.test(token) || at > world.changes.length) throw apiErrors.invalid('pageToken');
  if (fault?.kind === 'empty_page') {
    return resourceReply(context, shapes.changeList, { kind: 'drive#changeList', nextPageToken: token, changes: [] });
  }
  if (fault?.kind === 'half_page') size = Math.max(1, Math.floor(size / 2));
  const changes: Record<string, unknown>[] = [];
  let next = Math.max(0, at);
  const newest = newestOf(world.changes);
  for (; next < world.changes.length && changes.length < size; next += 1) {
    const row = world.changes[next]!;
    // If an item has several changes, only the last is returned.
    if (newest.get(row.fileId ?? row.driveId) !== next) continue;
    const view = scope(row) ? changeView(context, row) : undefined;
    if (view && (view.removed !== true || booleanParameter(search, 'includeRemoved', true))) changes.push(view);
  }
  const isEnd = next >= world.changes.length;
  return resourceReply(context, shapes.changeList, {
    kind: 'drive#changeList',
    nextPageToken: nextToken(context, isEnd, next),
    newStartPageToken: isEnd && fault?.kind !== 'endless_cursor' ? String(firstChangeNumber + next) : undefined,
    changes,
  });
}

function nextToken({ fault, search }: DriveContext, isEnd: boolean, next: number): string | undefined {
  if (fault?.kind === 'endless_cursor') return search.get('pageToken')!;
  if (fault?.kind === 'null_cursor') return '';
  return isEnd ? undefined : String(firstChangeNumber + next);
}

function newestOf(changes: readonly ChangeRow[]): ReadonlyMap<string | undefined, number> {
  return new Map(changes.map(({ fileId, driveId }, index) => [fileId ?? driveId, index]));
}

function driveIdOf({ search }: DriveContext): string | undefined {
  return search.get('driveId') ?? search.get('teamDriveId') ?? undefined;
}

/** The changes that the request covers. */
function scopeOf(context: DriveContext): (row: ChangeRow) => boolean {
  const { search, world, person } = context;
  const includesDrives = includesAllDrives(search);
  const driveId = driveIdOf(context);
  const isRestricted = booleanParameter(search, 'restrictToMyDrive');
  if (driveId !== undefined) {
    requireDrive(context, driveId);
    if (!includesDrives) {
      const message =
        'The includeItemsFromAllDrives parameter must be set to true when driveId is specified or corpora contains drive or allDrives.';
      throw new DriveApiError(403, 'teamDrivesIncludeItemsRequired', message);
    }
    return (row) => row.driveId === driveId;
  }
  const root = world.root(person);
  const isInMyDrive = (file: FileRow) => file.id === root || [...world.ancestors(file)].some(({ id }) => id === root);
  return (row) => {
    if (row.driveId !== undefined && !includesDrives) return false;
    const file = world.files.get(row.fileId ?? '');
    return !isRestricted || (row.driveId === undefined && (!file || isInMyDrive(file)));
  };
}

function changeView(context: DriveContext, row: ChangeRow): Record<string, unknown> | undefined {
  const { world, person } = context;
  const { time, fileId, driveId } = row;
  if (fileId === undefined) {
    const drive = world.drives.get(driveId ?? '');
    if (!drive || !roleInDrive(person, drive) || isPerFile(context)) return undefined;
    const shown = driveView(context, drive);
    const { id, name, colorRgb, themeId, createdTime, backgroundImageLink } = shown;
    const teamDrive = { kind: 'drive#teamDrive', id, name, colorRgb, themeId, createdTime, backgroundImageLink };
    return {
      kind: 'drive#change',
      type: 'teamDrive',
      changeType: 'drive',
      time,
      removed: false,
      driveId,
      teamDriveId: driveId,
      drive: shown,
      teamDrive,
    };
  }
  const common = {
    kind: 'drive#change',
    type: 'file',
    changeType: 'file',
    time,
    fileId,
    driveId,
    teamDriveId: driveId,
  };
  const file = world.files.get(fileId);
  if (file && isVisible(context, file)) return { ...common, removed: false, file: fileView(context, file) };
  const wasSeen = row.removedFor?.includes(person) ?? false;
  return wasSeen ? { ...common, removed: true } : undefined;
}
