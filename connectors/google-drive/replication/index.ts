import * as z from 'zod';
import {
  type Batch,
  type Failure,
  markdownSegments,
  plainSegments,
  type Replication,
  type Source,
  type StoredRecord,
} from '../../../src/authoring.js';
import { changes, follow, startToken } from './changes.js';
import { chosenIds, readChosen, readSome, visibleFiles } from './chosen.js';
import { syncedFolder } from './folder.js';
import { folderType, type Item, itemsIn, keyedList, shortcutType, targetOf } from './items.js';
import { outsideOf, withheldFiles } from './outside.js';
import { forEachConcurrently } from './read-files.js';
import { access, hasReaders } from './readers.js';
import { Run } from './run.js';
import { assertComplete, noLongerShared, type Shared, sharedBefore, sharedFiles } from './shared.js';
import { initialState, restoreState } from './state.js';

const concurrency = 4;
/** The change log may omit inherited access changes, so everything is reread once a day. */
const readersMaxAgeMs = 86_400_000;
/** How often to look for files outside the synced folder. */
const outsideMaxAgeMs = 86_400_000;

/**
 * Reads the whole synced folder, then follows its change log. Other users' folders and shared files are reread in full
 * on every run.
 */
async function* read(source: Source) {
  const chosen = chosenIds(source);
  if (chosen) return yield* readChosen(source, chosen);
  const folder = await syncedFolder(source);
  const restoredState = restoreState(source.state, folder.id);
  const canResume = restoredState?.hasTextStates === true && (restoredState.token !== null) === folder.hasChangeLog;
  const state = canResume ? restoredState : initialState(folder.id, await startToken(source, folder));
  const retryIds = [...state.again];
  const shared = await sharedFiles(source, folder);
  source.shared.set('google-drive', shared);
  const run = new Run(source, folder, shared, state);
  // A time in the future was recorded by a clock that has been set back since.
  const ageOf = (time = 0) => Math.abs(source.now() - time);
  const areReadersDue = hasReaders(source.config) && ageOf(state.walkedAt) >= readersMaxAgeMs;
  const isDue = state.token === null || areReadersDue || state.isWalkDue || state.isRemovalDue;
  const isInterrupted = state.isRemovalDue && state.ahead.length > 0;
  if (!canResume || (state.ahead.length === 0 && isDue)) {
    run.startFullWalk();
    if (hasReaders(source.config)) state.walkedAt = source.now();
  }
  yield* run.walk();
  if (isInterrupted) {
    // What the interrupted run has seen is unknown, so this one walks again to find out what is gone.
    run.startFullWalk();
    yield* run.walk();
  }
  yield* follow(run);
  state.unsure.push(...(await noLongerShared(source, shared)));
  yield* run.revisit(retryIds);
  yield* run.syncSharedFiles();
  if (ageOf(state.outside?.checkedAt) >= outsideMaxAgeMs)
    state.outside = await outsideOf(source, folder, (id) => state.fingerprints.has(id));
  yield* run.sweep();
}

/** Lists the ids of all files in the synced folder, of shortcut targets, and of shared files. */
async function* ids(source: Source) {
  const chosen = chosenIds(source);
  if (chosen) {
    yield (await visibleFiles(source, chosen)).map(({ id }) => id);
    return;
  }
  const folder = await syncedFolder(source);
  const ahead: Pick<Item, 'id' | 'resourceKey'>[] = [folder];
  const walked = new Set([folder.id]);
  while (ahead.length > 0) {
    const found: string[] = [];
    await forEachConcurrently(ahead.splice(-concurrency), concurrency, async ({ id, resourceKey }) => {
      let pageToken: string | undefined;
      do {
        source.signal.throwIfAborted();
        const page = await itemsIn(source, folder, id, { pageToken, resourceKey });
        assertComplete(page.isIncomplete);
        for (const item of page.items) {
          const file = item.mimeType === shortcutType ? targetOf(item) : item.id;
          if (item.mimeType !== folderType) found.push(...(file === undefined ? [] : [file]));
          else if (!walked.has(item.id)) {
            walked.add(item.id);
            ahead.push(item);
          }
        }
        pageToken = page.next;
      } while (pageToken !== undefined);
    });
    yield found;
  }
  // The sync run in this job has usually just listed the shared files.
  const shared = (source.shared.get('google-drive') as Shared | undefined) ?? (await sharedFiles(source, folder));
  assertComplete(shared.isIncomplete);
  yield [...shared.files.keys()];
}

/** Reads individual files. Files that others have shared keep their path until the next run. */
async function files(source: Source, ids: readonly string[]) {
  const chosen = chosenIds(source);
  if (chosen) return readSome(source, ids, chosen);
  const folder = await syncedFolder(source);
  const state = restoreState(source.state, folder.id) ?? initialState(folder.id, null);
  state.links = state.links.filter(([, target]) => ids.includes(target));
  state.unsure = [];
  const run = new Run(source, folder, await sharedBefore(source, ids), state);
  const records: StoredRecord[] = [];
  const failures: Failure[] = [];
  for await (const batch of run.revisit(ids)) {
    records.push(...(batch.records ?? []));
    failures.push(...(batch.failed ?? []));
  }
  return { records, failed: failures, retryIds: state.again.filter((id) => ids.includes(id)) };
}

/**
 * Reads files that a sweep has found but the change log has not, such as those in a folder that has become accessible.
 * If a later attempt may succeed, a file is left out, so that the next walk or sweep reads it.
 */
async function missingFiles(source: Source, ids: readonly string[]): Promise<Pick<Batch, 'records' | 'failed'>> {
  const { records, failed, retryIds } = await files(source, ids);
  return { records: records.filter(({ id }) => !retryIds.includes(id as string)), failed };
}

/** Maximum number of chosen files, since each is looked up in every run. */
const maxChosen = 500;

/** Types whose text has Markdown headings. */
const typesWithHeadings = /markdown|html|officedocument|google-apps\.(?:document|spreadsheet)/;

/** Replication of Google Drive files. */
export const replication: Replication = {
  interval: '5m',
  config: z.object({
    folder_url: z.string().trim().min(1).max(2000).optional().describe('URL or id of the folder to replicate.'),
    file_ids: z
      .array(z.string().regex(/^[-\w]{5,200}$/, { error: 'must be ids of files' }))
      .min(1)
      .max(maxChosen)
      .optional()
      .describe('Ids of the files to replicate instead of a folder, such as those chosen with the `drive.file` scope.'),
    shared_with_me: z
      .union([z.boolean(), z.enum(['true', 'false'])], { error: 'must be true or false' })
      .optional()
      .describe('Whether to replicate files shared with the account.'),
    permissions: z
      .union([z.boolean(), z.enum(['true', 'false'])], { error: 'must be true or false' })
      .optional()
      .describe('Whether to replicate file permissions, so searches can be limited to files the user can open.'),
  }),
  calls: { changes, keyed_list: keyedList },
  access,
  entities: {
    files: {
      read,
      withheld: withheldFiles,
      sweep: { everyMs: 86_400_000, ids, read: missingFiles },
      lookup: {
        ids: ({ entity, params, data }) => (/^files(_upload)?$/.test(entity) ? [data.id ?? params.fileId] : []),
        read: files,
      },
      segments: {
        content: ({ content, mime_type }) => {
          if (typeof content !== 'string' || content === '') return [];
          return typesWithHeadings.test(String(mime_type)) ? markdownSegments(content) : plainSegments(content);
        },
      },
    },
  },
};
