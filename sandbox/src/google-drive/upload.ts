import type { ByteArray } from '../byte-array.js';
import type { VendorReply } from '../vendor.js';
import { requireFile } from './access.js';
import { fromBase64 } from './bytes.js';
import { type DriveContext, personForKey } from './context.js';
import { apiErrors } from './errors.js';
import { changeFile, fileReply, makeFile } from './files-write.js';
import { parentFor } from './folders.js';
import { type Metadata, readMetadata } from './metadata.js';
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

interface Part {
  headers: Headers;
  bytes: ByteArray;
}

/** Splits a multipart/related body into JSON metadata and binary content. */
export function readMultipart(contentType: string, body: Uint8Array): { metadata: Metadata; media: Media } {
  const boundary = /^multipart\/related\s*;.*?\bboundary=(?:"([^"]+)"|([^\s;]+))/is.exec(contentType);
  const name = boundary?.[1] ?? boundary?.[2];
  if (name === undefined) throw malformedError();
  const parts = partsOf(body, new TextEncoder().encode(`--${name}`));
  const [first, second] = parts;
  if (!first || !second || parts.length !== 2) throw malformedError();
  if (!/^application\/json\b/i.test(first.headers.get('content-type') ?? '')) throw malformedError();
  const isBase64 = /^base64$/i.test(second.headers.get('content-transfer-encoding') ?? '');
  const mimeType = second.headers.get('content-type') ?? 'application/octet-stream';
  return {
    metadata: readMetadata(new TextDecoder().decode(first.bytes)),
    media: { mimeType, bytes: isBase64 ? decodeBase64(second.bytes) : second.bytes },
  };
}

const carriageReturn = 13;
const lineFeed = 10;
const dash = 45;

function partsOf(body: Uint8Array, delimiter: Uint8Array): Part[] {
  const parts: Part[] = [];
  if (!isAt(body, delimiter, 0)) throw malformedError();
  let at = delimiter.length;
  for (;;) {
    if (body[at] === dash && body[at + 1] === dash) return endsAt(body, at + 2) ? parts : refuse();
    if (body[at] !== carriageReturn || body[at + 1] !== lineFeed) throw malformedError();
    const end = nextDelimiter(body, delimiter, at);
    if (end < 0) throw malformedError();
    parts.push(partOf(body.slice(at + 2, end)));
    at = end + 2 + delimiter.length;
  }
}

/** A part without headers starts with the empty line that would otherwise end the headers. */
function partOf(bytes: ByteArray): Part {
  const headers = new Headers();
  let at = 0;
  for (;;) {
    const end = bytes.indexOf(carriageReturn, at);
    if (end < 0 || bytes[end + 1] !== lineFeed) throw malformedError();
    if (end === at) return { headers, bytes: bytes.slice(end + 2) };
    const [, name, value] = /^([\w-]+):[ \t]*(.*)$/.exec(new TextDecoder().decode(bytes.subarray(at, end))) ?? [];
    if (name === undefined || value === undefined) throw malformedError();
    headers.append(name, value);
    at = end + 2;
  }
}

/** Offset of the line break before the next delimiter. */
function nextDelimiter(body: Uint8Array, delimiter: Uint8Array, from: number): number {
  for (let at = body.indexOf(carriageReturn, from); at >= 0; at = body.indexOf(carriageReturn, at + 1)) {
    if (body[at + 1] === lineFeed && isAt(body, delimiter, at + 2)) {
      const after = body[at + 2 + delimiter.length];
      if (after === carriageReturn || after === dash) return at;
    }
  }
  return -1;
}

function isAt(body: Uint8Array, sought: Uint8Array, at: number): boolean {
  if (at + sought.length > body.length) return false;
  for (let index = 0; index < sought.length; index += 1) if (body[at + index] !== sought[index]) return false;
  return true;
}

/** Only line breaks can follow the last delimiter. */
function endsAt(body: Uint8Array, at: number): boolean {
  return body.subarray(at).every((byte) => byte === carriageReturn || byte === lineFeed);
}

function decodeBase64(bytes: Uint8Array): ByteArray {
  try {
    return fromBase64(new TextDecoder().decode(bytes).replace(/\s+/g, ''));
  } catch {
    throw malformedError();
  }
}

function malformedError() {
  return apiErrors.badRequest('Malformed multipart body.');
}

function refuse(): never {
  throw malformedError();
}
