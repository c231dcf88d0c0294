import { ConnectorError, type DownloadMeta } from 'agent-connectors';
import type { ChunkResponse, ResponseOf } from 'agent-connectors/wire';
import { type ActionCall, counted, execute } from './call.js';

/** A file being streamed. */
interface Download {
  readonly data: ReadableStream<Uint8Array>;
  readonly meta: DownloadMeta;
}

/** Runs a download and streams the file. */
export const downloadFile = (call: ActionCall, signal: AbortSignal): Promise<Response> =>
  counted(call, async () => downloadResponse(await startDownload(call, signal)));

/** Runs a download and returns the requested range of the file, or its start, as JSON. */
export const downloadChunk = (call: ActionCall, signal: AbortSignal, format?: 'text' | 'base64'): Promise<Chunk> =>
  counted(call, async () => {
    const { params } = call.input;
    const requestedRange = params?.range_header;
    const range = chunkRange(requestedRange);
    const ranged = { ...call, input: { ...call.input, params: { ...params, range_header: range.header } } };
    try {
      return await readChunk(await startDownload(ranged, signal), range, format);
    } catch (error) {
      // An empty file has no first byte to request.
      if (requestedRange !== undefined || !ConnectorError.is(error) || error.status !== 416) throw error;
      return readChunk(await startDownload(call, signal), range, format);
    }
  });

const startDownload = async (call: ActionCall, signal: AbortSignal): Promise<Download> =>
  (await execute(call, signal)) as unknown as Download;

/** Streams a download; the connection is aborted if the download is shorter or longer than expected. */
async function downloadResponse({ data, meta }: Download): Promise<Response> {
  const { content_length: expected, content_range, content_type } = meta;
  const reader = data.getReader();
  const first = await reader.read();
  // Nothing has been sent yet, so an unexpectedly empty download can still be reported as an error.
  if (first.done && expected) throw truncatedError(0);
  const headers: Record<string, string> = {
    'content-type': content_type && /^[\x20-\x7e]+$/.test(content_type) ? content_type : 'application/octet-stream',
    'content-disposition': disposition(meta.file_name),
    'content-security-policy': 'sandbox',
  };
  if (expected !== null) headers['content-length'] = String(expected);
  if (content_range !== null) headers['content-range'] = content_range;
  return new Response(checkedStream(first, reader, expected), { status: content_range === null ? 200 : 206, headers });
}

type Piece = ReadableStreamReadResult<Uint8Array>;

function checkedStream(
  first: Piece,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  expected: number | null,
): ReadableStream<Uint8Array> {
  let bytesRead = 0;
  let next: Piece | undefined = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = next ?? (await reader.read());
        next = undefined;
        bytesRead += piece.value?.byteLength ?? 0;
        if (expected !== null && (piece.done ? bytesRead < expected : bytesRead > expected)) {
          reader.cancel().catch(() => {});
          throw truncatedError(bytesRead);
        }
        if (piece.done) controller.close();
        else controller.enqueue(piece.value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const truncatedError = (bytesRead: number) =>
  new ConnectorError('network', `The download was interrupted after ${bytesRead} bytes.`, {
    hint: `Request the rest with range_header: 'bytes=${bytesRead}-'.`,
  });

/** A header that makes browsers save the file, with a safe name (RFC 6266). */
function disposition(fileName: string | null): string {
  const name = fileName?.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}/\\]/gu, '_').slice(0, 255);
  if (!name || /^\.+$/.test(name)) return 'attachment';
  const plain = name.replaceAll(/[^\x20-\x7e]|["%]/g, '_');
  const extended = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended}`;
}

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
export type Chunk = ResponseOf<typeof ChunkResponse>;

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
