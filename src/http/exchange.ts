import type { KyInstance } from 'ky';
import { ConnectorError } from '../errors/connector-error.js';
import { VERSION } from '../version.js';
import { Lifetime } from './lifetime.js';
import { outcomeUnknown } from './outcome.js';

/** A request on the wire, with its timeout. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Blob | undefined;
  /** Leaves the body of a successful response unread except for its first chunk. */
  readonly streaming?: boolean | undefined;
  readonly timeoutMs: number;
  /** The call it belongs to; undefined for a token refresh, which many calls share. */
  readonly lifetime?: Lifetime | undefined;
  /** Called just before the request is sent. */
  readonly onSend?: (() => void) | undefined;
}

/** A response, read to its end or, when streaming, to its first chunk. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes?: { readonly first: Awaited<ReturnType<ByteReader['read']>>; readonly reader: ByteReader } | undefined;
}

type ByteReader = ReadableStreamDefaultReader<Uint8Array>;

/** Sends one request and reads the response, without retrying or interpreting it. */
export type Exchange = (request: WireRequest) => Promise<WireResponse>;

/** Options common to all requests of an exchange. */
export interface ExchangeOptions {
  /** Name of the server in error messages. */
  readonly peer: string;
  /** Prefix for the library's `User-Agent`. */
  readonly userAgent?: string | undefined;
  readonly onReceive?: OnReceive;
}

/** Called before bytes are read into memory; an error abandons the response. */
type OnReceive = ((bytes: number) => void | Promise<void>) | undefined;

const loadModules = () => Promise.all([import('ky'), import('#default-fetch')]);

let load: ReturnType<typeof loadModules> | undefined;

/** Builds the exchange on top of `fetch`; by default, the fastest that the runtime has. */
export function exchangeOver(
  given: typeof globalThis.fetch | undefined,
  { peer, userAgent, onReceive }: ExchangeOptions,
): Exchange {
  let client: KyInstance | undefined;
  return async ({ method, url, headers, body, streaming, timeoutMs, lifetime, onSend }) => {
    // Loaded on first use to keep importing a connector cheap.
    load ??= loadModules();
    const [{ default: ky }, { defaultFetch }] = await load;
    const fetch = given ?? defaultFetch;
    client ??= ky.create({
      redirect: 'manual',
      retry: 0,
      // The lifetime has the timer.
      timeout: false,
      throwHttpErrors: false,
      headers: {
        accept: 'application/json',
        'user-agent': [userAgent, `agent-connectors/${VERSION}`].filter(Boolean).join(' '),
      },
      hooks: { beforeRequest: [(_request, { context }) => (context.onSend as WireRequest['onSend'])?.()] },
    });
    checkHeaders(headers);
    let text = '';
    let bytes: WireResponse['bytes'];
    // Read the response here so that the timeout covers it.
    const fetchAndRead = async (input: string | URL | Request, signal: AbortSignal) => {
      const request = input as Request;
      const { redirect } = request;
      const sent = { method, headers: Object.fromEntries(request.headers), signal, redirect };
      // The body bypasses ky, which would copy it twice. Also, not every `fetch` accepts a Request.
      const response = await fetch(request.url, body === undefined ? sent : { ...sent, body: body as BodyInit });
      if (response.type === 'opaqueredirect') throw redirectError();
      if (streaming && response.ok && response.body) {
        const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
        bytes = { first: await reader.read(), reader };
      } else text = await textOf(response, peer, onReceive);
      return response;
    };
    // The signal bypasses ky too, which would follow it with two more.
    const send = (signal: AbortSignal) =>
      client!(url, { method, headers, fetch: (input) => fetchAndRead(input, signal), context: { onSend } });
    try {
      const { status, headers: received } = await (
        lifetime ?? new Lifetime(Number.POSITIVE_INFINITY, undefined)
      ).within(send, timeoutMs);
      return { status, headers: received, text, bytes };
    } catch (error) {
      throw asNetworkError(error, peer, url);
    }
  };
}

/** Rejects headers that HTTP cannot carry, before anything is reported as sent. */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const name = Object.keys(headers).find((name) => /[^\t\x20-\x7e\x80-\xff]/.test(headers[name]!));
  if (name === undefined) return;
  throw new ConnectorError(
    'invalid_params',
    `The value of the ${name} header has a character that HTTP headers cannot contain, so nothing was sent.`,
    { hint: 'Remove line breaks, control characters and characters outside Latin-1.' },
  );
}

