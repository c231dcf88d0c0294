import type { VendorRequest } from '../vendor.js';

/** The loggable part of a request body: JSON unchanged, other content only as its size. */
export function loggableBody(request: VendorRequest): unknown {
  const { bytes, headers } = request;
  if (bytes.length === 0) return null;
  const contentType = headers.get('content-type') ?? '';
  const size = { contentType, bytes: bytes.length };
  if (/^multipart\/related/i.test(contentType)) {
    const start = new TextDecoder().decode(bytes.subarray(0, 65_536));
    const metadata = /\r\n\r\n(.*?)\r\n--/s.exec(start)?.[1];
    return { metadata: metadata === undefined ? null : parseJson(metadata), ...size };
  }
  return /^application\/json/i.test(contentType) && bytes.length < 1_000_000 ? parseJson(request.body) : size;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return '<unreadable>';
  }
}
