import { refusal } from '../../domain/refusal.js';
import type { Feed } from './feed.js';

/** Streams of server-sent events, as many as there are tabs. */
export interface EventStreams {
  /** Opens a stream that goes on from a place, while `stands` says that the session does. */
  open(asked: StreamRequest): Response;
  /** Ends those of one session. */
  end(session: string): void;
  /** Ends all, and lets none begin. */
  close(): void;
}

/** What a stream is opened with. */
export interface StreamRequest {
  readonly clientId: string;
  readonly session: string;
  readonly feed: Feed;
  /** The id of the last event that the tab has seen. */
  readonly place: string | undefined;
  readonly stands: () => Promise<boolean>;
}

/** How the streams behave. */
export interface StreamOptions {
  /** Streams that one client may have open. */
  readonly mostOfClient: number;
  /** Milliseconds between signs of life, when the session is looked at too. */
  readonly heartbeatMs: number;
  readonly report: (error: unknown) => void;
}

/** Keeps account of the streams. */
export function openEventStreams({ mostOfClient, heartbeatMs, report }: StreamOptions): EventStreams {
  const open = new Map<() => void, Pick<StreamRequest, 'clientId' | 'session'>>();
  let closed = false;
  return {
    open({ clientId, session, feed, place, stands }) {
      if (closed) throw refusal(503, 'network', 'The service is being stopped.', { retryable: true });
      if ([...open.values()].filter((one) => one.clientId === clientId).length >= mostOfClient) {
        throw refusal(429, 'rate_limited', `There are ${mostOfClient} open tabs of this client: close one.`, {
          retryable: true,
          retryAfterMs: 30_000,
        });
      }
      const body = streamOf(feed, place, stands, { heartbeatMs, report, ended: (end) => open.delete(end) });
      open.set(body.end, { clientId, session });
      return new Response(body.stream, {
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      });
    },
    end(session) {
      for (const [end, one] of [...open]) if (one.session === session) end();
    },
    close() {
      closed = true;
      for (const end of [...open.keys()]) end();
    },
  };
}

interface Surroundings extends Pick<StreamOptions, 'heartbeatMs' | 'report'> {
  readonly ended: (end: () => void) => void;
}

function streamOf(
  feed: Feed,
  begin: string | undefined,
  stands: () => Promise<boolean>,
  { heartbeatMs, report, ended }: Surroundings,
) {
  const encoder = new TextEncoder();
  let place = begin;
  let over = false;
  let stop = () => {};
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const write = (text: string) => controller.enqueue(encoder.encode(text));
  const finish = () => {
    if (over) return false;
    over = true;
    stop();
    ended(end);
    return true;
  };
  const end = () => {
    if (finish()) controller.close();
  };
  let sending = false;
  const send = async (first = false): Promise<void> => {
    // A tab that does not keep up is told later, and then all at once.
    if (sending || over || (controller.desiredSize ?? 0) <= 0) return;
    sending = true;
    try {
      const { id, change } = await feed.since(place);
      const { whole, changed, removed } = change;
      if (over || (!first && !whole && changed.length + removed.length === 0)) return;
      place = id;
      write(`id: ${id}\nevent: connectors\ndata: ${JSON.stringify(change)}\n\n`);
    } catch (error) {
      report(error);
      end();
    } finally {
      sending = false;
    }
  };
  const beaten = async (): Promise<void> => {
    const isSignedIn = await stands();
    if (over) return;
    if (!isSignedIn) {
      write('event: end\ndata: {}\n\n');
      return end();
    }
    if ((controller.desiredSize ?? 0) > 0) write(': \n\n');
    await send();
  };
  const stream = new ReadableStream<Uint8Array>({
    async start(given) {
      controller = given;
      const ignore = feed.listen(() => void send());
      const beat = setInterval(() => void beaten().catch(report), heartbeatMs);
      beat.unref();
      stop = () => {
        ignore();
        clearInterval(beat);
      };
      await send(true);
    },
    // Taken: what has changed since can follow.
    pull: () => send(),
    cancel: () => void finish(),
  });
  return { stream, end };
}
