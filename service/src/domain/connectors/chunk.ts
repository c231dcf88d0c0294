import { ConnectorError } from 'agent-connectors';
import type { Download } from './execute.js';

/** Maximum bytes per chunk. */
const maxChunkBytes = 65_536;

/** The requested range of a file. */
export interface ChunkRange {
  /** The `Range` header to send to the vendor. */
  readonly header: string;
  /** First byte; undefined for a range from the end. */
  readonly start?: number | undefined;
  readonly length: number;
  /** Bytes before the end, for a range from the end. */
  readonly fromEnd?: number | undefined;
}

/** Part of a download as JSON. */
export interface Chunk {
  readonly content: string;
  readonly encoding: 'utf-8' | 'base64';
  readonly bytes_returned: number;
  readonly range_requested: string;
  readonly next_range_header: string | null;
  readonly has_more: boolean;
  readonly content_type: string | null;
}

const rangeFrom = (start: number, length: number): ChunkRange => ({
  header: `bytes=${start}-${start + length - 1}`,
  start,
  length,
});

/** Parses a range header and limits it to the chunk size. */
export function chunkRange(header: unknown): ChunkRange {
  if (header === undefined) return rangeFrom(0, maxChunkBytes);
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(String(header)) ?? [];
  if (first === '') {
    const fromEnd = Number(last);
    if (fromEnd > 0) return { header: `bytes=-${fromEnd}`, length: Math.min(fromEnd, maxChunkBytes), fromEnd };
  } else {
    const start = Number(first);
    const length = last === '' ? maxChunkBytes : Number(last) - start + 1;
    if (length > 0) return rangeFrom(start, Math.min(length, maxChunkBytes));
  }
  throw new ConnectorError('invalid_params', 'range_header must be a single byte range, such as bytes=0-65535.', {
    issues: [{ path: 'range_header', message: 'must be a single byte range, such as bytes=0-65535' }],
  });
}

/** Reads one chunk of a download and cancels the rest; if the vendor ignored the range, skips to its start. */
export async function readChunk(
  { data, meta }: Download,
  range: ChunkRange,
  format?: 'text' | 'base64',
): Promise<Chunk> {
  const part = parseContentRange(meta.content_range, meta.content_length);
  const start = startOf(range, part);
  const read = await readFrom(data, Math.max(0, start - part.first), range.length);
  if (read.reachedEnd && part.expected !== null && read.bytesRead < part.expected) {
    throw new ConnectorError('network', `The download was interrupted after ${read.bytesRead} bytes.`);
  }
  if (read.bytes.length === 0 && start > 0) {
    throw new ConnectorError('invalid_params', 'range_header is past the end of the file.', {
      status: 416,
      issues: [{ path: 'range_header', message: 'is past the end' }],
    });
  }
  const hasMore = hasMoreBytes(read, part, start, range.length);
  const asText = format === undefined ? isText(meta.content_type) : format === 'text';
  const text = asText ? decodeCompleteText(read.bytes, hasMore) : undefined;
  if (format === 'text' && !text) {
    throw new ConnectorError('invalid_params', 'The bytes are not UTF-8 text: download them as base64.', {
      issues: [{ path: '_airbyte_response_format', message: 'must be base64: the bytes are not UTF-8 text' }],
    });
  }
  const size = text?.size ?? read.bytes.length;
  const hasRemaining = hasMore || size < read.bytes.length;
  return {
    content: text?.content ?? Buffer.from(read.bytes).toString('base64'),
    encoding: text ? 'utf-8' : 'base64',
    bytes_returned: size,
    range_requested: range.header,
    next_range_header: hasRemaining ? rangeFrom(start + size, range.length).header : null,
    has_more: hasRemaining,
    content_type: meta.content_type,
  };
}

interface ContentRange {
  /** Whether the response is the whole file. */
  readonly isWhole: boolean;
  readonly first: number;
  /** Size of the whole file, if known. */
  readonly total: number | null;
  /** Expected bytes, if known. */
  readonly expected: number | null;
}

function parseContentRange(contentRange: string | null, contentLength: number | null): ContentRange {
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(contentRange ?? '') ?? [];
  if (first === undefined) return { isWhole: true, first: 0, total: contentLength, expected: contentLength };
  return {
    isWhole: false,
    first: Number(first),
    total: total === '*' ? null : Number(total),
    expected: Number(last) - Number(first) + 1,
  };
}

function startOf({ start, fromEnd = 0 }: ChunkRange, { first, total }: ContentRange): number {
  if (start !== undefined) return Math.max(start, first);
  if (first > 0) return first;
  if (total !== null) return Math.max(0, total - fromEnd);
  throw new ConnectorError(
    'invalid_params',
    'The vendor does not report the file size: specify the range as offsets from the start.',
    {
      issues: [{ path: 'range_header', message: 'is relative to the end of a file of unknown size' }],
    },
  );
}

interface ReadResult {
  readonly bytes: Uint8Array;
  /** Bytes received, including skipped ones. */
  readonly bytesRead: number;
  /** Whether the stream ended rather than being cancelled. */
  readonly reachedEnd: boolean;
}

async function readFrom(data: ReadableStream<Uint8Array>, skip: number, length: number): Promise<ReadResult> {
  const reader = data.getReader();
  const chunks: Uint8Array[] = [];
  let bytesRead = 0;
  let reachedEnd = false;
  // One byte beyond the chunk shows whether there is more.
  while (bytesRead <= skip + length) {
    const { done, value } = await reader.read();
    if (done) {
      reachedEnd = true;
      break;
    }
    const from = Math.max(0, skip - bytesRead);
    bytesRead += value.byteLength;
    if (from < value.byteLength) chunks.push(value.subarray(from));
  }
  if (!reachedEnd) reader.cancel().catch(() => {});
  return { bytes: Buffer.concat(chunks).subarray(0, length), bytesRead, reachedEnd };
}

function hasMoreBytes(
  { bytes, reachedEnd }: ReadResult,
  { total, isWhole }: ContentRange,
  start: number,
  length: number,
): boolean {
  if (!reachedEnd || isWhole) return !reachedEnd;
  if (total !== null) return start + bytes.length < total;
  // The total length is unknown: after a full chunk there may be another.
  return bytes.length === length;
}

const isText = (contentType: string | null): boolean => {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const readable = /^(text\/.+|application\/(json|xml|yaml|x-ndjson|javascript|.+\+(json|xml)))$/.test(type.trim());
  return readable && (charset === undefined || /^charset="?(utf-?8|us-ascii)"?$/.test(charset));
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes the bytes; if more follow, stops at the last complete character. */
function decodeCompleteText(
  bytes: Uint8Array,
  more: boolean,
): { readonly content: string; readonly size: number } | undefined {
  const size = more ? bytes.length - incompleteBytes(bytes) : bytes.length;
  if (size === 0 && bytes.length > 0) return undefined;
  try {
    return { content: decoder.decode(bytes.subarray(0, size)), size };
  } catch {
    return undefined;
  }
}

/** Bytes of an incomplete character at the end. */
function incompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0x80 && byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
