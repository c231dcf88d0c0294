import type { VendorReply } from '../vendor.js';
import { requireFile } from './access.js';
import { type DriveContext, userOf } from './context.js';
import { apiErrors, DriveApiError } from './errors.js';
import { exportLinksOf } from './file-view.js';
import { checkDownload } from './files-read.js';
import { downloadReply } from './media.js';
import { isNative } from './mime.js';
import { pageOf } from './pages.js';
import { booleanParameter, pageSize } from './parameters.js';
import { maskOf, resourceReply } from './reply.js';
import type { FileRow, RevisionRow } from './rows.js';
import { shapes } from './shapes.js';

/** revisions.list */
export function listRevisions(context: DriveContext, fileId: string): VendorReply {
  const size = pageSize(context.search, 1000, 200);
  const file = requireRevisableFile(context, fileId);
  const rows = file.revisions;
  const page = pageOf(context, { name: `revisions ${file.id}`, rows, idOf: ({ id }) => id, size, boundParameters: [] });
  maskOf(context, shapes.revisionList);
  return resourceReply(context, shapes.revisionList, {
    kind: 'drive#revisionList',
    nextPageToken: page.nextPageToken,
    revisions: page.rows.map((row) => revisionView(context, file, row)),
  });
}

/** revisions.get: the metadata, or the content with `alt=media`. */
export function getRevision(context: DriveContext, fileId: string, id: string): VendorReply {
  const file = requireRevisableFile(context, fileId);
  const row = id === 'head' ? file.revisions.at(-1) : file.revisions.find((one) => one.id === id);
  if (!row) throw apiErrors.notFound('Revision', id, 'revisionId');
  if (context.search.get('alt') !== 'media') {
    return resourceReply(context, shapes.revision, revisionView(context, file, row));
  }
  const content = context.world.blobs.get(row.blob ?? '');
  if (!content) {
    const message = 'Only files with binary content can be downloaded. Use Export with Docs Editors files.';
    throw new DriveApiError(403, 'fileNotDownloadable', message, { location: 'alt' });
  }
  checkDownload(context, file, booleanParameter(context.search, 'acknowledgeAbuse'));
  return downloadReply(context, content, row.mimeType);
}

/** Only writers can see revisions; these methods find shared drive items without requiring `supportsAllDrives`. */
function requireRevisableFile(context: DriveContext, id: string): FileRow {
  const file = requireFile(context, id, { role: 'writer', allDrives: true });
  if (file.revisions.length > 0) return file;
  throw new DriveApiError(403, 'revisionsNotSupported', 'The file does not support revisions.', {});
}

/** A revision in a response; the checksum is computed only if requested. */
function revisionView(context: DriveContext, file: FileRow, row: RevisionRow) {
  const blob = context.world.blobs.get(row.blob ?? '');
  const forNative = <T>(content: T) => (isNative(row.mimeType) ? content : undefined);
  return {
    kind: 'drive#revision',
    id: row.id,
    mimeType: row.mimeType,
    modifiedTime: row.modifiedTime,
    lastModifyingUser: () => userOf(context, row.by),
    keepForever: isNative(row.mimeType) ? undefined : row.keepForever === true,
    originalFilename: row.originalFilename,
    size: blob?.length.toString(),
    md5Checksum: () => blob?.checksums().md5,
    published: forNative(row.published === true),
    publishAuto: forNative(false),
    publishedOutsideDomain: forNative(false),
    exportLinks: forNative(exportLinksOf(file, row.id)),
  };
}
