import { setImmediate } from 'node:timers/promises';
import { parseJson } from 'agent-connectors/replication';
import { httpError } from '../../domain/http-error.js';

/** Maximum nesting of a legitimate request. */
const maxDepth = 64;

/** Maximum number of JSON values, because parsing and validating them blocks the event loop. */
const maxValues = 8_000;

const utf8Decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body of limited size and depth; `reserve` is called before bytes are buffered and may reject them. An
 * empty body yields `whenEmpty`, or an error if that is undefined.
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
  requireUncompressed(request);
  const bytes = await readBoundedJson(request, maxBytes, reserve);
  if (bytes.length === 0 && whenEmpty) return whenEmpty;
  try {
    const text = utf8Decoder.decode(bytes);
    return /\d{16}/.test(text) ? parseJson(text) : JSON.parse(text);
  } catch {
    throw httpError(400, 'invalid_params', 'The body is not well-formed JSON.');
  }
}

/** Rejects a compressed body (RFC 9110, section 15.5.16). */
export function requireUncompressed({ headers }: Request): void {
  if (/^(identity)?$/i.test(headers.get('content-encoding') ?? '')) return;
  throw httpError(415, 'invalid_params', 'Content-Encoding is not supported. Send the body uncompressed.', {
    headers: { 'accept-encoding': 'identity' },
  });
}

/** The unparsed bytes of a JSON body with limited size, depth and number of values. */
export async function readBoundedJson(
  request: Request,
  maxBytes: number,
  reserve: (bytes: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBytes(request, maxBytes, reserve);
  if ((await countValues(bytes)) > fewValues) await ownTurn();
  return bytes;
}

/** Parsing this many values takes about a millisecond. */
const fewValues = 500;

let lastTurn: Promise<unknown> = Promise.resolve();

/** Waits for a separate turn of the event loop so that many large bodies do not block other requests. */
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
  // If the length is declared, all memory is reserved in advance so that the body can be read in one go.
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
  httpError(413, 'too_large', `The body exceeds this service’s limit of ${maxBytes} bytes.`, {
    // The rest of the body is not read, so the connection cannot be reused.
    headers: { connection: 'close' },
  });

const [quote, backslash, comma, openArray, closeArray, openObject, closeObject] = [...'"\\,[]{}'].map((c) =>
  c.charCodeAt(0),
);

/** Bytes scanned per turn of the event loop. */
const sliceBytes = 2 ** 20;

/** Counts values using brackets and commas outside strings, and rejects bodies that would take too long to parse. */
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
      throw httpError(413, 'too_large', `The body exceeds this service’s limit of ${maxValues} values.`);
    }
  }
  return values;
}
