import { httpError } from '../../domain/http-error.js';

/** Nesting beyond this is no request that anyone means. */
const maxDepth = 64;

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
  const bytes = await readBytes(request, maxBytes, reserve);
  if (bytes.length === 0 && whenEmpty) return whenEmpty;
  // Before it is parsed: brackets alone, millions of them, would hold everybody up.
  if (exceedsDepth(bytes, maxDepth)) {
    throw httpError(400, 'invalid_params', `The body is nested more than ${maxDepth} levels deep.`);
  }
  try {
    return JSON.parse(utf8Decoder.decode(bytes));
  } catch {
    throw httpError(400, 'invalid_params', 'The body is not well-formed JSON.');
  }
}

async function readBytes(request: Request, maxBytes: number, reserve: (bytes: number) => void): Promise<Uint8Array> {
  const contentLength = Number(request.headers.get('content-length') ?? Number.NaN);
  if (contentLength > maxBytes) throw tooLargeError(maxBytes);
  // A length that was announced is held by the server, so that the body can be read at once.
  reserve(contentLength >= 0 ? contentLength : 0);
  if (contentLength >= 0) return checkSize(new Uint8Array(await rejectTruncated(request.arrayBuffer())), maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = request.body?.getReader();
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

function checkSize(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.byteLength > maxBytes) throw tooLargeError(maxBytes);
  return bytes;
}

const rejectTruncated = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch(() => {
    throw httpError(400, 'invalid_params', 'The body did not arrive whole.');
  });

const tooLargeError = (maxBytes: number) =>
  httpError(413, 'too_large', `The body is larger than the ${maxBytes} bytes that this service takes.`, {
    // What is left of the body is not read, so the connection is of no further use.
    headers: { connection: 'close' },
  });

const [quote, backslash, openArray, closeArray, openObject, closeObject] = [...'"\\[]{}'].map((c) => c.charCodeAt(0));

/** Whether brackets outside of strings are nested deeper than so many levels. */
function exceedsDepth(bytes: Uint8Array, levels: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === backslash) at++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === openArray || byte === openObject) {
      if (++depth > levels) return true;
    } else if (byte === closeArray || byte === closeObject) depth--;
  }
  return false;
}
