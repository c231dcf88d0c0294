import type { AccessWatch } from '../../domain/calls/access-watch.js';
import { httpError } from '../../domain/http-error.js';
import type { Feed } from './feed.js';

/** Server-sent event streams, one per open tab. */
export interface EventStreams {
  /**
   * Opens a stream from a position; it stays open until `isSessionValid` reports that the session has ended or lost
   * access.
   */
  open(request: StreamRequest): Response;
  /** Ends the streams of one session. */
  end(session: string): void;
  /** Ends all streams and does not open new ones. */
  close(): void;
}

/** How to open a stream. */
export interface StreamRequest {
  readonly clientId: string;
  readonly session: string;
  readonly feed: Feed;
  /** Id of the last event that the tab received. */
  readonly lastEventId: string | undefined;
  readonly isSessionValid: () => Promise<boolean>;
}

/** Options for the streams. */
export interface StreamOptions {
  /** Maximum number of open streams per client. */
  readonly maxPerClient: number;
  /** Milliseconds between heartbeats; the session is checked before each heartbeat and each change. */
  readonly heartbeatMs: number;
  /** Checks the session when access has changed. */
  readonly accessWatch: AccessWatch;
  readonly report: (error: unknown) => void;
}

export function openEventStreams({ maxPerClient, heartbeatMs, accessWatch, report }: StreamOptions): EventStreams {
  const open = new Map<() => void, Pick<StreamRequest, 'clientId' | 'session'>>();
  let closed = false;
  return {
    open({ clientId, session, feed, lastEventId, isSessionValid }) {
      if (closed) throw httpError(503, 'network', 'The service is shutting down.', { retryable: true });
      if ([...open.values()].filter((one) => one.clientId === clientId).length >= maxPerClient) {
        throw httpError(429, 'rate_limited', `This client has ${maxPerClient} open tabs: close one.`, {
          retryable: true,
          retryAfterMs: 30_000,
        });
      }
      const body = createStream(feed, lastEventId, isSessionValid, {
        heartbeatMs,
        accessWatch,
        report,
        onEnd: (end) => open.delete(end),
      });
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

interface StreamContext extends Omit<StreamOptions, 'maxPerClient'> {
  readonly onEnd: (end: () => void) => void;
}

function createStream(
  feed: Feed,
  resumeAfter: string | undefined,
  isSessionValid: () => Promise<boolean>,
  { heartbeatMs, accessWatch, report, onEnd }: StreamContext,
) {
  const encoder = new TextEncoder();
  let lastEventId = resumeAfter;
  let isClosed = false;
  let stop = () => {};
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const write = (text: string) => controller.enqueue(encoder.encode(text));
  const finish = () => {
    if (isClosed) return false;
    isClosed = true;
    stop();
    onEnd(end);
    return true;
  };
  const end = () => {
    if (finish()) controller.close();
  };
  const mayGoOn = async (): Promise<boolean> => {
    const isValid = await isSessionValid();
    if (isClosed) return false;
    if (!isValid) {
      write('event: end\ndata: {}\n\n');
      end();
    }
    return isValid;
  };
  let sending = false;
  const send = async (first = false): Promise<void> => {
    // A slow tab gets accumulated changes later.
    if (sending || isClosed || (controller.desiredSize ?? 0) <= 0) return;
    sending = true;
    try {
      const { id, change } = await feed.since(lastEventId);
      const { whole, changed, removed } = change;
      if (isClosed || (!first && !whole && changed.length + removed.length === 0)) return;
      if (!(await mayGoOn())) return;
      lastEventId = id;
      write(`id: ${id}\nevent: connectors\ndata: ${JSON.stringify(change)}\n\n`);
    } catch (error) {
      report(error);
      end();
    } finally {
      sending = false;
    }
  };
  const onHeartbeat = async (): Promise<void> => {
    if (!(await mayGoOn())) return;
    if ((controller.desiredSize ?? 0) > 0) write(': \n\n');
    await send();
  };
  const stream = new ReadableStream<Uint8Array>({
    async start(streamController) {
      controller = streamController;
      const ignore = feed.listen(() => void send());
      const beat = setInterval(() => void onHeartbeat().catch(report), heartbeatMs);
      beat.unref();
      const unwatch = accessWatch.start(mayGoOn, end);
      stop = () => {
        unwatch();
        ignore();
        clearInterval(beat);
      };
      await send(true);
    },
    // The previous event has been read, so send what has changed since.
    pull: () => send(),
    cancel: () => void finish(),
  });
  return { stream, end };
}
