import type { IncomingMessage } from 'node:http';
import { type Duplex, pipeline, type Readable } from 'node:stream';
import zlib from 'node:zlib';

/** Like `fetch`: a compressed body that ends early counts as complete if the connection ended it properly. */
const lenient = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
const lenientBrotli = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
};

/** Compressed bytes up to this are decompressed at once, which takes less time than a stream. */
const maxAtOnce = 64 * 1024;

/** What is decompressed at once may not get larger than this. */
const maxInflatedAtOnce = 2 ** 21;

/**
 * Reads a body as text. Resolves to undefined, and closes the connection, once it is larger than `maxBytes` after
 * decompression.
 */
export async function bodyText(
  message: IncomingMessage,
  encodings: readonly string[],
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  const bytes = await collect(message, maxBytes);
  if (!bytes) return undefined;
  const plain = encodings.length === 0 ? bytes : await decompressed(bytes, encodings, maxBytes);
  if (!plain) return undefined;
  const hasMark = plain.length > 2 && plain[0] === 0xef && plain[1] === 0xbb && plain[2] === 0xbf;
  return plain.toString('utf8', hasMark ? 3 : 0);
}

/** All bytes of a stream, or undefined, and the stream destroyed, if they are too many. */
function collect(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    stream.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length <= maxBytes) return;
      resolve(undefined);
      stream.destroy();
    });
    stream.on('end', () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts, length)));
    stream.on('error', reject);
    stream.on('close', () => reject(new Error('the connection was closed before the end of the response')));
  });
}

async function decompressed(
  bytes: Buffer,
  encodings: readonly string[],
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (bytes.length === 0) return bytes;
  if (bytes.length <= maxAtOnce && encodings.length === 1) {
    try {
      return atOnce(bytes, encodings[0]!);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    }
  }
  const [first, ...rest] = encodings.map((encoding) => decompressor(encoding, bytes));
  if (!first) return bytes;
  const result = collect(chain([first, ...rest]), maxBytes);
  first.end(bytes);
  return result;
}

function atOnce(bytes: Buffer, encoding: string): Buffer {
  const limit = { maxOutputLength: maxInflatedAtOnce };
  if (encoding === 'gzip' || encoding === 'x-gzip') return zlib.gunzipSync(bytes, { ...lenient, ...limit });
  if (encoding === 'br') return zlib.brotliDecompressSync(bytes, { ...lenientBrotli, ...limit });
  if (encoding === 'deflate') {
    return isZlib(bytes)
      ? zlib.inflateSync(bytes, { ...lenient, ...limit })
      : zlib.inflateRawSync(bytes, { ...lenient, ...limit });
  }
  throw unsupported(encoding);
}

/** `deflate` means zlib's format, but some servers send the bare one. */
const isZlib = (bytes: Uint8Array | undefined): boolean => bytes === undefined || (bytes[0]! & 0x0f) === 0x08;

function decompressor(encoding: string, start?: Uint8Array): Duplex {
  if (encoding === 'gzip' || encoding === 'x-gzip') return zlib.createGunzip(lenient);
  if (encoding === 'br') return zlib.createBrotliDecompress(lenientBrotli);
  if (encoding === 'deflate') return isZlib(start) ? zlib.createInflate(lenient) : zlib.createInflateRaw(lenient);
  throw unsupported(encoding);
}

const unsupported = (encoding: string) => new Error(`the response has an unknown content-encoding (${encoding})`);

/** Connects streams; the last one fails if any of them does. */
function chain(streams: readonly Readable[]): Readable {
  const last = streams.at(-1)!;
  if (streams.length > 1) pipeline(streams as never, (error: unknown) => error && last.destroy(error as Error));
  return last;
}

/** Bytes that are handed over at once, if that many have arrived. */
const maxChunk = 256 * 1024;

/** A body as a stream of bytes that reads no more than is asked for; cancelling it closes the connection. */
export function bodyStream(message: IncomingMessage, encodings: readonly string[]): ReadableStream<Uint8Array> {
  const source = chain([message, ...encodings.map((encoding) => decompressor(encoding))]);
  let failure: Error | undefined;
  let isOver = false;
  let wake: (() => void) | undefined;
  const changed = () => wake?.();
  source.on('readable', changed);
  source.on('end', () => {
    isOver = true;
    changed();
  });
  source.on('error', (error) => {
    failure = error;
    changed();
  });
  source.on('close', () => {
    if (!isOver) failure ??= new Error('the connection was closed before the end of the response');
    changed();
  });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          if (failure) throw failure;
          const bytes = readSome(source);
          if (bytes) return controller.enqueue(bytes);
          if (isOver) return controller.close();
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
      cancel: () => void message.destroy(),
    },
    { highWaterMark: 0 },
  );
}

/** What has arrived, joined into one chunk. */
function readSome(source: Readable): Uint8Array<ArrayBuffer> | undefined {
  const parts: Buffer[] = [];
  let length = 0;
  while (length < maxChunk) {
    const part: Buffer | null = source.read();
    if (!part) break;
    parts.push(part);
    length += part.length;
  }
  if (length === 0) return undefined;
  const { buffer, byteOffset } = parts.length === 1 ? parts[0]! : Buffer.concat(parts, length);
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, length);
}
