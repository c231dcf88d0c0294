import * as z from 'zod';
import { type Action, type Batch, ConnectorError, type Result, type Source } from '../../../src/authoring.js';
import { fileIdParam, flag, listAction, pageParams, supportsAllDrives } from '../operations.js';
import { Change, ChangePage } from '../records.js';
import type { SyncedFolder } from './items.js';
import { folderType, type Item, itemFields, PathResolver, shortcutType, targetOf } from './items.js';
import type { FileAtPath } from './read-files.js';
import { hasReaders } from './readers.js';
import { type Run, rootOf } from './run.js';
import type { Link } from './state.js';

/** The change log with only the fields that a replica needs. */
export const changes: Action = listAction({
  description: 'List changes since a page token.',
  params: z.strictObject({
    pageToken: z.string().min(1).describe('Start token.'),
    pageSize: pageParams(1000).pageSize,
    driveId: fileIdParam('The id of a shared drive.').optional(),
    includeItemsFromAllDrives: flag('Whether to include shared drive items.'),
    supportsAllDrives,
  }),
  key: 'changes',
  record: Change,
  meta: ChangePage,
  mask: `changeType,removed,fileId,file(${itemFields})`,
  target: (query) => ({ path: '/changes', query }),
  example: { pageToken: '8675309' },
});

/** A folder's current change log position; null if no log covers everything in the folder. */
export async function startToken({ execute }: Source, { hasChangeLog, driveId }: SyncedFolder): Promise<string | null> {
  if (!hasChangeLog) return null;
  const params = driveId === undefined ? {} : { driveId };
  return (await execute('changes_start_page_token', 'get', params)).data.startPageToken;
}

/** Rejections of a page token in Google's own format; a page of a gateway is none. */
const lostTokenCodes = new Set<string>(['invalid_params', 'not_found']);

/** Applies changes since the last run, page by page. */
export async function* follow(run: Run): AsyncGenerator<Batch> {
  const { source, folder, state } = run;
  let isRenewed = false;
  for (let isEnd = state.token === null; !isEnd; ) {
    const page = await changesSince(run).catch((error: unknown) => {
      const isLost = ConnectorError.is(error) && lostTokenCodes.has(error.code);
      if (!isLost || isRenewed) throw error;
    });
    if (page) {
      const { nextPageToken, newStartPageToken } = page.meta;
      isEnd = !nextPageToken;
      const next: string | null = nextPageToken || newStartPageToken;
      if (!next || (!isEnd && next === state.token)) {
        throw new ConnectorError(
          'invalid_response',
          'Google returned a page of changes without a valid token for the next request.',
        );
      }
      yield* applyChanges(run, page.data, next);
    } else {
      isRenewed = true;
      state.token = await startToken(source, folder);
      run.startFullWalk();
    }
    yield* run.walk();
  }
}

function changesSince({ source, folder: { driveId }, state }: Run): Promise<Result<any, any>> {
  const params = { pageToken: state.token, pageSize: 1000, includeItemsFromAllDrives: true, supportsAllDrives: true };
  return source.call('changes', driveId === undefined ? params : { ...params, driveId });
}

async function* applyChanges(run: Run, entries: readonly Change[], next: string): AsyncGenerator<Batch> {
  const { source, folder, state } = run;
  const { fingerprints } = state;
  const paths = new PathResolver(source, folder);
  const files: FileAtPath[] = [];
  const shortcuts: { id: string; link: Link | undefined; targetKey: string | undefined }[] = [];
  const folders: { item: Item; path: string | undefined }[] = [];
  const removedIds: string[] = [];
  let isLost = false;
  for (const { file } of entries) if (file && file.mimeType === folderType) paths.addFolder(file as unknown as Item);

  for (const { changeType, fileId, removed, file } of entries) {
    // A change to a shared drive's members also changes who can open its files.
    if (changeType === 'drive' && hasReaders(source.config)) isLost = true;
    if (changeType !== 'file' || fileId === null) continue;
    const item = removed || !file ? undefined : (file as unknown as Item);
    if (!item) {
      removedIds.push(fileId);
      continue;
    }
    const path = item.trashed ? undefined : item.id === folder.id ? '' : await paths.pathOf(item);
    const target = targetOf(item);
    if (item.mimeType === folderType) folders.push({ item: item.id === folder.id ? rootOf(item.id) : item, path });
    else if (item.mimeType === shortcutType) {
      const link: Link | undefined = path === undefined || !target ? undefined : [item.id, target, path];
      shortcuts.push({ id: item.id, link, targetKey: item.shortcutDetails?.targetResourceKey });
    } else if (path !== undefined) files.push({ item, path });
    else removedIds.push(item.id);
  }

  yield* run.syncFiles(files);
  // Google does not report the contents of a permanently deleted folder.
  isLost ||= removedIds.some((id) => fingerprints.has(id));
  for (const id of removedIds) run.link(id);
  for (const { id, link, targetKey } of shortcuts) run.link(id, link, targetKey);
  for (const { item, path } of folders) if (hasToWalk(run, item, path)) run.queue([item], () => path ?? null);
  state.token = next;
  if (isLost) run.startFullWalk();
  const removed = removedIds.filter((id) => !run.isReferenced(id));
  for (const id of removed) run.seenFiles?.delete(id);
  yield* run.saveState(removed);
}

/** Whether to list a folder again after it has changed. */
function hasToWalk({ source, state: { fingerprints } }: Run, item: Item, path: string | undefined): boolean {
  if (path === undefined) {
    const isKnown = fingerprints.has(item.id);
    fingerprints.remove(item.id);
    return isKnown;
  }
  // Even if the folder has not moved, sharing may have changed for it and everything below it.
  if (fingerprints.isUnchanged(item) && !hasReaders(source.config)) return false;
  fingerprints.add(item);
  return true;
}
