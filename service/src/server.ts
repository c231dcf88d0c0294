import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Bindings } from './http/app.js';

/** Where to listen. */
export interface Place {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}

/** A server that listens. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, and waits so many milliseconds for those under way. */
  close(patienceMs: number): Promise<void>;
}

/** Milliseconds after which a client that keeps the service waiting is cut off. */
const timeouts = { keepAliveTimeout: 65_000, headersTimeout: 20_000, requestTimeout: 120_000 } as const;

/** Serves a `fetch` handler over HTTP. */
export async function listen(
  fetch: (request: Request, bindings: Bindings) => Promise<Response>,
  { host, port }: Place,
): Promise<Listening> {
  const server = createAdaptorServer({
    overrideGlobalObjects: false,
    serverOptions: timeouts,
    hostname: host,
    async fetch(request, env) {
      const bindings = env as HttpBindings;
      const response = await fetch(request, bindings);
      // Only downloads are streams.
      if (!response.headers.has('content-disposition')) return response;
      send(response, bindings.outgoing);
      return RESPONSE_ALREADY_SENT;
    },
  }) as Server;
  server.listen(port, host);
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    close(patienceMs) {
      closing ??= closed(server, patienceMs);
      return closing;
    },
  };
}

async function closed(server: Server, patienceMs: number): Promise<void> {
  const done = once(server, 'close');
  server.close();
  // A connection whose request has been answered would be kept open for the next one.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => server.closeAllConnections(), patienceMs);
  await done.finally(() => {
    clearInterval(idle);
    clearTimeout(late);
  });
}

/** Sends a stream, as fast as it is taken; where it breaks, the connection does, so that no part passes for the whole. */
async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  outgoing.once('close', () => void reader?.cancel().catch(() => {}));
  try {
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    while (reader) {
      const { done, value } = await reader.read();
      if (done || outgoing.destroyed) break;
      if (!outgoing.write(value)) await drained(outgoing);
    }
    outgoing.end();
  } catch {
    outgoing.socket?.resetAndDestroy();
  }
}

/** Resolves when more can be written, or nobody listens any more. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.on('drain', done);
    outgoing.on('close', done);
  });
}
