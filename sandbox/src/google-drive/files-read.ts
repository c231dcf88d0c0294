import type { VendorReply } from '../vendor.js';
import { fileBy, isAtLeast, roleOn } from './access.js';
import { answered } from './answer.js';
import { MemoryBlob } from './bytes.js';
import type { DriveContext } from './context.js';
import { documentLength } from './document.js';
import { FileView } from './file-view.js';
import { exported } from './formats/export.js';
import { downloaded } from './media.js';
import { exportFormats, isNative, types } from './mime.js';
import { flag } from './parameters.js';
import { DriveRefusal, refusals } from './refusals.js';
import type { FileRow } from './rows.js';
import { shapes } from './shapes.js';

/** files.get, of the metadata or with `alt=media` of the content. */
export function getFile(context: DriveContext, id: string): VendorReply {
  const acknowledges = flag(context.search, 'acknowledgeAbuse');
  if (context.search.get('alt') !== 'media') {
    if (acknowledges) throw notAcknowledgeable();
    return answered(context, shapes.file, new FileView(context, fileBy(context, id)));
  }
  const file = fileBy(context, id);
  const content = context.world.contentOf(file);
  if (isNative(file.mimeType) || !content) {
    const message = 'Only files with binary content can be downloaded. Use Export with Docs Editors files.';
    throw new DriveRefusal(403, 'fileNotDownloadable', message, { location: 'alt' });
  }
  checkDownload(context, file, acknowledges);
  return downloaded(context, content, file.mimeType);
}

/** Refuses what must not be downloaded. */
export function checkDownload(context: DriveContext, file: FileRow, acknowledges: boolean): void {
  const role = roleOn(context.world, context.person, file);
  if (file.copyRequiresWriterPermission && !isAtLeast(role, 'writer')) {
    throw new DriveRefusal(403, 'cannotDownloadFile', 'This file cannot be downloaded by the user.');
  }
  const mayAcknowledge = role === 'owner' || isAtLeast(role, 'organizer');
  if (file.isAbusive && !(acknowledges && mayAcknowledge)) {
    const message = 'This file has been identified as malware or spam and cannot be downloaded.';
    throw new DriveRefusal(403, 'cannotDownloadAbusiveFile', message);
  }
}

function notAcknowledgeable(): DriveRefusal {
  const message = 'The acknowledgeAbuse parameter is only applicable for download requests.';
  return new DriveRefusal(403, 'invalidAbuseAcknowledgment', message, { location: 'acknowledgeAbuse' });
}

const mostExported = 10 * 1024 * 1024;

/** files.export */
export function exportFile(context: DriveContext, id: string): VendorReply {
  const wanted = context.search.get('mimeType');
  if (wanted === null) throw refusals.required('mimeType');
  const file = fileBy(context, id, { allDrives: true });
  const formats = exportFormats[file.mimeType];
  if (!formats && (file.mimeType === types.folder || file.mimeType === types.shortcut || !isNative(file.mimeType))) {
    throw new DriveRefusal(403, 'fileNotExportable', 'Export only supports Docs Editors files.');
  }
  const format = formats?.find((one) => one === wanted.toLowerCase());
  if (format === undefined) {
    throw new DriveRefusal(400, 'badRequest', 'The requested conversion is not supported.', { location: 'convertTo' });
  }
  if (file.copyRequiresWriterPermission && !isAtLeast(roleOn(context.world, context.person, file), 'writer')) {
    throw new DriveRefusal(403, 'cannotExportFile', 'This file cannot be exported by the user.');
  }
  const most = context.limits.exported ?? mostExported;
  const made = documentLength(file) > most ? undefined : exported(file, format);
  if (!made || made.length > most) {
    throw new DriveRefusal(403, 'exportSizeLimitExceeded', 'This file is too large to be exported.');
  }
  const content = new MemoryBlob(made);
  const headers = { 'content-type': wanted, 'content-disposition': 'attachment', vary: 'Origin, X-Origin' };
  return { status: 200, headers, body: content };
}

/** files.generateIds */
export function generateIds(context: DriveContext): VendorReply {
  const count = Number(context.search.get('count') ?? 10);
  if (!(count >= 1 && count <= 1000)) throw refusals.range(count, 1000);
  const space = context.search.get('space') ?? 'drive';
  const ids = Array.from({ length: count }, () => context.world.id());
  for (const id of ids) context.world.reserved.add(id);
  return answered(context, shapes.generatedIds, { kind: 'drive#generatedIds', space, ids });
}
