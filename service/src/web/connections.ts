import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** The connections of a server. */
export interface Connections {
  /** Takes no more connections and requests, and waits so many milliseconds for answers under way. */
  close(patienceMs: number): Promise<void>;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Milliseconds for a request that was sent before its sender could know of the stop: it is refused, not cut off. */
const requestOnTheWayMs = 500;

/** Milliseconds for a body that nobody reads any more, in which its sender can hear why. */
const unreadBodyMs = 30_000;

/** Keeps account of connections and of what is under way on each, and cuts off those that stand still. */
export function watchConnections(server: Server, stalledMs: number): Connections {
  const open = new Map<Socket, Set<Exchange>>();
  /** The last request of each connection, as long as all of it may not have come. */
  const coming = new WeakMap<Socket, IncomingMessage>();
  let closing = false;

  server.on('connection', (socket: Socket) => {
    open.set(socket, new Set());
    endInStages(socket, () => coming.get(socket));
    socket.once('close', () => open.delete(socket));
  });
  // Before the listener that answers, so that an answer of a server that closes says so.
  server.prependListener('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    const exchange: Exchange = { incoming, outgoing };
    if (closing) outgoing.shouldKeepAlive = false;
    open.get(socket)?.add(exchange);
    coming.set(socket, incoming);
    outgoing.once('close', () => {
      const under = open.get(socket);
      under?.delete(exchange);
      if (incoming.complete && coming.get(socket) === incoming) coming.delete(socket);
      if (closing && under?.size === 0) socket.destroySoon();
    });
  });
  // Called only when nothing has moved on a connection: bytes that are taken slowly are bytes that are taken.
  server.setTimeout(stalledMs, (socket: Socket) => {
    const under = [...(open.get(socket) ?? [])];
    const isAwaited = under.some(({ incoming }) => !incoming.complete) || socket.writableLength > 0;
    if (under.length === 0 || isAwaited) socket.resetAndDestroy();
    else socket.setTimeout(stalledMs);
  });
  return {
    async close(patienceMs) {
      closing = true;
      const done = once(server, 'close');
      server.close();
      for (const under of open.values()) for (const { outgoing } of under) outgoing.shouldKeepAlive = false;
      // To Node, a connection without a whole request is not idle: it would be waited for as long as answers are.
      const silent = setTimeout(
        // What has come by now is read first, however busy this process was.
        () =>
          setImmediate(() => {
            for (const [socket, under] of open) if (under.size === 0) socket.destroy();
          }),
        Math.min(requestOnTheWayMs, patienceMs),
      );
      const late = setTimeout(() => server.closeAllConnections(), patienceMs);
      await done.finally(() => {
        clearTimeout(silent);
        clearTimeout(late);
      });
    },
  };
}

/**
 * Lets a client that is still sending hear the answer before its connection ends (RFC 9112, 9.6): to close it with bytes
 * unread would reset it, and the client might lose what it has not read yet.
 */
function endInStages(socket: Socket, coming: () => IncomingMessage | undefined): void {
  const end = () => Socket.prototype.destroySoon.call(socket);
  let isEnding = false;
  // Node ends a connection by this when it has sent its last answer.
  socket.destroySoon = () => {
    const incoming = coming();
    if (incoming === undefined || incoming.complete || socket.destroyed) return end();
    if (isEnding) return;
    isEnding = true;
    socket.end();
    // Whoever read the body before, what is left of it is thrown away.
    incoming.removeAllListeners('data').resume().once('end', end);
    const late = setTimeout(end, unreadBodyMs);
    socket.once('close', () => clearTimeout(late));
  };
}
