import type { ByteArray } from '../byte-array.js';
import { type DriveContext, requestTime } from './context.js';
import { importText } from './document.js';
import { apiErrors } from './errors.js';
import { sizeOf } from './file-view.js';
import { importFormats, isNative } from './mime.js';
import type { FileRow, RevisionRow } from './rows.js';

/** Uploaded content. */
export interface Media {
  bytes: ByteArray;
  mimeType: string;
}

/** Sets a file's content: bytes, or text converted to a native document. */
export function writeContent(context: DriveContext, file: FileRow, media: Media | undefined): void {
  const { world, person, folder } = context;
  const revision: RevisionRow = {
    id: isNative(file.mimeType) ? String(file.revisions.length + 1) : world.newId(51, '0B'),
    modifiedTime: requestTime(context),
    mimeType: file.mimeType,
    by: person,
  };
  if (isNative(file.mimeType)) {
    file.document = { text: media ? importMedia(media, file.mimeType) : '' };
  } else {
    const bytes = media?.bytes ?? new Uint8Array(0);
    checkQuota(context, bytes.length);
    if (file.diskPath !== undefined && folder) {
      folder.write(file.diskPath, bytes);
      world.forgetContents(file);
      delete file.diskTime;
    }
    revision.blob = world.storeBlob(file.diskPath !== undefined && folder ? folder.open(file.diskPath) : bytes);
    revision.originalFilename = file.originalFilename ?? file.name;
    const size = pictureSize(bytes);
    if (size) file.image = size;
  }
  file.revisions.push(revision);
}

function importMedia(media: Media, to: string): string {
  const from = media.mimeType.split(';')[0]!.trim().toLowerCase();
  if (!importFormats[from]?.includes(to)) throw apiErrors.badRequest();
  return importText(new TextDecoder().decode(media.bytes), from, to);
}

/** Storage used by the person's files. */
export function storageUsed(context: DriveContext, isTrashed?: boolean): number {
  let sum = 0;
  for (const file of context.world.files.values()) {
    if (file.owner !== context.person) continue;
    if (isTrashed === undefined || context.world.isTrashed(file) === isTrashed) {
      sum += sizeOf(context, file) ?? 0;
    }
  }
  return sum;
}

/** Rejects content that exceeds the person's storage limit. */
export function checkQuota(context: DriveContext, added: number): void {
  const { storage } = context.limits;
  if (storage !== undefined && storageUsed(context) + added > storage) throw apiErrors.quota();
}

/** Dimensions of a PNG, from its header. */
function pictureSize(bytes: ByteArray): { width: number; height: number } | undefined {
  if (bytes.length < 24 || bytes[0] !== 0x89 || bytes[1] !== 0x50) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}
