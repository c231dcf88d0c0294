import type { ByteStream, DownloadMeta, Result } from '../action/result.js';
import { ConnectorError } from '../errors/connector-error.js';
import { keep, type OnFile, type StoredFile } from './file.js';

/** A bounded part of downloaded text. */
export interface Chunk {
  /** The bytes as text. */
  readonly content: string;
  /** Encoding of the bytes, such as `utf-8`. */
  readonly encoding: string;
  /** Number of bytes. */
  readonly bytes_returned: number;
  /** Pass it as `range_header` to continue; null at the end. */
  readonly next_range_header: string | null;
  /** Whether there is more. */
  readonly has_more: boolean;
  /** MIME type of the whole file. */
  readonly content_type: string | null;
}

type Download = Result<ByteStream, DownloadMeta>;

/** Opens the download at a range, or at its beginning. */
export type Open = (range: string | undefined) => Promise<Download>;

/** Result of a download: a part of its text, or a file without its bytes. */
export type ReadDownload =
  | { readonly chunk: Chunk; readonly meta: DownloadMeta }
  | { readonly file: StoredFile; readonly meta: DownloadMeta };

/** Options for reading a download. */
export interface ChunkOptions {
  /** Whether the action supports `range_header`. */
  readonly takesRange: boolean;
  /** Token count of a rendered chunk. */
  readonly tokensOf: (chunk: Chunk, meta: DownloadMeta) => number;
  /** Token limit. */
  readonly max: number;
  readonly onFile: OnFile | undefined;
}

const maxBytes = 65_536;
const defaultBytes = 16_384;
/** Maximum length of a character in bytes. */
const minBytes = 4;

interface Range {
  /** If undefined, the range is the last `size` bytes. */
  readonly start: number | undefined;
  readonly size: number;
}

const rangeError = (message: string) =>
  new ConnectorError('invalid_params', `range_header ${message}.`, { issues: [{ path: 'range_header', message }] });

const sizeOf = (bytes: number) => Math.max(minBytes, Math.min(bytes, maxBytes));

function rangeOf(header: unknown): Range {
  if (header === undefined) return { start: 0, size: defaultBytes };
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(String(header)) ?? [];
  if (from === '' && Number(to) > 0) return { start: undefined, size: Math.min(Number(to), maxBytes) };
  if (from === '') throw rangeError('must be a single byte range, such as bytes=0-16383');
  const start = Number(from);
  if (to !== '' && Number(to) < start) throw rangeError('ends before it starts');
  return { start, size: to === '' ? defaultBytes : sizeOf(Number(to) - start + 1) };
}

const headerOf = ({ start, size }: Range) =>
  start === undefined ? `bytes=-${size}` : `bytes=${start}-${start + size - 1}`;

/** Reads one chunk of text and cancels the rest; other content goes to the host or is discarded. */
export async function readDownload(open: Open, header: unknown, options: ChunkOptions): Promise<ReadDownload> {
  const { takesRange, onFile } = options;
  const range = rangeOf(header);
  // The host stores whole files unless a part was requested.
  const isRangeSent = takesRange && (header !== undefined || !onFile);
  let download: Download;
  try {
    download = await open(isRangeSent ? headerOf(range) : undefined);
  } catch (error) {
    if (isPastEnd(error, range)) return emptyChunk;
    throw error;
  }
  const { data, meta } = download;
  const position = streamPosition(meta, range, isRangeSent);
  if (!isUnknown(meta.content_type) && !isTextual(meta.content_type ?? '')) {
    return { file: await keep(data, meta, position.total, onFile), meta };
  }
  const [stream, whole] = onFile ? data.tee() : [data, undefined];
  const reader = stream.getReader();
  let isKept = false;
  try {
    const { at, total } = position;
    const start = range.start ?? (total === null ? undefined : Math.max(0, total - range.size));
    if (start === undefined) throw rangeError('cannot count from the end here: specify the first byte');
    const { bytes, more } = await readBytes(reader, start - at, range.size);
    const has_more = total === null ? more : start + bytes.length < total;
    const write = (count: number) =>
      chunkOf(bytes.subarray(0, count), start, range.size, has_more || count < bytes.length, meta.content_type);
    const chunk = fitChunk(write, bytes.length, meta, options);
    if (chunk) return { chunk, meta };
    isKept = true;
    reader.cancel().catch(() => {});
    return { file: await keep(whole, meta, total, onFile), meta };
  } finally {
    const rest = isKept ? [reader.cancel()] : [reader.cancel(), whole?.cancel()];
    await Promise.all(rest).catch(() => {});
  }
}

/**
 * The largest chunk of these bytes that fits, since their rendered length is not known in advance. Undefined if they are
 * not text.
 */
