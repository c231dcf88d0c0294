import type { FolderDrive, FolderEntry } from '../folder-drive.js';
import type { DriveContext } from './context.js';
import { ownerPermission } from './context.js';
import { typeOfName, types } from './mime.js';
import type { FileRow } from './rows.js';

/** Syncs the rows of My Drive with the served folder. */
export function syncFolder(context: DriveContext, folder: FolderDrive): void {
  const { world, person } = context;
  const filesByPath = new Map<string, FileRow>();
  for (const file of world.files.values()) if (file.diskPath !== undefined) filesByPath.set(file.diskPath, file);
  const ids = new Map<string, string>([['', world.root(person)]]);
  for (const entry of folder.list()) {
    const row = filesByPath.get(entry.path);
    filesByPath.delete(entry.path);
    const isSame = row && (row.mimeType === types.folder) === entry.isFolder;
    const file = isSame ? row : addEntry(context, entry, ids);
    if (row && !isSame) world.remove(row, toIsoTime(entry.modifiedTime), [person]);
    ids.set(entry.path, file.id);
    if (!entry.isFolder) refresh(context, folder, file, entry);
  }
  for (const file of filesByPath.values()) world.remove(file, new Date(context.now).toISOString(), [person]);
}

function addEntry({ world, person }: DriveContext, entry: FolderEntry, ids: ReadonlyMap<string, string>): FileRow {
  const at = entry.path.lastIndexOf('/');
  const name = entry.path.slice(at + 1);
  const parent = ids.get(at < 0 ? '' : entry.path.slice(0, at)) ?? world.root(person);
  const modified = toIsoTime(entry.modifiedTime);
  const file: FileRow = {
    id: world.newId(),
    name,
    parent,
    mimeType: entry.isFolder ? types.folder : typeOfName(name),
    owner: person,
    createdTime: toIsoTime(Math.min(entry.createdTime, entry.modifiedTime)),
    modifiedTime: modified,
    modifiedBy: person,
    version: 0,
    starredBy: [],
    viewedBy: {},
    sharedWith: {},
    permissions: [ownerPermission(person)],
    revisions: [],
    diskPath: entry.path,
  };
  world.files.set(file.id, file);
  world.recordChange(file, modified);
  return file;
}

/** A file changed on disk gets a new revision. */
function refresh(context: DriveContext, folder: FolderDrive, file: FileRow, entry: FolderEntry): void {
  const { world, person } = context;
  const head = file.revisions.at(-1);
  const content = world.contentOf(file);
  const modifiedTime = toIsoTime(entry.modifiedTime);
  const isKnown = head && content && content.length === entry.size && file.diskTime === entry.modifiedTime;
  if (isKnown) return;
  const blob = world.storeBlob(folder.open(entry.path));
  // The API's own writes already have a revision.
  if (head && (!content || file.diskTime === undefined)) {
    if (head.blob !== undefined) world.blobs.delete(head.blob);
    head.blob = blob;
  } else {
    world.forgetContents(file);
    file.revisions.push({
      id: world.newId(51, '0B'),
      modifiedTime,
      mimeType: file.mimeType,
      by: person,
      blob,
      originalFilename: file.name,
    });
    if (head) {
      file.modifiedTime = modifiedTime;
      world.recordChange(file, modifiedTime);
    }
  }
  file.diskTime = entry.modifiedTime;
}

function toIsoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
