import type { ByteSource } from '../byte-array.js';
import type { VendorReply } from '../vendor.js';
import type { DriveContext } from './context.js';
import { DriveApiError } from './errors.js';

/** A download response with the full content or the requested range. */
export function downloadReply(context: DriveContext, content: ByteSource, mimeType: string): VendorReply {
  const { length } = content;
  const headers = {
    'content-type': mimeType,
    'content-disposition': 'attachment',
    'cache-control': 'private, max-age=0, must-revalidate',
    vary: 'Origin, X-Origin',
  };
  const rangeHeader = context.fault?.kind === 'ignore_range' ? null : context.request.headers.get('range');
  const range = rangeOf(rangeHeader, length);
  if (!range) {
    return { status: 200, headers: { ...headers, 'content-length': String(length) }, body: content };
  }
  const { from, to } = range;
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

/** Parses a Range header; invalid or multiple ranges are ignored. */
function rangeOf(header: string | null, length: number): { from: number; to: number } | undefined {
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  const isSuffix = first === '';
  const from = isSuffix ? Math.max(0, length - Number(last)) : Number(first);
  const to = isSuffix || last === '' ? length : Math.min(Number(last) + 1, length);
  if (!isSuffix && last !== '' && Number(last) < Number(first)) return undefined;
  if (from < to) return { from, to };
  throw new DriveApiError(416, 'requestedRangeNotSatisfiable', 'Request range not satisfiable', {
    location: 'Range',
    locationType: 'header',
    headers: { 'content-range': `bytes */${length}` },
  });
}
