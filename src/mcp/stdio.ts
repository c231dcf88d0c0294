import type { Readable, Writable } from 'node:stream';
import type { ToolConnectors } from '../tools/toolset.js';
import { connectorEntries, hasSameConnectors } from './connector-entries.js';
import { type OfferingServer, serverOf } from './server.js';
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

/** Connectors, or what says which there are now: it is asked before each list, and during each call. */
export type StdioConnectors = ToolConnectors | (() => ToolConnectors | Promise<ToolConnectors>);

/** Lists that connectors are looked up for. */
const isList = (method: unknown): boolean => /^(tools|prompts|resources)\/list$/.test(String(method));

/** Serves connectors on standard input and output, in whichever of the protocol's eras the client begins. */
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
      // What was there goes on: a call says by itself what is wrong with it.
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
  // Each message that waits for a slow client listens to the stream, which is no leak.
  (stdout ?? process.stdout).setMaxListeners(0);
  const open = () => {
    const made = serverOf(surface);
    servers.add(made);
    return made.server;
  };
  const { close } = serve(open, {
    transport: new Transport(stdin, stdout),
    maxSubscriptions: 16,
    ...(onError && { onerror: onError }),
  });
  return { closed, close };
}
