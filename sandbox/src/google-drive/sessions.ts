import type { VendorReply } from '../vendor.js';
import type { DriveContext } from './context.js';
import { answeredFile, changeFile, makeFile } from './files-write.js';
import { joined } from './formats/zip.js';
import type { Metadata } from './metadata.js';
import { DriveRefusal, refusals } from './refusals.js';
import type { UploadRow } from './rows.js';

const week = 7 * 86_400_000;
const granule = 256 * 1024;

/** The upload that a request goes on with, while it is still known. */
export function uploadOf(context: Pick<DriveContext, 'world' | 'search' | 'now'>): UploadRow | undefined {
  const upload = context.world.uploads.get(context.search.get('upload_id') ?? '');
  return upload && upload.startedAt + week > context.now ? upload : undefined;
}

/** A chunk of a resumable upload, or the question how much has arrived. */
export function continueUpload(context: DriveContext, upload: UploadRow): VendorReply {
  const { world, request, fault } = context;
  if (fault?.kind === 'lost_session') world.uploads.delete(upload.id);
  if (!world.uploads.has(upload.id)) throw lostSession();
  if (upload.finished !== undefined) {
    const file = world.files.get(upload.finished);
    if (!file) throw lostSession();
    return answeredFile(context, file);
  }
  const chunks = world.received.get(upload.id) ?? [];
  const arrived = chunks.reduce((sum, { length }) => sum + length, 0);
  const { from, total } = contentRange(request.headers.get('content-range'), request.bytes.length, upload);
  if (from === undefined) return total === arrived ? complete(context, upload, chunks) : incomplete(arrived);
  if (from > arrived) throw refusals.badRequest(`Invalid request. The chunk begins at ${from} instead of ${arrived}.`);
  const end = from + request.bytes.length;
  if (total !== undefined && end > total) throw refusals.badRequest('Invalid request. There are too many bytes.');
  const isLast = end === total;
  const fresh = request.bytes.subarray(arrived - from);
  let kept = isLast ? fresh.length : Math.floor((arrived + fresh.length) / granule) * granule - arrived;
  if (!isLast && request.bytes.length < granule) {
    throw refusals.badRequest(
      `Invalid request. The number of bytes uploaded is required to be equal or greater than ${granule}, except for the final request (it's recommended to be the exact multiple of ${granule}). The received request contained ${request.bytes.length} bytes, which does not meet this requirement.`,
    );
  }
  if (fault?.kind === 'broken_chunk') {
    const wanted = fault.after ?? Math.floor(fresh.length / 2);
    kept = Math.max(0, Math.min(kept, Math.floor((arrived + wanted) / granule) * granule - arrived));
  }
  chunks.push(fresh.slice(0, Math.max(0, kept)));
  world.received.set(upload.id, chunks);
  const now = arrived + Math.max(0, kept);
  return isLast && now === total ? complete(context, upload, chunks) : incomplete(now);
}

function contentRange(header: string | null, length: number, upload: UploadRow): { from?: number; total?: number } {
  const known = upload.length === undefined ? {} : { total: upload.length };
  if (header === null) return { from: 0, total: upload.length ?? length };
  const match = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(header);
  if (!match) throw refusals.badRequest('Failed to parse Content-Range header.');
  const [, first, last, size] = match;
  const total = size === '*' ? known : { total: Number(size) };
  if (upload.length !== undefined && total.total !== upload.length) {
    throw refusals.badRequest('Invalid request. The total size differs from the announced one.');
  }
  if (first === undefined) return total;
  if (Number(last) - Number(first) + 1 !== length) {
    throw refusals.badRequest('Invalid request. There were fewer or more bytes than Content-Range says.');
  }
  return { from: Number(first), ...total };
}

function complete(context: DriveContext, upload: UploadRow, chunks: readonly Uint8Array[]): VendorReply {
  const media = { mimeType: upload.mimeType, bytes: joined(chunks) };
  const metadata = upload.metadata as Metadata;
  const { fileId } = upload;
  const file = fileId === undefined ? makeFile(context, metadata, media) : changeFile(context, fileId, metadata, media);
  upload.finished = file.id;
  context.world.received.delete(upload.id);
  return answeredFile(context, file);
}

function incomplete(arrived: number): VendorReply {
  const range: Record<string, string> = arrived > 0 ? { range: `bytes=0-${arrived - 1}` } : {};
  return { status: 308, headers: { ...range, 'content-length': '0' }, body: '' };
}

/** What is answered for an upload that has ended or never began. */
export function lostSession(): DriveRefusal {
  return new DriveRefusal(404, 'notFound', 'Not Found');
}
