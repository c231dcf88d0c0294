import * as z from 'zod';
import { action, byteRange, bytes, done, download, entity, one, path, type Steps } from '../../src/authoring.js';
import { contentOf } from './content.js';
import { masks } from './masks.js';
import {
  api,
  compact,
  extraSupportsAllDrives,
  fields,
  fileId,
  fileIdParam,
  flag,
  folderIds,
  getAction,
  keyHeader,
  listAction,
  pageParams,
  resourceKey,
  supportsAllDrives,
} from './operations.js';
import { byAbsence, byId, byValues, reservedId } from './outcome-checks.js';
import { File, FilePage } from './records.js';
import * as searchable from './searchable.js';

/** A page of files, and the parameters that it was requested with. */
interface ListedFiles {
  readonly params: {
    readonly q?: string | undefined;
    readonly pageToken?: string | undefined;
    readonly includeItemsFromAllDrives?: boolean | undefined;
    readonly driveId?: string | undefined;
    readonly corpora?: string | undefined;
  };
  readonly body: { readonly nextPageToken?: string; readonly incompleteSearch?: boolean };
  readonly data: ReadonlyArray<Partial<File>>;
}

/** Notes on a page of files: whether it includes trashed files, and whether shared drives were searched. */
function fileNotes({ params, body, data }: ListedFiles): Array<string | false> {
  const { q = '', corpora, driveId, pageToken } = params;
  const drivesIncluded = params.includeItemsFromAllDrives ?? (driveId !== undefined || (corpora ?? 'user') !== 'user');
  const isListEmpty = data.length === 0 && pageToken === undefined && !body.nextPageToken;
  return [
    // Without `trashed` in the mask, trashed files cannot be identified.
    !/\btrashed\b/.test(q) &&
      data.some(({ trashed }) => trashed !== false) &&
      'Trashed files are included. Add trashed=false to q to exclude them.',
    !drivesIncluded &&
      isListEmpty &&
      "Shared drives were not searched. Pass corpora 'allDrives', or driveId for a single drive.",
    body.incompleteSearch === true &&
      "Not all shared drives were searched. For complete results, pass corpora 'user', or driveId for one drive at a time.",
  ];
}

const name = z.string().min(1);
const description = z.string().optional().describe('Short description; searchable.');
const example = { fileId: '1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g' };

const folder = 'application/vnd.google-apps.folder';

/** Files and folders, and their content. */
export const files = entity({
  description: 'Files and folders in My Drive and shared drives.',
  search: searchable.files,
  actions: {
    list: listAction({
      description:
        'List files and folders. Includes trashed files unless q contains trashed=false. Shared drives require corpora, driveId or includeItemsFromAllDrives.',
      params: z.strictObject({
        ...pageParams(1000),
        q: z
          .string()
          .min(1)
          .optional()
          .describe(
            "A query in Google's syntax, such as `name contains 'plan' and trashed=false`; escape ' and \\ with \\.",
          ),
        orderBy: z
          .string()
          .min(1)
          .optional()
          .describe('Comma-separated keys, each with an optional ` desc`, such as `modifiedTime desc`.'),
        fields,
        spaces: z.string().min(1).optional().describe('Comma-separated: drive, appDataFolder.'),
        corpora: z.enum(['user', 'drive', 'allDrives']).optional().describe('What to search; drive requires driveId.'),
        driveId: fileIdParam('The id of a shared drive.').optional(),
        includeItemsFromAllDrives: flag(
          'Whether to include shared drive items; defaults to true if corpora or driveId selects them.',
        ),
        supportsAllDrives,
      }),
      key: 'files',
      record: File,
      meta: FilePage,
      mask: masks.file,
      notes: fileNotes,
      target: ({ ...query }) => {
        // Google rejects driveId without corpora, and rejects the corpora drive and allDrives without
        // includeItemsFromAllDrives.
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
        name: name.describe('Need not be unique.'),
        mimeType: z.string().min(1).optional().describe(`Such as ${folder}.`),
        parents: z
          .array(fileIdParam('A folder.'))
          .max(1)
          .optional()
          .describe('A single parent folder (default: My Drive).'),
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
          requires: ['id'],
          settle: byId(id),
        };
      },
      example: { name: 'Plans', mimeType: folder },
    }),
    update: action({
      description: 'Rename, describe or move a file or folder. Omitted fields are unchanged.',
      params: z.strictObject({
        fileId,
        name: name.optional().describe('The new name.'),
        description,
        mimeType: z.string().min(1).optional().describe('The new type; native documents keep their type.'),
        addParents: folderIds.optional().describe('Comma-separated ids of parent folders to add.'),
        removeParents: folderIds.optional().describe('Comma-separated ids of parent folders to remove.'),
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
        requires: ['id'],
        settle: byValues(fileId, { addParents, removeParents, json, resourceKey }),
      }),
      example: { ...example, name: 'Plan 2027' },
    }),
    delete: action({
      description: 'Permanently delete a file, or a folder with everything in it, bypassing the trash.',
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
      description: 'Download a file that is not a native Google document. For a shortcut, its target is downloaded.',
      params: z.strictObject({
        fileId,
        alt: z.literal('media').default('media').describe('Always media; set automatically.'),
        acknowledgeAbuse: flag('Download a file even if it is flagged as malware; owner only.'),
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

/**
 * Format of an export, by the types of native documents (developers.google.com/workspace/drive/api/guides/ref-export-formats);
 * `about.get` lists the current ones.
 */
export type ExportFormat =
  | 'application/pdf'
  | 'text/plain'
  | 'text/markdown'
  | 'text/csv'
  | 'text/tab-separated-values'
  | 'text/html'
  | 'application/zip'
  | 'application/rtf'
  | 'application/epub+zip'
  | 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  | 'application/vnd.openxmlformats-officedocument.presentationml.presentation'
  | 'application/vnd.oasis.opendocument.text'
  | 'application/vnd.oasis.opendocument.spreadsheet'
  | 'application/vnd.oasis.opendocument.presentation'
  | 'application/vnd.google-apps.script+json'
  | 'image/jpeg'
  | 'image/png'
  | 'image/svg+xml'
  | 'video/mp4'
  | (string & {});

/** Exports of native documents. */
export const files_export = entity({
  description: 'Native Google documents in another format.',
  actions: {
    download: action({
      description: 'Export a native Google document, or the target of a shortcut to one; up to 10 MB.',
      params: z.strictObject({
        fileId,
        mimeType: z
          .string()
          .min(1)
          .describe(
            'The format: application/pdf for any native document; text/plain for Docs; text/csv for Sheets (first sheet only); application/vnd.openxmlformats-officedocument.wordprocessingml.document, .spreadsheetml.sheet, .presentationml.presentation; about.get lists the others.',
          ) as z.ZodType<ExportFormat, ExportFormat>,
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
