import type { FaultKind } from '../faults.js';
import type { VendorRequest } from '../vendor.js';
import type { Grant } from './credentials.js';
import { badParameter, notFound, transcriptTooLarge } from './errors.js';
import { type PageRequest, pageOf } from './pages.js';
import type { FolderRow, NoteRow, Workspace } from './rows.js';
import { transcriptOf } from './seed/transcript.js';
import { folderView, noteDetails, noteSummary } from './views.js';

/** Context of one request. */
export interface GranolaContext {
  workspace: Workspace;
  grant: Grant;
  now: number;
  fault: FaultKind | undefined;
}

/** Maximum number of turns in a transcript that is included in its note. */
const maxIncludedTurns = 1_000;

/** Handles a path; undefined if Granola has no such path. */
export function read({ path, search }: VendorRequest, context: GranolaContext): unknown {
  const [version, resource, id, part, ...rest] = path.slice(1).split('/').map(decodeSegment);
  if (version !== 'v1' || rest.length > 0) return undefined;
  if (resource === 'folders' && id === undefined) return listFolders(search, context);
  if (resource !== 'notes') return undefined;
  if (id === undefined) return listNotes(search, context);
  if (part === undefined) return getNote(requireNote(id, context), search, context);
  return part === 'transcript' ? getTranscript(requireNote(id, context), search, context) : undefined;
}

function listNotes(search: URLSearchParams, context: GranolaContext) {
  const { workspace, now } = context;
  const pageRequest = pageRequestOf(search, context, { defaultSize: 10, maxSize: 30 });
  const before = parseTimestamp(search, 'created_before') ?? Number.POSITIVE_INFINITY;
  const after = parseTimestamp(search, 'created_after') ?? Number.NEGATIVE_INFINITY;
  const updatedAfter = parseTimestamp(search, 'updated_after') ?? Number.NEGATIVE_INFINITY;
  const folderId = search.get('folder_id');
  const folders = folderId === null ? undefined : folderNames(workspace.folders, parseId(folderId, 'fol'));
  const rows = workspace.notes.filter(
    ({ created, updated, ready, meeting }) =>
      ready <= now &&
      created < before &&
      created > after &&
      updated > updatedAfter &&
      (!folders || meeting.folders.some((name) => folders.has(name))),
  );
  const isShown = (note: NoteRow) => isVisible(note, context);
  const page = pageOf({ name: 'note', rows, positionOf: ({ created }) => -created, isShown }, pageRequest);
  return { notes: page.rows.map(noteSummary), hasMore: page.hasMore, cursor: page.cursor };
}

function getNote(note: NoteRow, search: URLSearchParams, { workspace, grant }: GranolaContext) {
  const include = search.get('include');
  if (include !== null && include !== 'transcript') {
    throw badParameter('Invalid literal value, expected "transcript"');
  }
  const shown = noteDetails(note, workspace, grant);
  if (include === null) return shown;
  if (note.turns > maxIncludedTurns) throw transcriptTooLarge();
  return { ...shown, transcript: transcriptOf(note) };
}

function getTranscript(note: NoteRow, search: URLSearchParams, context: GranolaContext) {
  const pageRequest = pageRequestOf(search, context, { defaultSize: 50, maxSize: 100 });
  const page = pageOf({ name: note.id, rows: transcriptOf(note), positionOf: (_, index) => index }, pageRequest);
  return { transcript: page.rows, hasMore: page.hasMore, cursor: page.cursor };
}

function listFolders(search: URLSearchParams, context: GranolaContext) {
  const { workspace } = context;
  const pageRequest = pageRequestOf(search, context, { defaultSize: 10, maxSize: 30 });
  const page = pageOf({ name: 'folder', rows: workspace.folders, positionOf: (_, index) => index }, pageRequest);
  const folders = page.rows.map((folder) => folderView(folder, workspace));
  return { folders, hasMore: page.hasMore, cursor: page.cursor };
}

function pageRequestOf(
  search: URLSearchParams,
  { fault }: GranolaContext,
  sizes: Parameters<typeof pageSizeOf>[1],
): PageRequest {
  return { size: pageSizeOf(search, sizes), cursor: search.get('cursor'), fault };
}

function requireNote(id: string, context: GranolaContext): NoteRow {
  const noteId = parseId(id, 'not');
  const match = context.workspace.notes.find((note) => note.id === noteId);
  if (!match || match.ready > context.now || !isVisible(match, context)) throw notFound('Note');
  return match;
}

function isVisible({ isDeleted, meeting }: NoteRow, { grant }: GranolaContext): boolean {
  if (isDeleted) return false;
  if (grant.seesPublic && !meeting.isPrivate) return true;
  return grant.seesPersonal && meeting.participants.some(({ key }) => key !== null && key === grant.person);
}

/** The names of a folder and all folders below it. */
function folderNames(folders: readonly FolderRow[], id: string): Set<string> {
  const names = new Set<string>();
  for (const folder of folders) {
    if (folder.id === id) names.add(folder.name);
    else if (folder.parentId === id) for (const name of folderNames(folders, folder.id)) names.add(name);
  }
  return names;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The page size from the query, or the default. */
function pageSizeOf(search: URLSearchParams, sizes: { defaultSize: number; maxSize: number }): number {
  const text = search.get('page_size');
  if (text === null) return sizes.defaultSize;
  const size = Number(text);
  if (Number.isNaN(size)) throw badParameter('Expected number, received nan');
  if (!Number.isInteger(size)) throw badParameter('Expected integer, received float');
  if (size < 1) throw badParameter('Number must be greater than or equal to 1');
  if (size > sizes.maxSize) throw badParameter(`Number must be less than or equal to ${sizes.maxSize}`);
  return size;
}

const timestampPattern = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?$/;

/** A time from the query, in milliseconds: a date means midnight UTC, and offsets are rejected. */
function parseTimestamp(search: URLSearchParams, name: string): number | undefined {
  const text = search.get(name);
  if (text === null) return undefined;
  const [whole, day, time = 'T00:00:00Z'] = timestampPattern.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const timestamp = Date.parse(`${day}${time}`);
  // Date.parse turns February 30 into a day in March, which the round trip reveals.
  const isDay = Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(day ?? '-');
  if (!whole || !isDay || !Number.isFinite(timestamp)) throw badParameter('Invalid date');
  return timestamp;
}

/** Validates an id such as `not_1d3tmYTlCICgjy`, or throws Granola's error. */
function parseId(text: string, prefix: 'not' | 'fol'): string {
  if (!new RegExp(`^${prefix}_[a-zA-Z0-9]{14}$`).test(text)) throw badParameter('Invalid');
  return text;
}
