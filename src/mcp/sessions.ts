import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Reserve } from './files.js';
import { type OfferingServer, serverOf } from './server.js';
import type { Surface } from './surface.js';

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly close: () => Promise<void>;
  readonly release: () => void;
  readonly offer: OfferingServer['offer'];
  usedAt: number;
}

/** Milliseconds after which an unused session ends. */
export const idleMs = 30 * 60_000;

const maxSessions = 64;

/** Memory that a session uses. */
const sessionBytes = 64 * 2 ** 10;

/** Milliseconds that running calls have to finish once their session is invalid. */
export const graceMs = 150_000;

/** A caller's sessions, for protocol versions before 2026, with unguessable ids. */
export class Sessions {
  #surface: Surface;
  readonly #maxBodyBytes: number;
  readonly #reserve: Reserve;
  readonly #sessions = new Map<string, Session>();

  constructor(surface: Surface, maxBodyBytes: number, reserve: Reserve) {
    this.#surface = surface;
    this.#maxBodyBytes = maxBodyBytes;
    this.#reserve = reserve;
  }

  /** Handles a request in its session, or starts a session. */
  async handle(request: Request, parsedBody?: unknown): Promise<Response> {
    this.#sweep();
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#begin(request, parsedBody);
    const session = this.#sessions.get(id);
    if (!session) return noSession();
    session.usedAt = Date.now();
    // The map is ordered by last use.
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session.transport.handleRequest(request, { parsedBody });
  }

  /** Updates the connectors of all sessions; running calls finish with the previous connectors. */
  offer(surface: Surface): void {
    this.#surface = surface;
    for (const { offer } of this.#sessions.values()) offer(surface);
  }

  /** Ends all sessions for the client; running calls can still finish. Resolves once the sessions are closed. */
  async retire(): Promise<void> {
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    if (open.length === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs) as unknown as { unref?: () => void };
      timer.unref?.();
    });
    await Promise.all(open.map(({ close }) => close()));
  }

  /** Ends all sessions immediately. */
  async close(): Promise<void> {
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(open.map(({ close }) => close()));
  }

  async #begin(request: Request, parsedBody: unknown): Promise<Response> {
    const release = this.#makeRoom();
    const { server, offer } = serverOf(this.#surface);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      maxRequestBodySize: this.#maxBodyBytes,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { transport, close, release, offer, usedAt: Date.now() });
      },
      onsessionclosed: (id) => {
        this.#sessions.delete(id);
        release();
      },
    });
    const close = () => server.close().then(release, release);
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody });
    // A rejected initialization leaves no session behind.
    if (transport.sessionId === undefined) await close();
    return response;
  }

  /** Reserves memory for a session, for which it ends the caller's own least recently used ones. */
  #makeRoom(): () => void {
    for (;;) {
      const [oldest] = this.#sessions;
      try {
        return this.#reserve(sessionBytes);
      } catch (error) {
        if (!oldest) throw error;
      }
      const [id, { close, release }] = oldest;
      this.#sessions.delete(id);
      void close();
      release();
    }
  }

  #sweep(): void {
    const now = Date.now();
    for (const [id, { usedAt, close }] of this.#sessions) {
      if (now - usedAt < idleMs && this.#sessions.size < maxSessions) continue;
      this.#sessions.delete(id);
      close();
    }
  }
}

const noSession = () =>
  Response.json({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null }, { status: 404 });
