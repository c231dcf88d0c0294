import { refusal } from '../../domain/refusal.js';

/** Nesting beyond this is no request that anyone means. */
const deepest = 64;

const strict = new TextDecoder('utf-8', { fatal: true });

/** Reads a JSON body of bounded size and depth; `hold` is told of bytes before they are kept, and may refuse them. */
export async function readJson(
  request: Request,
  mostBytes: number,
  hold: (bytes: number) => void = () => {},
): Promise<unknown> {
  const type = request.headers.get('content-type');
  if (type === null || !/^application\/json\s*(;|$)/i.test(type)) {
    throw refusal(415, 'invalid_params', 'The body must be JSON, with Content-Type: application/json.');
  }
  const bytes = await readBytes(request, mostBytes, hold);
  // Before it is parsed: brackets alone, millions of them, would hold everybody up.
  if (isDeeper(bytes, deepest)) {
    throw refusal(400, 'invalid_params', `The body is nested more than ${deepest} levels deep.`);
  }
  try {
    return JSON.parse(strict.decode(bytes));
  } catch {
    throw refusal(400, 'invalid_params', 'The body is not well-formed JSON.');
  }
}

async function readBytes(request: Request, mostBytes: number, hold: (bytes: number) => void): Promise<Uint8Array> {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > mostBytes) throw tooLarge(mostBytes);
  // A length that was announced is held by the server, so that the body can be read at once.
  hold(announced >= 0 ? announced : 0);
  if (announced >= 0) return checked(new Uint8Array(await arrived(request.arrayBuffer())), mostBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = request.body?.getReader();
  while (reader) {
    const { done, value } = await arrived(reader.read());
    if (done) break;
    size += value.byteLength;
    if (size > mostBytes) {
      reader.cancel().catch(() => {});
      throw tooLarge(mostBytes);
    }
    hold(value.byteLength);
    chunks.push(value);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function checked(bytes: Uint8Array, mostBytes: number): Uint8Array {
  if (bytes.byteLength > mostBytes) throw tooLarge(mostBytes);
  return bytes;
}

const arrived = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch(() => {
    throw refusal(400, 'invalid_params', 'The body did not arrive whole.');
  });

const tooLarge = (mostBytes: number) =>
  refusal(413, 'too_large', `The body is larger than the ${mostBytes} bytes that this service takes.`, {
    // What is left of the body is not read, so the connection is of no further use.
    headers: { connection: 'close' },
  });

const [quote, backslash, openArray, closeArray, openObject, closeObject] = [...'"\\[]{}'].map((c) => c.charCodeAt(0));

/** Whether brackets outside of strings are nested deeper than so many levels. */
function isDeeper(bytes: Uint8Array, levels: number): boolean {
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