/** Vendor APIs have no reason to redirect. */
export const redirectError = (status?: number): ConnectorError =>
  new ConnectorError('invalid_response', 'The vendor sent a redirect, which was not followed.', {
    status,
    retryable: false,
    hint: 'Check the endpoints option; credentials are never sent to a redirect target.',
  });

const notSentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CONNECT_TIMEOUT',
]);

function asNetworkError(error: unknown, peer: string, url: string): ConnectorError {
  if (ConnectorError.is(error)) {
    // After a timeout, an abort or an oversized response, the request may have been executed.
    if (error.code === 'timeout' || error.code === 'aborted' || error.code === 'too_large') outcomeUnknown.add(error);
    return error;
  }
  const codes = causes(error).flatMap(({ code }) => (typeof code === 'string' && /^\w+$/.test(code) ? [code] : []));
  const wasSent = !codes.some((code) => notSentCodes.has(code));
  const { host } = new URL(url);
  const server = peer.includes(host) ? peer : `${peer} (${host})`;
  // Not the original message, which may contain the whole URL.
  const what = `could not be reached${wasSent ? ' or closed the connection' : ''}${codes[0] ? ` (${codes[0]})` : ''}`;
  const network = new ConnectorError('network', `${server} ${what}.`, {
    hint: 'Check the URL, proxy and firewall of the machine that sent the request.',
    // The original error may quote headers, so only its name and message are kept, and the transport redacts them.
    cause: Object.assign(
      new Error(
        causes(error)
          .map(({ message }) => message)
          .join(': '),
      ),
      { code: codes[0] },
    ),
  });
  if (wasSent) outcomeUnknown.add(network);
  return network;
}

/** An error and its causes, outermost first; for an aggregate error, follows only its first error. */
function causes(error: unknown): Array<{ message: string; code?: unknown }> {
  const chain: Array<{ message: string; code?: unknown }> = [];
  for (let at = error; at instanceof Error && chain.length < 5; ) {
    const { message, code, errors, cause } = at as Error & { code?: unknown; errors?: unknown };
    chain.push({ message, code });
    at = Array.isArray(errors) ? errors[0] : cause;
  }
  return chain;
}

/**
 * Maximum size of a buffered response: far larger than any vendor's page, but bounded because a server may buffer many
 * at a time.
 */
const maxReplyBytes = 128 * 1024 * 1024;

/** Reads a response as text; gives up once it exceeds the maximum. */
async function textOf(response: Response, peer: string, onReceive: OnReceive): Promise<string> {
  const { headers } = response;
  const contentLength = headers.get('content-length');
  // Compressed data can expand to any size.
  const isBounded =
    contentLength !== null && Number(contentLength) <= maxReplyBytes && !headers.has('content-encoding');
  const receive = async (bytes: number, cancel: () => unknown) => {
    try {
      await onReceive?.(bytes);
    } catch (error) {
      void cancel();
      // The vendor has already executed the request.
      if (ConnectorError.is(error)) outcomeUnknown.add(error);
      throw error;
    }
  };
  if (isBounded) {
    if (onReceive) await receive(Number(contentLength), () => response.body?.cancel().catch(() => {}));
    return response.text();
  }
  const tooLarge = () =>
    new ConnectorError('too_large', `${peer}'s response is larger than ${maxReplyBytes / 1024 / 1024} MiB.`, {
      hint: 'Request fewer records per page or fewer fields.',
    });
  if ('textWithin' in response && !onReceive) {
    // Our own transport on Node counts the bytes itself.
    const text = await (response.textWithin as (maxBytes: number) => Promise<string | undefined>)(maxReplyBytes);
    if (text === undefined) throw tooLarge();
    return text;
  }
  const { body } = response;
  if (!body) return response.text();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const cancel = () => reader.cancel().catch(() => {});
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts.join('') + decoder.decode();
    length += value.length;
    if (length > maxReplyBytes) {
      void cancel();
      throw tooLarge();
    }
    if (onReceive) await receive(value.length, cancel);
    parts.push(decoder.decode(value, { stream: true }));
  }
}
