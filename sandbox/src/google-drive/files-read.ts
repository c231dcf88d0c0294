import type { VendorReply } from '../vendor.js';
import { isAtLeast, requireFile, roleOn } from './access.js';
import { MemoryBlob } from './bytes.js';
import type { DriveContext } from './context.js';
import { documentLength } from './document.js';
import { apiErrors, DriveApiError } from './errors.js';
import { fileView } from './file-view.js';
import { exportDocument } from './formats/export.js';
import { downloadReply } from './media.js';
import { exportFormats, isNative, types } from './mime.js';
import { booleanParameter } from './parameters.js';
import { resourceReply } from './reply.js';
import type { FileRow } from './rows.js';
import { shapes } from './shapes.js';

/** files.get: the metadata, or the content with `alt=media`. */
export function getFile(context: DriveContext, id: string): VendorReply {
  const acknowledgesAbuse = booleanParameter(context.search, 'acknowledgeAbuse');
  if (context.search.get('alt') !== 'media') {
    if (acknowledgesAbuse) throw acknowledgmentError();
    return resourceReply(context, shapes.file, fileView(context, requireFile(context, id)));
  }
  const file = requireFile(context, id);
  const content = context.world.contentOf(file);
  if (isNative(file.mimeType) || !content) {
    const message = 'Only files with binary content can be downloaded. Use Export with Docs Editors files.';
    throw new DriveApiError(403, 'fileNotDownloadable', message, { location: 'alt' });
  }
  checkDownload(context, file, acknowledgesAbuse);
  return downloadReply(context, content, file.mimeType);
}

/** Rejects files that must not be downloaded. */
export function checkDownload(context: DriveContext, file: FileRow, acknowledgesAbuse: boolean): void {
  const role = roleOn(context.world, context.person, file);
  if (file.copyRequiresWriterPermission && !isAtLeast(role, 'writer')) {
    throw new DriveApiError(403, 'cannotDownloadFile', 'This file cannot be downloaded by the user.');
  }
  const mayAcknowledge = role === 'owner' || isAtLeast(role, 'organizer');
  if (file.isAbusive && !(acknowledgesAbuse && mayAcknowledge)) {
    const message = 'This file has been identified as malware or spam and cannot be downloaded.';
    throw new DriveApiError(403, 'cannotDownloadAbusiveFile', message);
  }
}

function acknowledgmentError(): DriveApiError {
  const message = 'The acknowledgeAbuse parameter is only applicable for download requests.';
  return new DriveApiError(403, 'invalidAbuseAcknowledgment', message, { location: 'acknowledgeAbuse' });
}

const maxExportBytes = 10 * 1024 * 1024;

/** files.export */
export function exportFile(context: DriveContext, id: string): VendorReply {
  const wanted = context.search.get('mimeType');
  if (wanted === null) throw apiErrors.required('mimeType');
  const file = requireFile(context, id, { allDrives: true });
  const formats = exportFormats[file.mimeType];
  if (!formats && (file.mimeType === types.folder || file.mimeType === types.shortcut || !isNative(file.mimeType))) {
    throw new DriveApiError(403, 'fileNotExportable', 'Export only supports Docs Editors files.');
  }
  const format = formats?.find((one) => one === wanted.toLowerCase());
  if (format === undefined) {
    throw new DriveApiError(400, 'badRequest', 'The requested conversion is not supported.', { location: 'convertTo' });
  }
  if (file.copyRequiresWriterPermission && !isAtLeast(roleOn(context.world, context.person, file), 'writer')) {
    throw new DriveApiError(403, 'cannotExportFile', 'This file cannot be exported by the user.');
  }
  const maxBytes = context.limits.exported ?? maxExportBytes;
  const exportedBytes = documentLength(file) > maxBytes ? undefined : exportDocument(file, format);
  if (!exportedBytes || exportedBytes.length > maxBytes) {
    throw new DriveApiError(403, 'exportSizeLimitExceeded', 'This file is too large to be exported.');
  }
  const content = new MemoryBlob(exportedBytes);
  const headers = { 'content-type': wanted, 'content-disposition': 'attachment', vary: 'Origin, X-Origin' };
  return { status: 200, headers, body: content };
}

/** files.generateIds */
export function generateIds(context: DriveContext): VendorReply {
  const count = Number(context.search.get('count') ?? 10);
  if (!(count >= 1 && count <= 1000)) throw apiErrors.range(count, 1000);
  const space = context.search.get('space') ?? 'drive';
  const ids = Array.from({ length: count }, () => context.world.newId());
  for (const id of ids) context.world.reserved.add(id);
  return resourceReply(context, shapes.generatedIds, { kind: 'drive#generatedIds', space, ids });
}
