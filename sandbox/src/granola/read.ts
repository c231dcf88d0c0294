import type { FaultKind } from '../faults.js';
import type { VendorRequest } from '../vendor.js';
import type { Grant } from './credentials.js';
import { type PageRequest, pageOf } from './pages.js';
import { idOf, momentOf, pageSizeOf } from './parameters.js';
import { badParameter, notFound, transcriptTooLarge } from './refusals.js';
import type { FolderRow, NoteRow, Workspace } from './rows.js';
import { transcriptOf } from './seed/transcript.js';
import { folderView, fullNote, thinNote } from './views.js';

/** What one request is answered from. */
export interface Reading {
  workspace: Workspace;
  grant: Grant;
  now: number;
  fault: FaultKind | undefined;
}

/** A transcript of more turns than this is not given along with its note. */
const longestIncluded = 1_000;

/** Answers the path, or undefined where Granola has none such. */
export function read({ path, search }: VendorRequest, reading: Reading): unknown {
  const [version, resource, id, part, ...rest] = path.slice(1).split('/').map(decoded);
  if (version !== 'v1' || rest.length > 0) return undefined;
  if (resource === 'folders' && id === undefined) return listFolders(search, reading);
  if (resource !== 'notes') return undefined;
  if (id === undefined) return listNotes(search, reading);
  if (part === undefined) return getNote(noteBy(id, reading), search, reading);
  return part === 'transcript' ? getTranscript(noteBy(id, reading), search, reading) : undefined;
}

function listNotes(search: URLSearchParams, reading: Reading) {
  const { workspace, now } = reading;
  const asked = pageAsked(search, reading, { usual: 10, most: 30 });
  const before = momentOf(search, 'created_before') ?? Number.POSITIVE_INFINITY;
  const after = momentOf(search, 'created_after') ?? Number.NEGATIVE_INFINITY;
  const updatedAfter = momentOf(search, 'updated_after') ?? Number.NEGATIVE_INFINITY;
  const folderId = search.get('folder_id');
  const folders = folderId === null ? undefined : folderNames(workspace.folders, idOf(folderId, 'fol'));
  const rows = workspace.notes.filter(
    ({ created, updated, ready, meeting }) =>
      ready <= now &&
      created < before &&
      created > after &&
      updated > updatedAfter &&
      (!folders || meeting.folders.some((name) => folders.has(name))),
  );
  const isShown = (note: NoteRow) => isVisible(note, reading);
  const page = pageOf({ name: 'note', rows, placeOf: ({ created }) => -created, isShown }, asked);
  return { notes: page.rows.map(thinNote), hasMore: page.hasMore, cursor: page.cursor };
}

function getNote(note: NoteRow, search: URLSearchParams, { workspace, grant }: Reading) {
  const include = search.get('include');
  if (include !== null && include !== 'transcript') {
    throw badParameter('Invalid literal value, expected "transcript"');
  }
  const shown = fullNote(note, workspace, grant);
  if (include === null) return shown;
  if (note.turns > longestIncluded) throw transcriptTooLarge();
  return { ...shown, transcript: transcriptOf(note) };
}

function getTranscript(note: NoteRow, search: URLSearchParams, reading: Reading) {
  const asked = pageAsked(search, reading, { usual: 50, most: 100 });
  const page = pageOf({ name: note.id, rows: transcriptOf(note), placeOf: (_, index) => index }, asked);
  return { transcript: page.rows, hasMore: page.hasMore, cursor: page.cursor };
}

function listFolders(search: URLSearchParams, reading: Reading) {
  const { workspace } = reading;
  const asked = pageAsked(search, reading, { usual: 10, most: 30 });
  const page = pageOf({ name: 'folder', rows: workspace.folders, placeOf: (_, index) => index }, asked);
  const folders = page.rows.map((folder) => folderView(folder, workspace));
  return { folders, hasMore: page.hasMore, cursor: page.cursor };
}

function pageAsked(search: URLSearchParams, { fault }: Reading, sizes: Parameters<typeof pageSizeOf>[1]): PageRequest {
  return { size: pageSizeOf(search, sizes), cursor: search.get('cursor'), fault };
}

function noteBy(id: string, reading: Reading): NoteRow {
  const wanted = idOf(id, 'not');
  const known = reading.workspace.notes.find((note) => note.id === wanted);
  if (!known || known.ready > reading.now || !isVisible(known, reading)) throw notFound('Note');
  return known;
}

function isVisible({ isDeleted, meeting }: NoteRow, { grant }: Reading): boolean {
  if (isDeleted) return false;
  if (grant.seesPublic && !meeting.isPrivate) return true;
  return grant.seesPersonal && meeting.participants.some(({ key }) => key !== null && key === grant.person);
}

/** The names of a folder and of all folders below it. */
function folderNames(folders: readonly FolderRow[], id: string): Set<string> {
  const names = new Set<string>();
  for (const folder of folders) {
    if (folder.id === id) names.add(folder.name);
    else if (folder.parentId === id) for (const name of folderNames(folders, folder.id)) names.add(name);
  }
  return names;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
