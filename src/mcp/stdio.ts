import type { Readable, Writable } from 'node:stream';
import type { ToolConnectors } from '../tools/toolset.js';
import { connectorEntries, hasSameConnectors } from './connector-entries.js';
import { type OfferingServer, serverOf } from './server.js';
import { type McpOptions, surfaceOf } from './surface.js';

/** Options for a server on standard input and output. */
export interface StdioOptions extends McpOptions {
  /** Replaces the process's standard input. */
  readonly stdin?: Readable | undefined;
  /** Carries only protocol messages. */
  readonly stdout?: Writable | undefined;
  /** Called for errors outside calls, such as input that is not JSON. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A running server. */
export interface StdioServer {
  /** Resolves when the client has disconnected, or `close` was called. */
  readonly closed: Promise<void>;
  /** Ends the server. */
  close(): Promise<void>;
}

/** Connectors, or a function that returns the current ones: called before each list and during each call. */
export type StdioConnectors = ToolConnectors | (() => ToolConnectors | Promise<ToolConnectors>);

/** List requests, which trigger a connector lookup. */
const isList = (method: unknown): boolean => /^(tools|prompts|resources)\/list$/.test(String(method));

/** Maximum size of a message from the client, which can contain a file to upload. */
const maxMessageBytes = 100 * 2 ** 20;

/** Serves connectors on standard input and output, in the client's protocol version. */
export async function serveStdio(connectors: StdioConnectors, options: StdioOptions = {}): Promise<StdioServer> {
  const { stdin, stdout, onError, ...others } = options;
  const lookUp = typeof connectors === 'function' ? connectors : undefined;
  let given = connectorEntries(await (lookUp ? lookUp() : (connectors as ToolConnectors)));
  let surface = surfaceOf(given, others);
  const servers = new Set<OfferingServer>();
  let lookingUp: Promise<void> | undefined;
  const refresh = (): Promise<void> => {
    lookingUp ??= Promise.resolve()
      .then(async () => {
        const found = connectorEntries(await lookUp!());
        if (hasSameConnectors(given, found)) return;
        const offered = surfaceOf(found, others);
        surface.files.clear();
        surface = offered;
        given = found;
        for (const { offer } of servers) offer(surface);
      })
      // Keep the previous connectors: calls report errors themselves.
      .catch((error) => onError?.(error))
      .finally(() => {
        lookingUp = undefined;
      });
    return lookingUp;
  };
  const { StdioServerTransport, serveStdio: serve } = await import('@modelcontextprotocol/server/stdio');
  let ended = () => {};
  const closed = new Promise<void>((resolve) => {
    ended = resolve;
  });
  class Transport extends StdioServerTransport {
    override async start(): Promise<void> {
      const deliver = this.onmessage;
      if (lookUp && deliver) {
        this.onmessage = (message) => {
          const method = 'method' in message ? message.method : undefined;
          if (isList(method)) return void refresh().then(() => deliver(message));
          deliver(message);
          if (method === 'tools/call') void refresh();
        };
      }
      await super.start();
    }

    override async close(): Promise<void> {
      await super.close();
      ended();
    }
  }
  // Each message waiting for a slow client adds a listener, which is not a leak.
  (stdout ?? process.stdout).setMaxListeners(0);
  const open = () => {
    const made = serverOf(surface);
    servers.add(made);
    return made.server;
  };
  const { close } = serve(open, {
    transport: new Transport(stdin, stdout, { maxBufferSize: maxMessageBytes }),
    maxSubscriptions: 16,
    ...(onError && { onerror: onError }),
  });
  return { closed, close };
}
