import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { isProxy, type TrustedProxies } from '../domain/limits/addresses.js';
import type { Limits } from '../domain/limits/options.js';
import { bufferedBody } from './api/body.js';
import { type Bindings, isStream } from './api/handle-request.js';
import { watchConnections } from './connections.js';

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** A listening server. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Stops accepting requests and waits up to `graceMs` for running ones. */
  close(graceMs: number): Promise<void>;
}

/** Serves a `fetch` handler over HTTP. */
export async function listen(
  fetch: (request: Request, bindings: Bindings) => Promise<Response>,
  { host, port }: ListenAddress,
  limits: Limits,
  trustedProxies?: TrustedProxies,
): Promise<RunningServer> {
  const server = createAdaptorServer({
    overrideGlobalObjects: false,
    serverOptions: optionsOf(limits),
    hostname: host,
    async fetch(request, env) {
      const { outgoing } = env as HttpBindings;
      const response = await fetch(request, env as HttpBindings);
      if (!isStream(response)) resetAfter(limits.answerMs, outgoing);
      const pieces = bufferedBody(response);
      // The adapter drains the unread body of a rejected request.
      if (pieces && response.ok && request.method !== 'HEAD') {
        sendPieces(response, pieces, outgoing);
        return RESPONSE_ALREADY_SENT;
      }
      // Only downloads need exact lengths and backpressure.
      if (!response.headers.has('content-disposition')) return response;
      void send(response, outgoing);
      return RESPONSE_ALREADY_SENT;
    },
  }) as Server;
  server.maxConnections = limits.connections;
  const connections = watchConnections(server, {
    stalledMs: limits.stalledMs,
    ofAddress: limits.connectionsOfAddress,
    isProxy: isProxy(trustedProxies),
  });
  server.listen(port, host);
  await once(server, 'listening');
  const boundPort = (server.address() as AddressInfo).port;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    port: boundPort,
    close(graceMs) {
      closing ??= connections.close(graceMs);
      return closing;
    },
  };
}

const optionsOf = ({ headBytes, headMs, requestMs, idleMs }: Limits) => ({
  maxHeaderSize: headBytes,
  headersTimeout: Math.min(headMs, requestMs),
  requestTimeout: requestMs,
  keepAliveTimeout: idleMs,
  // How often Node enforces these timeouts.
  connectionsCheckingInterval: Math.min(5_000, Math.max(50, Math.floor(Math.min(headMs, requestMs) / 4))),
  // Detects peers that disappeared without closing the connection.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
});

/** Aborts a response that is not read within this time. */
function resetAfter(ms: number, outgoing: ServerResponse): void {
  if (outgoing.destroyed) return;
  const timer = setTimeout(() => outgoing.socket?.resetAndDestroy(), ms);
  timer.unref();
  outgoing.once('close', () => clearTimeout(timer));
}

/** Sends a response whose bytes are known, in one write. */
function sendPieces({ status, headers }: Response, pieces: readonly Uint8Array[], outgoing: ServerResponse): void {
  if (outgoing.destroyed) return;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  outgoing.writeHead(status, { ...Object.fromEntries(headers), 'content-length': length });
  for (const piece of pieces.slice(0, -1)) outgoing.write(piece);
  outgoing.end(pieces.at(-1));
}

/**
 * Sends a stream with backpressure. If it fails, the connection is aborted so that a partial response is never
 * mistaken for a complete one.
 */
async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  const cancel = () => void reader?.cancel().catch(() => {});
  if (outgoing.destroyed) return cancel();
  outgoing.once('close', cancel);
  try {
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    while (reader) {
      const { done, value } = await reader.read();
      if (done || outgoing.destroyed) break;
      if (!outgoing.write(value)) await waitForDrain(outgoing);
    }
    outgoing.end();
  } catch {
    outgoing.socket?.resetAndDestroy();
  }
}

/** Resolves when more can be written or the connection is closed. */
function waitForDrain(outgoing: ServerResponse): Promise<void> {
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
