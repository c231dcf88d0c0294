/**
 * Serves the sandbox over HTTP on a local port.
 * @module agent-connectors-sandbox/server
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from './deliver.js';
import { driveFromFolder } from './google-drive/disk.js';
import { formatListing, listingOf } from './listing.js';
import { createSandbox } from './sandbox.js';
import type { Sandbox } from './types.js';

export { driveFromFolder };

/** Options for a server. */
export interface ServeOptions {
  /** The sandbox to serve; a new one by default. */
  sandbox?: Sandbox;
  /** A free port by default. */
  port?: number;
  /** 127.0.0.1 by default. */
  host?: string;
  /** Latency added to every response, in milliseconds. */
  latency?: number;
  /** A folder on disk that a new sandbox serves as Google Drive's My Drive. */
  driveFolder?: string;
}

/** A listening sandbox. */
export interface SandboxServer {
  /** URL without a path. */
  url: string;
  /** Port that it listens on. */
  port: number;
  /** The sandbox that is served. */
  sandbox: Sandbox;
  /** Closes the server and all connections. */
  close(): Promise<void>;
}

/** Serves a sandbox over HTTP: vendors below `/<name>`, the control endpoints below `/_sandbox`, credentials at `/`. */
export async function serve(options: ServeOptions = {}): Promise<SandboxServer> {
  const { sandbox = newSandbox(options), port = 0, host = '127.0.0.1', latency = 0 } = options;
  const server = createServer((incoming, outgoing) => {
    answer(sandbox, latency, incoming, outgoing).catch(() => incoming.socket.resetAndDestroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    sandbox,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

function newSandbox({ driveFolder }: ServeOptions): Sandbox {
  return createSandbox(driveFolder === undefined ? {} : { driveFolder: driveFromFolder(driveFolder) });
}

async function answer(sandbox: Sandbox, latency: number, incoming: IncomingMessage, outgoing: ServerResponse) {
  const disconnect = new AbortController();
  outgoing.once('close', () => disconnect.abort());
  const request = await requestOf(incoming, disconnect.signal);
  if (latency > 0) await pause(latency, disconnect.signal);
  const { origin: url, pathname } = new URL(request.url);
  const response =
    pathname === '/' ? new Response(formatListing(listingOf({ url, sandbox }))) : await sandbox.handle(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) return outgoing.end();
  // Headers are sent immediately, so that a slow body does not delay them.
  outgoing.flushHeaders();
  try {
    for await (const chunk of response.body) await writeChunk(outgoing, chunk);
    outgoing.end();
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    if (code === 'ECONNRESET') incoming.socket.resetAndDestroy();
    else incoming.socket.destroy();
  }
}

function writeChunk(outgoing: ServerResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

async function requestOf(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const method = incoming.method ?? 'GET';
  const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? 'localhost'}`);
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, signal });
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return new Request(url, { method, headers, signal, body: Buffer.concat(chunks) });
}
