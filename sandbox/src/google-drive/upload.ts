import type { VendorReply } from '../vendor.js';
import { requireFile } from './access.js';
import { type DriveContext, personForKey } from './context.js';
import { apiErrors } from './errors.js';
import { changeFile, fileReply, makeFile } from './files-write.js';
import { parentFor } from './folders.js';
import { type Metadata, readMetadata } from './metadata.js';
import { readMultipart } from './multipart.js';
import { maskOf } from './reply.js';
import { shapes } from './shapes.js';
import { checkQuota, type Media } from './storage.js';

/** files.create or files.update with content, in one request or as the start of a resumable upload. */
export function uploadFile(context: DriveContext, id: string | undefined): VendorReply {
  const { request, search } = context;
  maskOf(context, shapes.file);
  const contentType = request.headers.get('content-type') ?? 'application/octet-stream';
  switch (search.get('uploadType') ?? search.get('upload_protocol')) {
    case 'media': {
      const media = { mimeType: contentType, bytes: new Uint8Array(request.bytes) };
      return saveUpload(context, id, {}, media);
    }
    case 'multipart': {
      const { metadata, media } = readMultipart(contentType, request.bytes);
      return saveUpload(context, id, metadata, media);
    }
    case 'resumable':
      return startUpload(context, id);
    default:
      throw apiErrors.badRequest('Upload type is not supported.');
  }
}

function saveUpload(context: DriveContext, id: string | undefined, metadata: Metadata, media: Media): VendorReply {
  const file = id === undefined ? makeFile(context, metadata, media) : changeFile(context, id, metadata, media);
  return fileReply(context, file);
}

function startUpload(context: DriveContext, fileId: string | undefined): VendorReply {
  const { request, world, search, now, grant, person } = context;
  const metadata = readMetadata(request.body);
  if (fileId === undefined) parentFor(context, metadata);
  else requireFile(context, fileId, { role: 'writer' });
  const announcedLength = request.headers.get('x-upload-content-length');
  if (announcedLength !== null && !/^\d+$/.test(announcedLength)) throw apiErrors.badRequest('Invalid upload length.');
  if (announcedLength !== null) checkQuota(context, Number(announcedLength));
  const id = world.newId(60, 'AHmUCY');
  world.uploads.set(id, {
    id,
    grant,
    account: personForKey(person).email,
    metadata: { ...metadata },
    startedAt: now,
    search: search.toString(),
    mimeType: request.headers.get('x-upload-content-type') ?? 'application/octet-stream',
    ...(fileId !== undefined && { fileId }),
    ...(announcedLength !== null && { length: Number(announcedLength) }),
  });
  world.received.set(id, []);
  const query = new URLSearchParams(search);
  query.set('upload_id', id);
  const location = `${request.base}${request.path}?${query}`;
  return { status: 200, headers: { location, 'x-guploader-uploadid': id, 'content-length': '0' }, body: '' };
}
