import * as z from 'zod';
import { action, entity, get, many, type Steps } from '../../src/authoring.js';
import { fetchCallMetadataIfAllowed, requireCallMetadata, withoutHidden } from './call-metadata.js';
import {
  cursor,
  emptyIfNotFound,
  id,
  LookedUpPage,
  leftOutNotes,
  listIn,
  nothingLeftOut,
  unpaginatedList,
} from './operations.js';
import { FolderCall, LibraryFolder } from './records.js';

export const library_folders = entity({
  description: 'Public library folders that are not archived.',
  actions: {
    list: unpaginatedList({
      description: 'List all folders in a workspace.',
      params: z.strictObject({ workspaceId: id('From `workspaces.list`.') }),
      record: LibraryFolder,
      key: 'folders',
      request: (params) => get('/v2/library/folders', params),
      example: { workspaceId: '623457276584334' },
    }),
  },
});

const idOf = (call: any): string => String(call?.id ?? call?.callId);

/** The calls in a folder, with the time, duration, owner and privacy flag taken from the calls themselves. */
function* content(folderId: string, includePrivate: boolean | undefined): Steps {
  const body = yield* emptyIfNotFound(get('/v2/library/folder-content', { folderId }), 'calls');
  const calls = listIn(body, 'calls');
  if (!Array.isArray(calls) || calls.length === 0) return { calls, ...nothingLeftOut };
  const callIds = calls.map(idOf);
  const known = includePrivate ? yield* fetchCallMetadataIfAllowed(callIds) : yield* requireCallMetadata(callIds);
  const { kept, ...leftOut } = includePrivate ? { kept: calls, ...nothingLeftOut } : withoutHidden(calls, known, idOf);
  const detailed = kept.map((call) => {
    const { started = null, duration = null, primaryUserId = null } = known.get(idOf(call)) ?? {};
    return { ...call, started, duration, primaryUserId };
  });
  return { calls: detailed, ...leftOut };
}

export const library_folder_content = entity({
  description: 'Calls in a library folder.',
  actions: {
    list: action({
      description: 'List all calls in a folder. A second request adds details and filters out private calls.',
      params: z.strictObject({
        folderId: id('From `library_folders.list`.'),
        cursor: cursor.describe('No effect: the whole folder is returned.'),
      }),
      returns: many(FolderCall, LookedUpPage),
      request: ({ folderId }, { settings }) => content(folderId, settings.includePrivate),
      read: ({ calls, private_dropped, not_ready }) => ({
        data: calls,
        meta: {
          cursor: null,
          total_records: Array.isArray(calls) ? calls.length + private_dropped + not_ready : 0,
          current_page_number: 0,
          private_dropped,
          not_ready,
        },
        notes: leftOutNotes(private_dropped, not_ready),
      }),
      example: { folderId: '3843152912968920037' },
    }),
  },
});
