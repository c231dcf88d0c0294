import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { bodyStream, bodyText } from './http-body.js';

/** Milliseconds that an idle connection is kept if the server does not say how long it keeps it. */
const idleMs = 4_000;

/** An idle connection is closed this much earlier than the server does, so that no request meets its end. */
const marginMs = 1_000;

/** Longest time that an idle connection is kept, whatever the server says. */
const maxIdleMs = 600_000;

/** Milliseconds to connect before the request counts as not sent. */
const connectTimeoutMs = 10_000;

/** Closes idle connections before the server does. */
function closingEarly<A extends http.Agent>(agent: A): A {
  const { keepSocketAlive } = agent as unknown as { keepSocketAlive: (socket: Socket) => boolean };
  return Object.assign(agent, {
    keepSocketAlive(socket: Socket) {
      if (keepSocketAlive.call(agent, socket) === false) return false;
      // Node has set the server's time if it is shorter than the agent's.
      const { timeout = maxIdleMs } = socket;
      const kept = timeout === maxIdleMs ? idleMs : timeout - marginMs;
      if (kept > 0) socket.setTimeout(kept);
      return kept > 0;
    },
  });
}

const plain = closingEarly(new http.Agent({ keepAlive: true, timeout: maxIdleMs }));
const secure = closingEarly(new https.Agent({ keepAlive: true, timeout: maxIdleMs }));

/**
 * A `fetch` over `node:http` and `node:https` that does what sending requests to a vendor takes: it follows no redirect,
 * takes a body that is text, bytes or a Blob, and its response has `status`, `headers`, `text()` and a `body`.
 */
export async function httpFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const { method = 'GET', body, signal } = init;
  signal?.throwIfAborted();
  const content = body as string | Uint8Array | Blob | null | undefined;
  const { isTls, host, port, path } = partsOf(url);
  const headers: http.OutgoingHttpHeaders = {
    'accept-encoding': isTls ? 'br, gzip, deflate' : 'gzip, deflate',
    ...(init.headers as Record<string, string>),
  };
  if (content) headers['content-length'] = content instanceof Blob ? content.size : Buffer.byteLength(content);
  return new Promise((resolve, reject) => {
    // Looked up at each call, since tools that observe or replace requests replace these functions.
    const request = (isTls ? https : http).request({
      host,
      port,
      path,
      method,
      headers,
      agent: isTls ? secure : plain,
    });
    const abort = () => request.destroy(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const limitConnecting = (socket: Socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(
        () => request.destroy(Object.assign(new Error('connecting took too long'), { code: 'CONNECT_TIMEOUT' })),
        connectTimeoutMs,
      );
      const stop = () => clearTimeout(timer);
      socket.once(isTls ? 'secureConnect' : 'connect', stop);
      request.once('close', stop);
    };
    request.once('socket', limitConnecting);
    request.once('response', (message) => {
      message.once('close', () => signal?.removeEventListener('abort', abort));
      resolve(responseOf(message, method));
    });
    request.on('error', (error) => {
      signal?.removeEventListener('abort', abort);
      reject(signal?.aborted ? signal.reason : error);
    });
    // A Blob, usually a part of a file, is sent while it is read.
    if (content instanceof Blob) sendBlob(content, request).catch((error) => request.destroy(error));
    else request.end(content ?? undefined);
  });
}

/** Bytes of a Blob that are written at once. */
const maxWrite = 2 ** 20;

async function sendBlob(content: Blob, request: http.ClientRequest): Promise<void> {
  const reader = content.stream().getReader();
  let corked = 0;
  request.cork();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    // An aborted or answered request takes nothing more.
    if (request.destroyed) return reader.cancel();
    request.write(value);
    corked += value.length;
    if (corked < maxWrite) continue;
    request.uncork();
    if (request.writableNeedDrain) await once(request, 'drain');
    request.cork();
    corked = 0;
  }
  request.uncork();
  request.end();
}

/** What was parsed last, since a connector usually repeats its address. */
let latest: { readonly url: string; readonly parts: ReturnType<typeof parse> } | undefined;

function partsOf(url: string): ReturnType<typeof parse> {
  if (latest?.url !== url) latest = { url, parts: parse(url) };
  return latest.parts;
}

function parse(url: string) {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const isTls = protocol === 'https:';
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return { isTls, host, port: port || (isTls ? 443 : 80), path: pathname + search };
}

/** The part of a `Response` that is used; a real one would cost as much as the rest of the request. */
function responseOf(message: http.IncomingMessage, method: string): Response {
  const status = message.statusCode!;
  const headers = new Headers();
  const { rawHeaders } = message;
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const encodings = (message.headers['content-encoding'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean)
    .reverse();
  const isEmpty = method === 'HEAD' || status === 204 || status === 205 || status === 304;
  if (isEmpty) message.resume();
  let body: ReadableStream<Uint8Array> | undefined;
  const response = {
    status,
    ok: status >= 200 && status < 300,
    type: 'basic',
    headers,
    get body() {
      if (isEmpty) return null;
      body ??= bodyStream(message, encodings);
      return body;
    },
    text: () => (isEmpty ? Promise.resolve('') : bodyText(message, encodings)),
    textWithin: (maxBytes: number) => (isEmpty ? Promise.resolve('') : bodyText(message, encodings, maxBytes)),
  };
  return response as unknown as Response;
}
