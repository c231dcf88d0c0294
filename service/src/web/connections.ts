import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { networkOf } from '../domain/limits/addresses.js';

/** The connections of a server. */
export interface Connections {
  /** Takes no more connections and requests, and waits so many milliseconds for answers under way. */
  close(graceMs: number): Promise<void>;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Milliseconds for a request that was sent before its sender could know of the stop: it is refused, not cut off. */
const inTransitMs = 500;

/** Milliseconds for a body that nobody reads any more, in which its sender can hear why. */
const drainBodyMs = 30_000;

/** What connections may be. */
export interface ConnectionLimits {
  /** Milliseconds without a byte while one is waited for. */
  readonly stalledMs: number;
  /** How many one address may have. */
  readonly ofAddress: number;
  /** Whether an address is that of a proxy, which has as many as there are. */
  readonly isProxy: (address: string) => boolean;
}

/** Keeps account of connections and of what is under way on each, and cuts off those that stand still. */
export function watchConnections(server: Server, { stalledMs, ofAddress, isProxy }: ConnectionLimits): Connections {
  const open = new Map<Socket, Set<Exchange>>();
  const counts = countedSet();
  /** The last request of each connection, as long as all of it may not have come. */
  const lastRequests = new WeakMap<Socket, IncomingMessage>();
  let closing = false;

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && !isProxy(remoteAddress)) {
      const network = networkOf(remoteAddress);
      // Without a word, as the system does with those beyond what a server takes.
      if (counts.add(network) > ofAddress) socket.resetAndDestroy();
      socket.once('close', () => counts.remove(network));
    }
    open.set(socket, new Set());
    closeGracefully(socket, () => lastRequests.get(socket));
    socket.once('close', () => open.delete(socket));
  });
  // Before the listener that answers, so that an answer of a server that closes says so.
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
  // Called only when nothing has moved on a connection: bytes that are taken slowly are bytes that are taken.
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
      // To Node, a connection without a whole request is not idle: it would be waited for as long as answers are.
      const idleTimer = setTimeout(
        // What has come by now is read first, however busy this process was.
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

/** Counts what is added under each name. */
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
 * Lets a client that is still sending hear the answer before its connection ends (RFC 9112, 9.6): to close it with bytes
 * unread would reset it, and the client might lose what it has not read yet.
 */
function closeGracefully(socket: Socket, lastRequest: () => IncomingMessage | undefined): void {
  const end = () => Socket.prototype.destroySoon.call(socket);
  let isEnding = false;
  // Node ends a connection by this when it has sent its last answer.
  socket.destroySoon = () => {
    const incoming = lastRequest();
    if (incoming === undefined || incoming.complete || socket.destroyed) return end();
    if (isEnding) return;
    isEnding = true;
    socket.end();
    // Whoever read the body before, what is left of it is thrown away.
    incoming.removeAllListeners('data').resume().once('end', end);
    const forceTimer = setTimeout(end, drainBodyMs);
    socket.once('close', () => clearTimeout(forceTimer));
  };
}