function fitChunk(
  write: (count: number) => Chunk | undefined,
  available: number,
  meta: DownloadMeta,
  { tokensOf, max }: ChunkOptions,
): Chunk | undefined {
  for (let count = available; ; ) {
    const chunk = write(count);
    const tokens = chunk ? tokensOf(chunk, meta) : 0;
    if (!chunk || tokens <= max || count <= minBytes) return chunk;
    count = Math.max(minBytes, Math.min(count - 1, Math.floor((count * max * 0.98) / tokens)));
  }
}

/** Whether the vendor rejected a range as empty: the file may be empty, or the previous part may have been the last. */
const isPastEnd = (error: unknown, { start }: Range): boolean =>
  ConnectorError.is(error) && error.status === 416 && start !== undefined;

/** Where the stream starts, and the total length, if reported. */
function streamPosition(
  meta: DownloadMeta,
  { start, size }: Range,
  isRangeSent: boolean,
): { at: number; total: number | null } {
  const [, from, whole] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(meta.content_range ?? '') ?? [];
  if (from !== undefined) return { at: Number(from), total: whole === '*' ? null : Number(whole) };
  const isWhole = !isRangeSent || meta.notice !== null;
  if (isWhole) return { at: 0, total: meta.content_length };
  const length = meta.content_length ?? size;
  return { at: start ?? 0, total: length < size ? (start ?? 0) + length : null };
}

async function readBytes(reader: ReadableStreamDefaultReader<Uint8Array>, skip: number, size: number) {
  const bytes = new Uint8Array(size);
  let passed = 0;
  let filled = 0;
  for (;;) {
    const { done, value } = await reader.read();
    // A full part may be followed by more data, which this stream does not contain.
    if (done) return { bytes: bytes.subarray(0, filled), more: skip === 0 && filled === size };
    const wanted = value.subarray(Math.max(0, skip - passed));
    passed += value.length;
    const taken = wanted.subarray(0, size - filled);
    bytes.set(taken, filled);
    filled += taken.length;
    if (wanted.length > taken.length) return { bytes, more: true };
  }
}

const isTextual = (type: string) =>
  /^text\/|[/+](json|xml|yaml)\b|javascript|csv|rtf|graphql|x-sh|x-ndjson|\bsvg\b/.test(type);
const isUnknown = (type: string | null) => type === null || /octet-stream/.test(type);

/** The bytes as a chunk of text; undefined if they are not text. */
function chunkOf(
  bytes: Uint8Array,
  start: number,
  size: number,
  has_more: boolean,
  content_type: string | null,
): Chunk | undefined {
  const text = decodeText(bytes, start > 0, has_more) ?? decodeOldText(bytes, content_type);
  if (!text || (isUnknown(content_type) && /[^\P{Cc}\t\n\f\r]/u.test(text.content))) return undefined;
  return {
    content: text.content,
    encoding: text.encoding,
    bytes_returned: text.used,
    next_range_header: has_more ? headerOf({ start: start + text.used, size }) : null,
    has_more,
    content_type,
  };
}

interface DecodedText {
  readonly content: string;
  readonly encoding: string;
  /** Number of decoded bytes. */
  readonly used: number;
}

/** Decodes text that is not UTF-8, in its declared encoding or the most common one. */
function decodeOldText(bytes: Uint8Array, type: string | null): DecodedText | undefined {
  if (!isTextual(type ?? '')) return undefined;
  const [, named = 'windows-1252'] = /charset="?([\w-]+)/i.exec(type ?? '') ?? [];
  const encoding = /^utf-?8$/i.test(named) ? 'windows-1252' : named;
  try {
    return { content: new TextDecoder(encoding).decode(bytes), encoding: encoding.toLowerCase(), used: bytes.length };
  } catch {
    return undefined;
  }
}

/** Decodes UTF-8, dropping incomplete characters at either end; undefined if it is not UTF-8. */
function decodeText(bytes: Uint8Array, isLater: boolean, cut: boolean): DecodedText | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const isInside = (byte: number) => byte >= 0x80 && byte < 0xc0;
  const first = isLater
    ? Math.min(
        3,
        Math.max(
          0,
          bytes.findIndex((byte) => !isInside(byte)),
        ),
      )
    : 0;
  for (const missing of cut ? [0, 1, 2, 3] : [0]) {
    const used = bytes.length - missing;
    if (used <= 0 && missing > 0) return undefined;
    try {
      return { content: decoder.decode(bytes.subarray(first, used)), encoding: 'utf-8', used };
    } catch {
      // Try one byte fewer, which may end on a complete character.
    }
  }
  return undefined;
}

const emptyChunk = {
  chunk: chunkOf(new Uint8Array(), 0, 0, false, null)!,
  meta: {
    content_type: null,
    content_length: 0,
    content_range: null,
    file_name: null,
    notice: 'The content ends before this range.',
  },
};
