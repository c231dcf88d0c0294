import type { VendorReply } from '../vendor.js';
import { isPerFile, isVisible, requireDrive, roleInDrive } from './access.js';
import type { DriveContext } from './context.js';
import { apiErrors, DriveApiError } from './errors.js';
import { fileView, modifiedByMeTime, sizeOf } from './file-view.js';
import { matches } from './match.js';
import { types } from './mime.js';
import { pageOf } from './pages.js';
import { booleanParameter, pageSize, supportsAllDrives } from './parameters.js';
import { type Condition, fileVocabulary, parseQuery, usesFullText } from './query.js';
import { maskOf, resourceReply } from './reply.js';
import type { FileRow } from './rows.js';
import { shapes } from './shapes.js';

const boundParameters = [
  'q',
  'orderBy',
  'corpora',
  'driveId',
  'teamDriveId',
  'spaces',
  'includeItemsFromAllDrives',
  'includeTeamDriveItems',
  'supportsAllDrives',
  'supportsTeamDrives',
];

/** files.list */
export function listFiles(context: DriveContext): VendorReply {
  const { search } = context;
  const size = pageSize(search, 1000, 100);
  const includesDrives = includesAllDrives(search);
  const order = parseOrder(search.get('orderBy'));
  const scope = scopeOf(context, includesDrives);
  const condition = parseQuery(search.get('q') ?? '', fileVocabulary);
  if (order.length > 0 && usesFullText(condition)) {
    const message =
      'Sorting is not supported for queries with fullText terms. Results are always in descending relevance order.';
    throw new DriveApiError(403, 'forbidden', message, { location: 'orderBy' });
  }
  checkParents(context, condition);
  const found = [...context.world.files.values()].filter(
    (file) =>
      !context.world.isRoot(file) &&
      scope.includes(file) &&
      isVisible(context, file, true) &&
      (!condition || matches(context, file, condition)),
  );
  const rows = sortFiles(context, found, order);
  const page = pageOf(context, { name: 'files', rows, idOf: ({ id }) => id, size, boundParameters });
  maskOf(context, shapes.fileList);
  return resourceReply(context, shapes.fileList, {
    kind: 'drive#fileList',
    incompleteSearch: scope.isIncomplete,
    nextPageToken: page.nextPageToken,
    files: page.rows.map((file) => fileView(context, file)),
  });
}

/** Whether to include shared drive items, which requires two parameters. */
export function includesAllDrives(search: URLSearchParams): boolean {
  const isNew = booleanParameter(search, 'includeItemsFromAllDrives');
  const isIncluded = booleanParameter(search, 'includeTeamDriveItems') || isNew;
  const isSupported = supportsAllDrives(search);
  if (isIncluded && !isSupported) {
    const message = 'The supportsAllDrives parameter was not set to true.';
    throw new DriveApiError(403, 'supportsTeamDrivesRequired', message);
  }
  return isIncluded;
}

interface ListScope {
  includes(file: FileRow): boolean;
  isIncomplete: boolean;
}

function scopeOf(context: DriveContext, includesDrives: boolean): ListScope {
  const { search, world, person } = context;
  const driveId = search.get('driveId') ?? search.get('teamDriveId');
  const corpora = search.get('corpora')?.replace('teamDrive', 'drive').replace('allTeamDrives', 'allDrives');
  const spaces = (search.get('spaces') ?? 'drive').split(',');
  if (spaces.some((space) => !['drive', 'appDataFolder', 'photos'].includes(space))) throw apiErrors.invalid('spaces');
  if (corpora !== undefined && !['user', 'domain', 'drive', 'allDrives'].includes(corpora)) {
    throw apiErrors.invalid('corpora');
  }
  if ((driveId !== null) !== (corpora === 'drive')) {
    const message = 'The driveId parameter must be specified if and only if corpora is set to drive.';
    throw new DriveApiError(403, 'teamDriveIdRequiresTeamDriveCorpora', message);
  }
  if ((corpora === 'drive' || corpora === 'allDrives') && !includesDrives) {
    const message =
      'The includeItemsFromAllDrives parameter must be set to true when driveId is specified or corpora contains drive or allDrives.';
    throw new DriveApiError(403, 'teamDrivesIncludeItemsRequired', message);
  }
  const isDrive = spaces.includes('drive');
  if (driveId !== null) {
    requireDrive(context, driveId);
    return { includes: (file) => isDrive && file.driveId === driveId, isIncomplete: false };
  }
  const ofDomain = (file: FileRow) => file.permissions.some(({ type }) => type === 'domain');
  const own = new Set([...world.drives.values()].filter((drive) => roleInDrive(person, drive)).map(({ id }) => id));
  return {
    includes: (file) =>
      isDrive &&
      (file.driveId === undefined || (includesDrives && own.has(file.driveId))) &&
      (corpora !== 'domain' || ofDomain(file)),
    // Searching all drives stops early, as the real API does when there are many drives.
    isIncomplete: corpora === 'allDrives' && !isPerFile(context),
  };
}

