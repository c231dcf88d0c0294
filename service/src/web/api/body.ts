import { setImmediate } from 'node:timers/promises';
import { parseJson } from 'agent-connectors/replication';
import { httpError } from '../../domain/http-error.js';

/** Nesting beyond this is no request that anyone means. */
const maxDepth = 64;

/** So many values, at any depth: parsing and checking them takes one turn of the event loop, in which all others wait. */
const maxValues = 8_000;

const utf8Decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body of bounded size and depth; `reserve` is told of bytes before they are kept, and may refuse them.
 * An empty body is `whenEmpty`, or an error where that is left out.
 */
export async function readJson(
  request: Request,
  maxBytes: number,
  reserve: (bytes: number) => void = () => {},
  whenEmpty?: object,
): Promise<unknown> {
  const type = request.headers.get('content-type');
  if (type === null || !/^application\/json\s*(;|$)/i.test(type)) {
    throw httpError(415, 'invalid_params', 'The body must be JSON, with Content-Type: application/json.');
  }
  const bytes = await readBoundedJson(request, maxBytes, reserve);
  if (bytes.length === 0 && whenEmpty) return whenEmpty;
  try {
    const text = utf8Decoder.decode(bytes);
    return /\d{16}/.test(text) ? parseJson(text) : JSON.parse(text);
  } catch {
    throw httpError(400, 'invalid_params', 'The body is not well-formed JSON.');
  }
}

/** The bytes of a JSON body whose size, depth and number of values are bounded; they are not parsed yet. */
export async function readBoundedJson(
  request: Request,
  maxBytes: number,
  reserve: (bytes: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBytes(request, maxBytes, reserve);
  if ((await countValues(bytes)) > fewValues) await ownTurn();
  return bytes;
}

/** A body of so many values takes about a millisecond. */
const fewValues = 500;

let lastTurn: Promise<unknown> = Promise.resolve();

/** Waits for a turn of the event loop that no other body of many values has, so that many at once hold nobody up. */
function ownTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

async function readBytes(
  request: Request,
  maxBytes: number,
  reserve: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const contentLength = Number(request.headers.get('content-length') ?? Number.NaN);
  if (contentLength > maxBytes) throw tooLargeError(maxBytes);
  // A length that was announced is held by the server, so that the body can be read at once.
  reserve(contentLength >= 0 ? contentLength : 0);
  if (contentLength >= 0) return checkSize(new Uint8Array(await rejectTruncated(request.arrayBuffer())), maxBytes);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined = request.body?.getReader();
  while (reader) {
    const { done, value } = await rejectTruncated(reader.read());
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw tooLargeError(maxBytes);
    }
    reserve(value.byteLength);
    chunks.push(value);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function checkSize<T extends Uint8Array>(bytes: T, maxBytes: number): T {
  if (bytes.byteLength > maxBytes) throw tooLargeError(maxBytes);
  return bytes;
}

const rejectTruncated = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch(() => {
    throw httpError(400, 'invalid_params', 'Request body was truncated.');
  });

const tooLargeError = (maxBytes: number) =>
  httpError(413, 'too_large', `The body is larger than the ${maxBytes} bytes that this service accepts.`, {
    // What is left of the body is not read, so the connection is of no further use.
    headers: { connection: 'close' },
  });

const [quote, backslash, comma, openArray, closeArray, openObject, closeObject] = [...'"\\,[]{}'].map((c) =>
  c.charCodeAt(0),
);

/** Bytes that are looked at in one turn of the event loop. */
const sliceBytes = 2 ** 20;

/** Counts values by their brackets and commas outside of strings, and refuses what would take long to parse. */
async function countValues(bytes: Uint8Array): Promise<number> {
  let depth = 0;
  let values = 1;
  let inString = false;
  let pause = sliceBytes;
  for (let at = 0; at < bytes.length; at++) {
    if (at >= pause) {
      pause += sliceBytes;
      await setImmediate();
    }
    const byte = bytes[at];
    if (inString) {
      if (byte === backslash) at++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma) values++;
    else if (byte === openArray || byte === openObject) {
      values++;
      if (++depth > maxDepth) {
        throw httpError(400, 'invalid_params', `The body is nested more than ${maxDepth} levels deep.`);
      }
    } else if (byte === closeArray || byte === closeObject) depth--;
    if (values > maxValues) {
      throw httpError(413, 'too_large', `The body has more than the ${maxValues} values that this service accepts.`);
    }
  }
  return values;
}
