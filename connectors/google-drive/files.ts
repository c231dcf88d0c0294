import * as z from 'zod';
import { action, byteRange, bytes, done, download, entity, one, path, type Steps } from '../../src/authoring.js';
import { contentOf } from './content.js';
import { masks } from './masks.js';
import { fileNotes } from './notes.js';
import {
  api,
  compact,
  extraSupportsAllDrives,
  fields,
  fileId,
  flag,
  getAction,
  id,
  keyHeader,
  listAction,
  pageParams,
  resourceKey,
  supportsAllDrives,
} from './operations.js';
import { byAbsence, byId, byValues, reservedId } from './outcome-checks.js';
import { File, FilePage } from './records.js';
import * as searchable from './searchable.js';

const name = z.string().min(1);
const description = z.string().optional().describe('What it is, in a few words; it is searched too.');
const example = { fileId: '1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g' };

const folder = 'application/vnd.google-apps.folder';

/** Files and folders, and their content. */
export const files = entity({
  description: 'Files and folders of My Drive and of shared drives.',
  search: searchable.files,
  actions: {
    list: listAction({
      description:
        'List files and folders: trashed ones too, unless q says trashed=false, and none of shared drives, unless corpora, driveId or includeItemsFromAllDrives asks for them.',
      params: z.strictObject({
        ...pageParams(1000),
        q: z
          .string()
          .min(1)
          .optional()
          .describe(
            "A search in Google's language, such as `name contains 'plan' and trashed=false`; escape ' and \\ in it with \\.",
          ),
        orderBy: z
          .string()
          .min(1)
          .optional()
          .describe('Comma-separated keys, each with an optional ` desc`, such as `modifiedTime desc`.'),
        fields,
        spaces: z.string().min(1).optional().describe('Comma-separated: drive, appDataFolder.'),
        corpora: z.enum(['user', 'drive', 'allDrives']).optional().describe('Where to look; drive goes with driveId.'),
        driveId: id('The id of a shared drive.').optional(),
        includeItemsFromAllDrives: flag(
          'Whether to include items of shared drives; true where corpora or driveId asks for them.',
        ),
        supportsAllDrives,
      }),
      key: 'files',
      record: File,
      meta: FilePage,
      mask: masks.file,
      notes: fileNotes,
      target: ({ ...query }) => {
        // Google refuses either of these without the others.
        if (query.driveId !== undefined) query.corpora ??= 'drive';
        if (query.corpora === 'drive' || query.corpora === 'allDrives') query.includeItemsFromAllDrives ??= true;
        return { path: '/files', query };
      },
      example: { q: "name contains 'plan' and trashed=false", orderBy: 'modifiedTime desc', pageSize: 20 },
    }),
    get: getAction({
      description: 'Get the metadata of one file or folder.',
      params: z.strictObject({ fileId, fields, supportsAllDrives, resourceKey }),
      record: File,
      mask: masks.file,
      target: ({ fileId, ...query }) => ({ path: path`/files/${fileId}`, query }),
      example,
    }),
    create: action({
      description: 'Create a folder, or a native document or file without content.',
      params: z.strictObject({
        name: name.describe('Names need not be unique.'),
        mimeType: z.string().min(1).optional().describe(`Such as ${folder}.`),
        parents: z
          .array(id('A folder.'))
          .max(1)
          .optional()
          .describe('The folder to put it in, at most one; My Drive when left out.'),
        description,
        supportsAllDrives: extraSupportsAllDrives,
      }),
      returns: one(File),
      request: function* ({ supportsAllDrives, ...json }, call): Steps {
        const id = yield* reservedId(call, json.mimeType);
        return yield {
          method: 'POST',
          url: `${api}/files`,
          query: { supportsAllDrives, fields: masks.file, ...compact },
          json: { ...(id !== undefined && { id }), ...json },
          settle: byId(id),
        };
      },
      example: { name: 'Plans', mimeType: folder },
    }),
    update: action({
      description: 'Rename, describe or move a file or folder; what is left out stays as it is.',
      params: z.strictObject({
        fileId,
        name: name.optional().describe('The new name.'),
        description,
        mimeType: z.string().min(1).optional().describe('The new type; a native document keeps its own.'),
        addParents: z.string().min(1).optional().describe('Comma-separated ids of folders to put it in.'),
        removeParents: z.string().min(1).optional().describe('Comma-separated ids of folders to take it out of.'),
        supportsAllDrives,
        resourceKey,
      }),
      returns: one(File),
      request: ({ fileId, addParents, removeParents, supportsAllDrives, resourceKey, ...json }) => ({
        method: 'PATCH',
        url: api + path`/files/${fileId}`,
        query: { addParents, removeParents, supportsAllDrives, fields: masks.file, ...compact },
        headers: keyHeader(fileId, resourceKey),
        json,
        settle: byValues(fileId, { addParents, removeParents, json, resourceKey }),
      }),
      example: { ...example, name: 'Plan 2027' },
    }),
    delete: action({
      description: 'Delete a file for good, without the trash; a folder takes all in it along.',
      params: z.strictObject({ fileId, supportsAllDrives, resourceKey }),
      returns: done,
      request: ({ fileId, resourceKey, ...query }) => ({
        method: 'DELETE',
        url: api + path`/files/${fileId}`,
        query,
        headers: keyHeader(fileId, resourceKey),
        reply: 'none',
        settle: byAbsence(fileId, resourceKey),
      }),
      example,
    }),
    download: action({
      description: 'Download the content of a file that is not a native Google document; of a shortcut, its target.',
      params: z.strictObject({
        fileId,
        alt: z.literal('media').default('media').describe('Always media; sent by itself.'),
        acknowledgeAbuse: flag('Download although Google takes it for malware; for its owner alone.'),
        supportsAllDrives,
        range_header: byteRange,
        resourceKey,
      }),
      returns: bytes,
      request: ({ fileId, range_header, resourceKey, ...query }) =>
        contentOf({ fileId, resourceKey }, (id) => download(api + path`/files/${id}`, query, range_header)),
      example,
    }),
  },
});

/** Native documents in another format. */
export const files_export = entity({
  description: 'Native Google documents in another format.',
  actions: {
    download: action({
      description: 'Export a native Google document, or the target of a shortcut to one; at most 10 MB.',
      params: z.strictObject({
        fileId,
        mimeType: z
          .string()
          .min(1)
          .describe(
            'The format: application/pdf for all; text/plain for documents; text/csv for spreadsheets (the first sheet); application/vnd.openxmlformats-officedocument.wordprocessingml.document, .spreadsheetml.sheet, .presentationml.presentation; about.get lists the others.',
          ),
        range_header: byteRange,
        resourceKey,
      }),
      returns: bytes,
      request: ({ fileId, range_header, resourceKey, ...query }) =>
        contentOf(
          { fileId, resourceKey },
          (id) => download(api + path`/files/${id}/export`, query, range_header),
          query.mimeType,
        ),
      example: { ...example, mimeType: 'text/plain' },
    }),
  },
});
