import type { ByteSource } from '../byte-array.js';
import type { FaultRule } from '../faults.js';
import { Random } from '../random.js';
import type { VendorReply, VendorRequest } from '../vendor.js';
import { audioOf, videoOf } from './recording.js';
import type { CallRow } from './rows.js';

/** Origin of recordings, separate from Gong's API. */
export const mediaOrigin = 'https://media.gong-sandbox.example';

const urlTtlSeconds = 28_799;
const folder = '/media/fernhill';

/** The signed part: the path and all query parameters before the signature. */
interface SignedFields {
  path: string;
  date: string;
  token: string;
}

/** Creates a recording URL, valid for eight hours; a nonce makes each one unique. */
export function signedAddress(
  call: CallRow,
  kind: 'audio' | 'video',
  now: number,
  nonce: string,
  base: string,
): string {
  const path = `${folder}/${call.id}/${kind === 'audio' ? 'media.mp3' : 'media.mp4'}`;
  const date = `${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `GONGSANDBOXMEDIA/${date.slice(0, 8)}/eu-west-1/s3/aws4_request`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(urlTtlSeconds),
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Security-Token': nonce,
    'X-Amz-Signature': signatureOf({ path, date, token: nonce }),
  });
  return `${base}${path}?${query}`;
}

/** Base URL for recordings: a separate origin for Gong's hosts, otherwise the requested host. */
export const mediaBaseFor = (base: string): string =>
  new URL(base).hostname.endsWith('gong.io') ? mediaOrigin : base.replace(/\/$/, '');

/** Handles requests for recordings. */
export function answerMedia(
  request: VendorRequest,
  calls: readonly CallRow[],
  now: number,
  fault: FaultRule | undefined,
): VendorReply {
  const { search, headers, method, path } = request;
  if (fault?.kind === '500' || fault?.kind === 'internal_error') {
    return errorReply(500, 'InternalError', 'We encountered an internal error. Please try again.');
  }
  if (fault?.kind === 'rate_limited' || fault?.kind === 'lock_timeout') {
    return errorReply(503, 'SlowDown', 'Please reduce your request rate.');
  }
  if (headers.has('authorization')) {
    const mechanisms =
      'only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header';
    return errorReply(400, 'InvalidArgument', `Only one auth mechanism allowed; ${mechanisms} should be specified`);
  }
  const signature = search.get('X-Amz-Signature');
  const date = search.get('X-Amz-Date') ?? '';
  const signedFields: SignedFields = { path, date, token: search.get('X-Amz-Security-Token') ?? '' };
  const isAltered = search.get('X-Amz-Expires') !== String(urlTtlSeconds) || signature !== signatureOf(signedFields);
  if (signature === null || fault?.kind === 'refused')
    return errorReply(fault?.status ?? 403, 'AccessDenied', 'Access Denied');
  if (isAltered || method !== 'GET') {
    const reason = 'The request signature we calculated does not match the signature you provided.';
    return errorReply(403, 'SignatureDoesNotMatch', reason);
  }
  const signed = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (now > signed + urlTtlSeconds * 1000 || fault?.kind === 'expired_token') {
    return errorReply(403, 'AccessDenied', 'Request has expired');
  }
  const [, , , id, file] = path.split('/');
  const call = calls.find((one) => one.id === id);
  if (!call) return errorReply(404, 'NoSuchKey', 'The specified key does not exist.');
  const isAudio = file === 'media.mp3';
  const range = fault?.kind === 'ignore_range' ? null : headers.get('range');
  return contentReply(isAudio ? audioOf(call) : videoOf(call), isAudio ? 'audio/mpeg' : 'video/mp4', range, call.id);
}

function contentReply(content: ByteSource, mimeType: string, range: string | null, id: string): VendorReply {
  const { length } = content;
  const headers = { 'content-type': mimeType, 'accept-ranges': 'bytes', etag: `"${id}-${length}"` };
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  const isRange = first !== '' || last !== '';
  if (!isRange || (first !== '' && last !== '' && Number(last) < Number(first))) {
    return { status: 200, headers: { ...headers, 'content-length': String(length) }, body: content };
  }
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === '' || last === '' ? length : Math.min(Number(last) + 1, length);
  if (from >= to) {
    return errorReply(416, 'InvalidRange', 'The requested range is not satisfiable', {
      'content-range': `bytes */${length}`,
    });
  }
  return {
    status: 206,
    headers: {
      ...headers,
      'content-length': String(to - from),
      'content-range': `bytes ${from}-${to - 1}/${length}`,
    },
    body: { length: to - from, read: (start, end) => content.read(from + start, from + end) },
  };
}

/** A 64-digit signature that changes with every signed character. */
function signatureOf({ path, date, token }: SignedFields): string {
  let hash = 0x811c9dc5;
  for (const character of `${path}\n${date}\n${token}`) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  const random = new Random(hash);
  return `${random.uuid()}${random.uuid()}`.replaceAll('-', '');
}

function errorReply(status: number, code: string, message: string, headers: Record<string, string> = {}): VendorReply {
  return {
    status,
    headers: { 'content-type': 'application/xml', ...headers },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  };
}
