import type { VendorReply } from '../vendor.js';
import type { DriveContext } from './context.js';
import { apiErrors, DriveApiError } from './errors.js';
import { changeFile, fileReply, makeFile } from './files-write.js';
import { concatBytes } from './formats/zip.js';
import type { Metadata } from './metadata.js';
import type { UploadRow } from './rows.js';

const week = 7 * 86_400_000;
const chunkGranularity = 256 * 1024;

/** The upload that a request continues, if it still exists. */
export function uploadOf(context: Pick<DriveContext, 'world' | 'search' | 'now'>): UploadRow | undefined {
  const upload = context.world.uploads.get(context.search.get('upload_id') ?? '');
  return upload && upload.startedAt + week > context.now ? upload : undefined;
}

/** A chunk of a resumable upload, or a status query. */
export function continueUpload(context: DriveContext, upload: UploadRow): VendorReply {
  const { world, request, fault } = context;
  if (fault?.kind === 'lost_session') world.uploads.delete(upload.id);
  if (!world.uploads.has(upload.id)) throw sessionNotFound();
  if (upload.finished !== undefined) {
    const file = world.files.get(upload.finished);
    if (!file) throw sessionNotFound();
    return fileReply(context, file);
  }
  const chunks = world.received.get(upload.id) ?? [];
  const receivedBytes = chunks.reduce((sum, { length }) => sum + length, 0);
  const { from, total } = contentRange(request.headers.get('content-range'), request.bytes.length, upload);
  if (from === undefined)
    return total === receivedBytes ? complete(context, upload, chunks) : incomplete(receivedBytes);
  if (from > receivedBytes)
    throw apiErrors.badRequest(`Invalid request. The chunk begins at ${from} instead of ${receivedBytes}.`);
  const end = from + request.bytes.length;
  if (total !== undefined && end > total)
    throw apiErrors.badRequest('Invalid request. The request contains too many bytes.');
  const isLast = end === total;
  const fresh = request.bytes.subarray(receivedBytes - from);
  let acceptedBytes = isLast
    ? fresh.length
    : Math.floor((receivedBytes + fresh.length) / chunkGranularity) * chunkGranularity - receivedBytes;
  if (!isLast && request.bytes.length < chunkGranularity) {
    throw apiErrors.badRequest(
      `Invalid request. The number of bytes uploaded is required to be equal or greater than ${chunkGranularity}, except for the final request (it's recommended to be the exact multiple of ${chunkGranularity}). The received request contained ${request.bytes.length} bytes, which does not meet this requirement.`,
    );
  }
  if (fault?.kind === 'broken_chunk') {
    const wanted = fault.after ?? Math.floor(fresh.length / 2);
    acceptedBytes = Math.max(
      0,
      Math.min(
        acceptedBytes,
        Math.floor((receivedBytes + wanted) / chunkGranularity) * chunkGranularity - receivedBytes,
      ),
    );
  }
  chunks.push(fresh.slice(0, Math.max(0, acceptedBytes)));
  world.received.set(upload.id, chunks);
  const now = receivedBytes + Math.max(0, acceptedBytes);
  return isLast && now === total ? complete(context, upload, chunks) : incomplete(now);
}

function contentRange(header: string | null, length: number, upload: UploadRow): { from?: number; total?: number } {
  const announced = upload.length === undefined ? {} : { total: upload.length };
  if (header === null) return { from: 0, total: upload.length ?? length };
  const match = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(header);
  if (!match) throw apiErrors.badRequest('Failed to parse Content-Range header.');
  const [, first, last, size] = match;
  const total = size === '*' ? announced : { total: Number(size) };
  if (upload.length !== undefined && total.total !== upload.length) {
    throw apiErrors.badRequest('Invalid request. The total size differs from the declared size.');
  }
  if (first === undefined) return total;
  if (Number(last) - Number(first) + 1 !== length) {
    throw apiErrors.badRequest('Invalid request. The number of bytes does not match the Content-Range header.');
  }
  return { from: Number(first), ...total };
}

function complete(context: DriveContext, upload: UploadRow, chunks: readonly Uint8Array[]): VendorReply {
  const media = { mimeType: upload.mimeType, bytes: concatBytes(chunks) };
  const metadata = upload.metadata as Metadata;
  const { fileId } = upload;
  const file = fileId === undefined ? makeFile(context, metadata, media) : changeFile(context, fileId, metadata, media);
  upload.finished = file.id;
  context.world.received.delete(upload.id);
  return fileReply(context, file);
}

function incomplete(receivedBytes: number): VendorReply {
  const range: Record<string, string> = receivedBytes > 0 ? { range: `bytes=0-${receivedBytes - 1}` } : {};
  return { status: 308, headers: { ...range, 'content-length': '0' }, body: '' };
}

/** The error for an upload that has ended or does not exist. */
export function sessionNotFound(): DriveApiError {
  return new DriveApiError(404, 'notFound', 'Not Found');
}
