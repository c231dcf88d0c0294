import { parseJson } from 'agent-connectors/replication';

/** Maximum nesting of a legitimate request. */
const maxDepth = 64;

/** Maximum number of JSON values, because validating them blocks the event loop. */
const maxValues = 8_000;

const utf8Decoder = new TextDecoder('utf-8', { fatal: true });

const [quote, backslash, comma, openArray, closeArray, openObject, closeObject] = [...'"\\,[]{}'].map((c) =>
  c.charCodeAt(0),
);

/** Why a body is rejected before it is validated. */
export class BodyError extends Error {
  readonly status: 400 | 413;

  constructor(status: 400 | 413, message: string) {
    super(message);
    this.status = status;
  }
}

/** Counts values using brackets and commas outside strings, and rejects bodies that would take too long to parse. */
export function countValues(bytes: Uint8Array): number {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at + 1);
    } else if (byte === comma) values++;
    else if (byte === openArray || byte === openObject) {
      values++;
      if (++depth > maxDepth) throw new BodyError(400, `The body is nested more than ${maxDepth} levels deep.`);
    } else if (byte === closeArray || byte === closeObject) depth--;
    if (values > maxValues) throw new BodyError(413, `The body exceeds this service’s limit of ${maxValues} values.`);
  }
  return values;
}

/** Position of the quote that ends a string, or the end of the bytes. */
function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(quote!, from); at >= 0; at = bytes.indexOf(quote!, at + 1)) {
    let start = at;
    while (start > from && bytes[start - 1] === backslash) start--;
    if ((at - start) % 2 === 0) return at;
  }
  return bytes.length;
}

/** Parses the bytes of a body of limited depth and number of values. */
export function parseBody(bytes: Uint8Array): unknown {
  try {
    const text = utf8Decoder.decode(bytes);
    return /\d{16}/.test(text) ? parseJson(text) : JSON.parse(text);
  } catch {
    throw new BodyError(400, 'The body is not well-formed JSON.');
  }
}

const bufferedBodies = new WeakMap<Response, readonly Uint8Array[]>();

/** The pieces of a response's JSON, to send them without reading them from a stream. */
export const bufferedBody = (response: Response): readonly Uint8Array[] | undefined => bufferedBodies.get(response);

/** Whether a result is JSON in pieces. */
export const isJsonPieces = (result: unknown): result is Uint8Array[] =>
  Array.isArray(result) && result[0] instanceof Uint8Array;

/** A response with JSON. */
export const jsonResponse = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
  // Encoded up front, because for a long string, Response would make a well-formed copy and encode it in pieces.
): Response => bufferedResponse(status, [Buffer.from(body)], headers);

/** A response whose JSON is already encoded. */
export function bufferedResponse(
  status: number,
  pieces: readonly Uint8Array[],
  headers: Readonly<Record<string, string>> = {},
): Response {
  const [piece] = pieces;
  const body = pieces.length === 1 ? (piece as Uint8Array<ArrayBuffer>) : streamOf(pieces);
  const response = new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
  bufferedBodies.set(response, pieces);
  return response;
}

/** A stream for those that do not send the pieces: Response would copy them. */
const streamOf = (pieces: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
