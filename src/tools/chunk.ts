import { ConnectorError } from '../call/errors.js';
import type { ByteStream, DownloadMeta, Result } from '../call/result.js';
import { visibleJson } from './fence.js';
import { bytesOf } from './tokens.js';

/** A bounded piece of a download, as an agent can read it. */
export interface Chunk {
  /** The bytes as text. */
  readonly content: string;
  /** How: `utf-8` or `base64`. */
  readonly encoding: 'utf-8' | 'base64';
  /** How many bytes these are. */
  readonly bytes_returned: number;
  /** Pass it as `range_header` for what follows; null at the end. */
  readonly next_range_header: string | null;
  /** Whether something follows. */
  readonly has_more: boolean;
  /** MIME type of the whole. */
  readonly content_type: string | null;
}

type Download = Result<ByteStream, DownloadMeta>;

/** Opens the download at a range, or from its beginning. */
export type Open = (range: string | undefined) => Promise<Download>;

/** What there is room for. */
export interface ChunkLimits {
  /** Bytes that the text of a result takes at most. */
  readonly bytes: number;
  /** By how many bytes a result is too long when it is written; nothing or less where it fits. */
  readonly overflow: (result: { readonly data: Chunk; readonly meta: DownloadMeta }) => number;
}

/** Bytes of a text that are not content: marks, meta and hints. */
const overheadBytes = 1_500;

/** The largest chunk that fits as base64, three bytes in four, and the one that comes without being asked for. */
function sizesFor(bytes: number): { readonly maxBytes: number; readonly defaultBytes: number } {
  const maxBytes = Math.min(65_536, Math.floor(((bytes - overheadBytes) * 3) / 4));
  return { maxBytes, defaultBytes: Math.min(16_384, maxBytes) };
}

interface Range {
  /** Undefined for the last `size` bytes. */
  readonly start: number | undefined;
  readonly size: number;
}

const rangeError = (message: string) =>
  new ConnectorError('invalid_params', `range_header ${message}.`, { issues: [{ path: 'range_header', message }] });

function rangeOf(header: unknown, bytes: number): Range {
  const { maxBytes, defaultBytes } = sizesFor(bytes);
  if (header === undefined) return { start: 0, size: defaultBytes };
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(String(header)) ?? [];
  if (from === '' && Number(to) > 0) return { start: undefined, size: Math.min(Number(to), maxBytes) };
  if (from === '') throw rangeError('must be one range of bytes, such as bytes=0-16383');
  const start = Number(from);
  if (to !== '' && Number(to) < start) throw rangeError('ends before it begins');
  return { start, size: to === '' ? defaultBytes : Math.min(Number(to) - start + 1, maxBytes) };
}

const headerOf = ({ start, size }: Range) =>
  start === undefined ? `bytes=-${size}` : `bytes=${start}-${start + size - 1}`;

/** Reads one chunk of a download and lets go of the rest. */
export async function readChunk(
  open: Open,
  header: unknown,
  takesRange: boolean,
  limits: ChunkLimits,
): Promise<{ readonly data: Chunk; readonly meta: DownloadMeta }> {
  const range = rangeOf(header, limits.bytes);
  let download: Download;
  try {
    download = await open(takesRange ? headerOf(range) : undefined);
  } catch (error) {
    if (isPastEnd(error, range)) return emptyChunk;
    throw error;
  }
  const { data: stream, meta } = download;
  const { at, total } = streamPosition(meta, range, takesRange);
  const reader = stream.getReader();
  try {
    const start = range.start ?? (total === null ? undefined : Math.max(0, total - range.size));
    if (start === undefined) throw rangeError('cannot count from the end here: begin at a byte');
    const { bytes, more } = await readBytes(reader, start - at, range.size);
    const has_more = total === null ? more : start + bytes.length < total;
    const write = (count: number) =>
      chunkOf(bytes.subarray(0, count), start, range.size, has_more || count < bytes.length, meta.content_type);
    return { data: fitChunk(write, bytes.length, (data) => limits.overflow({ data, meta })), meta };
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The chunk of as many of these bytes as fit: how long they are when written is not known before. */
function fitChunk(write: (count: number) => Chunk, available: number, overflowOf: (chunk: Chunk) => number): Chunk {
  for (let count = available; ; ) {
    const chunk = write(count);
    const overflow = overflowOf(chunk);
    if (overflow <= 0 || count <= 1) return chunk;
    const length = bytesOf(visibleJson(JSON.stringify(chunk.content)).text);
    count = Math.max(1, Math.min(count - 1, Math.floor(count * Math.max(0, 1 - overflow / length))));
  }
}

/** What a vendor says where there is no such byte: an empty file has none, and a last part that came full is not known to be it. */
const isPastEnd = (error: unknown, { start }: Range): boolean =>
  ConnectorError.is(error) && error.status === 416 && start !== undefined;

/** Where the stream begins, and how long the whole content is, as far as that is said. */
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
    // A part that came full may well be followed by more, and the stream of just that part does not say.
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

function chunkOf(bytes: Uint8Array, start: number, size: number, has_more: boolean, type: string | null): Chunk {
  const text = isUnknown(type) || isTextual(type ?? '') ? decodeText(bytes, has_more) : undefined;
  const isText = text !== undefined && !(isUnknown(type) && /[^\P{Cc}\t\n\f\r]/u.test(text.content));
  const used = isText ? text.used : bytes.length;
  const next = start + used;
  return {
    content: isText ? text.content : base64(bytes),
    encoding: isText ? 'utf-8' : 'base64',
    bytes_returned: used,
    next_range_header: has_more ? headerOf({ start: next, size }) : null,
    has_more,
    content_type: type,
  };
}

/** The bytes as UTF-8, without a last character that is not all there; undefined where they are something else. */
function decodeText(bytes: Uint8Array, cut: boolean): { content: string; used: number } | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (const missing of cut ? [0, 1, 2, 3] : [0]) {
    const used = bytes.length - missing;
    if (used <= 0 && missing > 0) return undefined;
    try {
      return { content: decoder.decode(bytes.subarray(0, used)), used };
    } catch {
      // One byte less may end with a whole character.
    }
  }
  return undefined;
}

function base64(bytes: Uint8Array): string {
  let raw = '';
  for (let at = 0; at < bytes.length; at += 8_192) raw += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(raw);
}

const emptyChunk = {
  data: chunkOf(new Uint8Array(), 0, 0, false, null),
  meta: {
    ...{ content_type: null, content_length: 0, content_range: null, file_name: null },
    notice: 'The content ends before this range.',
  },
};