/** Searching in an inaccessible folder is an error that does not name the folder. */
function checkParents(context: DriveContext, condition: Condition | undefined): void {
  if (!condition) return;
  if (condition.kind === 'not') checkParents(context, condition.of);
  else if (condition.kind === 'and' || condition.kind === 'or') {
    checkParents(context, condition.left);
    checkParents(context, condition.right);
  } else if (condition.kind === 'in' && condition.list === 'parents' && condition.value !== 'root') {
    const folder = context.world.files.get(condition.value);
    if (folder && (isVisible(context, folder) || isPerFile(context))) return;
    throw new DriveApiError(404, 'notFound', 'File not found: .', { location: 'fileId' });
  }
}

type Value = string | number;
type Key = (context: DriveContext, file: FileRow) => Value;

const plain = new Intl.Collator('en', { sensitivity: 'base' });
const natural = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

const keys: Readonly<Record<string, Key>> = {
  createdTime: (_, file) => file.createdTime,
  folder: (_, file) => (file.mimeType === types.folder ? 0 : 1),
  modifiedByMeTime: (context, file) => modifiedByMeTime(context, file) ?? '',
  modifiedTime: (_, file) => file.modifiedTime,
  name: (_, file) => file.name,
  name_natural: (_, file) => file.name,
  quotaBytesUsed: (context, file) => sizeOf(context, file) ?? 0,
  recency: (context, file) => latest(file.modifiedTime, file.viewedBy[context.person]),
  sharedWithMeTime: (context, file) => file.sharedWith[context.person]?.time ?? '',
  starred: (context, file) => (file.starredBy.includes(context.person) ? 0 : 1),
  viewedByMeTime: (context, file) => file.viewedBy[context.person] ?? '',
};

/** A sort key and direction. */
interface SortKey {
  name: string;
  isDescending: boolean;
}

/** Parses `orderBy`, or throws Drive's error. */
function parseOrder(text: string | null): SortKey[] {
  if (!text) return [];
  const sortKeys = text.split(',').map((part) => {
    const match = /^\s*(\w+)(\s+desc)?\s*$/.exec(part);
    if (!match || !Object.hasOwn(keys, match[1]!)) throw apiErrors.invalid('orderBy');
    return { name: match[1]!, isDescending: match[2] !== undefined };
  });
  if (new Set(sortKeys.map(({ name }) => name)).size < sortKeys.length) {
    const message = 'The orderBy parameter cannot contain duplicate sort keys.';
    throw new DriveApiError(403, 'orderByContainsDuplicateSortKeys', message, { location: 'orderBy' });
  }
  return sortKeys;
}

/** Sorts files as requested; by default, most recently changed first. */
function sortFiles(context: DriveContext, files: readonly FileRow[], order: readonly SortKey[]): FileRow[] {
  const wanted = order.length > 0 ? order : [{ name: 'modifiedTime', isDescending: true }];
  const rows = files.map((file) => ({ file, values: wanted.map(({ name }) => keys[name]!(context, file)) }));
  rows.sort((one, other) => {
    for (const [index, { name, isDescending }] of wanted.entries()) {
      const difference = compareValues(name, one.values[index]!, other.values[index]!);
      if (difference !== 0) return isDescending ? -difference : difference;
    }
    return one.file.id < other.file.id ? -1 : 1;
  });
  return rows.map(({ file }) => file);
}

function compareValues(name: string, one: Value, other: Value): number {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  if (name === 'name') return plain.compare(one, other);
  if (name === 'name_natural') return natural.compare(one, other);
  return one < other ? -1 : one > other ? 1 : 0;
}

function latest(one: string, other = ''): string {
  return one > other ? one : other;
}
