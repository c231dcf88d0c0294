import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, constants as zlib } from 'node:zlib';
import { type Dispatcher, request } from 'undici/index.js';

/** What a lean fetch can send; anything else needs a real `fetch`. */
export interface LeanRequest {
  readonly method?: string | undefined;
  readonly headers?: Record<string, string> | Headers | undefined;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The request, if a lean fetch can send it: redirects are not followed, and the body is not a stream. */
export function leanRequest(input: unknown, init: RequestInit): LeanRequest | undefined {
  const { body, redirect, headers } = init;
  const isPlain = body === undefined || body === null || typeof body === 'string' || body instanceof Uint8Array;
  const hasPlainHeaders = !Array.isArray(headers);
  if (input instanceof Request || redirect !== 'manual' || !isPlain || !hasPlainHeaders) return undefined;
  return init as LeanRequest;
}

/**
 * Sends a request like `fetch`, at less than half the cost: without the objects and streams that `fetch` creates for
 * every request and that a caller who reads the response as text does not use.
 */
export async function leanFetch(
  url: URL,
  { method = 'GET', headers = {}, body, signal }: LeanRequest,
  dispatcher: Dispatcher,
): Promise<Response> {
  const isHeaders = headers instanceof Headers;
  const own = isHeaders ? Object.fromEntries(headers) : headers;
  const given = Object.keys(own).some((name) => name.toLowerCase() === 'accept-encoding');
  const sent = given ? own : { ...own, 'accept-encoding': 'gzip, deflate, br' };
  const reply = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: sent,
    body: body ?? null,
    signal: signal ?? null,
    dispatcher,
  });
  return new LeanResponse(url, reply) as unknown as Response;
}

/** The parts of a `Response` that can be read once, without a web stream unless `body` is used. */
class LeanResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly type = 'basic';
  readonly redirected = false;
  readonly url: string;
  readonly headers = new Headers();
  readonly #body: Dispatcher.ResponseData['body'];
  #stream: ReadableStream<Uint8Array> | undefined;

  constructor({ href }: URL, { statusCode, headers, body }: Dispatcher.ResponseData) {
    this.status = statusCode;
    this.ok = statusCode >= 200 && statusCode < 300;
    this.url = href;
    this.#body = body;
    for (const name in headers) {
      const value = headers[name];
      if (typeof value === 'string') this.headers.append(name, value);
      else for (const each of value ?? []) this.headers.append(name, each);
    }
  }

  get bodyUsed(): boolean {
    return this.#body.bodyUsed || this.#stream !== undefined;
  }

  get body(): ReadableStream<Uint8Array> {
    this.#stream ??= streamOf(this.#decoded());
    return this.#stream;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const decoded = this.#decoded();
    if (decoded === this.#body) return this.#body.arrayBuffer();
    const bytes = Buffer.concat(await decoded.toArray());
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  }

  async text(): Promise<string> {
    const decoded = this.#decoded();
    if (decoded === this.#body) return this.#body.text();
    return new TextDecoder().decode(Buffer.concat(await decoded.toArray()));
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  /** The body without its content encodings. */
  #decoded(): Readable {
    let decoded: Readable = this.#body;
    const codings = (this.headers.get('content-encoding') ?? '').toLowerCase().split(',').reverse();
    for (const coding of codings) {
      const decoder = decoderOf(coding.trim());
      if (!decoder) continue;
      const source = decoded;
      source.once('error', (error) => decoder.destroy(error));
      decoder.once('close', () => source.destroy());
      decoded = source.pipe(decoder);
    }
    return decoded;
  }
}

// Like browsers, accepts a body whose end is missing.
const gzip = { flush: zlib.Z_SYNC_FLUSH, finishFlush: zlib.Z_SYNC_FLUSH };
const brotli = { flush: zlib.BROTLI_OPERATION_FLUSH, finishFlush: zlib.BROTLI_OPERATION_FLUSH };

function decoderOf(coding: string) {
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip(gzip);
  if (coding === 'deflate') return createInflate(gzip);
  return coding === 'br' ? createBrotliDecompress(brotli) : undefined;
}

/** A web stream over a Node stream that is read only on demand. */
function streamOf(source: Readable): ReadableStream<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value as Uint8Array);
      },
      async cancel() {
        source.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
