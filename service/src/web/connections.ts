import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { networkOf } from '../domain/limits/addresses.js';

export interface ClientConnections {
  /** Stops accepting connections and requests, and waits up to `graceMs` for responses in progress. */
  close(graceMs: number): Promise<void>;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** How long requests already in transit at shutdown are rejected rather than dropped, in milliseconds. */
const inTransitMs = 500;

/** How long an unread body is drained, so that its sender can read the response, in milliseconds. */
const drainBodyMs = 30_000;

/** Connection limits. */
export interface ConnectionLimits {
  /** How long a connection may transfer nothing while data is expected, in milliseconds. */
  readonly stalledMs: number;
  /** Maximum number of connections per address. */
  readonly ofAddress: number;
  /** Whether an address belongs to a proxy, which is exempt. */
  readonly isProxy: (address: string) => boolean;
}

/** Tracks connections and their requests, and closes stalled ones. */
export function watchConnections(
  server: Server,
  { stalledMs, ofAddress, isProxy }: ConnectionLimits,
): ClientConnections {
  const open = new Map<Socket, Set<Exchange>>();
  const counts = countedSet();
  /** The last request on each connection; it may not have been fully received. */
  const lastRequests = new WeakMap<Socket, IncomingMessage>();
  let closing = false;

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && !isProxy(remoteAddress)) {
      const network = networkOf(remoteAddress);
      // Reset without a response, as the operating system does with excess connections.
      if (counts.add(network) > ofAddress) socket.resetAndDestroy();
      socket.once('close', () => counts.remove(network));
    }
    open.set(socket, new Set());
    closeGracefully(socket, () => lastRequests.get(socket));
    socket.once('close', () => open.delete(socket));
  });
  // Runs before the listener that responds, so that responses from a closing server include `Connection: close`.
  server.prependListener('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    const exchange: Exchange = { incoming, outgoing };
    if (closing) outgoing.shouldKeepAlive = false;
    open.get(socket)?.add(exchange);
    lastRequests.set(socket, incoming);
    outgoing.once('close', () => {
      const exchanges = open.get(socket);
      exchanges?.delete(exchange);
      if (incoming.complete && lastRequests.get(socket) === incoming) lastRequests.delete(socket);
      if (closing && exchanges?.size === 0) socket.destroySoon();
    });
  });
  // Called only when a connection is idle; a slow reader counts as making progress.
  server.setTimeout(stalledMs, (socket: Socket) => {
    const exchanges = [...(open.get(socket) ?? [])];
    const awaitsData = exchanges.some(({ incoming }) => !incoming.complete) || socket.writableLength > 0;
    if (exchanges.length === 0 || awaitsData) socket.resetAndDestroy();
    else socket.setTimeout(stalledMs);
  });
  return {
    async close(graceMs) {
      closing = true;
      const done = once(server, 'close');
      server.close();
      for (const exchanges of open.values()) for (const { outgoing } of exchanges) outgoing.shouldKeepAlive = false;
      // Node does not treat a connection with a partial request as idle, and would wait for it.
      const idleTimer = setTimeout(
        // Lets this process read data that has already arrived, even if it was busy.
        () =>
          setImmediate(() => {
            for (const [socket, exchanges] of open) if (exchanges.size === 0) socket.destroy();
          }),
        Math.min(inTransitMs, graceMs),
      );
      const forceTimer = setTimeout(() => server.closeAllConnections(), graceMs);
      await done.finally(() => {
        clearTimeout(idleTimer);
        clearTimeout(forceTimer);
      });
    },
  };
}

/** A multiset of names. */
function countedSet() {
  const counts = new Map<string, number>();
  const change = (name: string, by: number): number => {
    const count = (counts.get(name) ?? 0) + by;
    if (count > 0) counts.set(name, count);
    else counts.delete(name);
    return count;
  };
  return { add: (name: string) => change(name, 1), remove: (name: string) => change(name, -1) };
}

/**
 * Lets a client that is still sending read the response before the connection closes (RFC 9112, 9.6). Closing it with
 * unread bytes would reset it, and the client could lose the response.
 */
function closeGracefully(socket: Socket, lastRequest: () => IncomingMessage | undefined): void {
  const end = () => Socket.prototype.destroySoon.call(socket);
  let isEnding = false;
  // Node calls this to end a connection after its last response.
  socket.destroySoon = () => {
    const incoming = lastRequest();
    if (incoming === undefined || incoming.complete || socket.destroyed) return end();
    if (isEnding) return;
    isEnding = true;
    socket.end();
    // Discards the rest of the body, even if it was being read.
    incoming.removeAllListeners('data').resume().once('end', end);
    const forceTimer = setTimeout(end, drainBodyMs);
    socket.once('close', () => clearTimeout(forceTimer));
  };
}
