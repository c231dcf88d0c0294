import type { Readable, Writable } from 'node:stream';
import type { ToolConnectors } from '../tools/toolset.js';
import { connectorEntries } from './connector-entries.js';
import { serverOf } from './server.js';
import { type McpOptions, surfaceOf } from './surface.js';

/** What a server on standard input and output is made with. */
export interface StdioOptions extends McpOptions {
  /** In place of the process’s standard input. */
  readonly stdin?: Readable | undefined;
  /** Carries the protocol and nothing else. */
  readonly stdout?: Writable | undefined;
  /** Told of what goes wrong outside of any call, such as input that is not JSON. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A server that runs. */
export interface StdioServer {
  /** Resolves when the client has gone, or `close` was called. */
  readonly closed: Promise<void>;
  /** Ends the server. */
  close(): Promise<void>;
}

/** Serves connectors on standard input and output, in whichever of the protocol's eras the client begins. */
export async function serveStdio(connectors: ToolConnectors, options: StdioOptions = {}): Promise<StdioServer> {
  const { stdin, stdout, onError, ...others } = options;
  const surface = surfaceOf(connectorEntries(connectors), others);
  const { StdioServerTransport, serveStdio: serve } = await import('@modelcontextprotocol/server/stdio');
  let ended = () => {};
  const closed = new Promise<void>((resolve) => {
    ended = resolve;
  });
  class Transport extends StdioServerTransport {
    override async close(): Promise<void> {
      await super.close();
      ended();
    }
  }
  // Each message that waits for a slow client listens to the stream, which is no leak.
  (stdout ?? process.stdout).setMaxListeners(0);
  const { close } = serve(() => serverOf(surface), {
    transport: new Transport(stdin, stdout),
    maxSubscriptions: 16,
    ...(onError && { onerror: onError }),
  });
  return { closed, close };
}
