import type { AccessWatch } from '../../domain/calls/access-watch.js';

/** Open event streams. */
export interface OpenStreams {
  /**
   * Tracks a response until it is sent, and ends a long-lived one when the caller's access ends. A call's own stream
   * ends with the call, whose access is checked before each request.
   */
  track(response: Response, options: StreamOptions): Response;
  /** Ends the long-lived ones. */
  endLongLived(): void;
  /** Ends all. */
  end(): void;
  /** Resolves when all other responses have been sent. */
  settled(): Promise<void>;
}

interface StreamOptions {
  /** Whether the stream does not end on its own. */
  readonly isLongLived: boolean;
  /** Throws if the caller's access has ended. */
  readonly check: () => Promise<unknown>;
}

interface OpenStream {
  readonly isLongLived: boolean;
  readonly ended: Promise<void>;
  end(): void;
}

/** Tracks streams, so that shutdown waits for responses but not for subscriptions. */
export function openStreams(accessWatch: AccessWatch): OpenStreams {
  const open = new Set<OpenStream>();
  return {
    track(response, { isLongLived, check }) {
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      if (!response.body || !isStream) return response;
      const { stream, ended, end } = endable(response.body);
      const entry: OpenStream = { isLongLived, ended, end };
      open.add(entry);
      const unwatch = isLongLived ? accessWatch.start(check, end) : () => {};
      void ended.then(() => {
        unwatch();
        open.delete(entry);
      });
      const { status, headers } = response;
      return new Response(stream, { status, headers });
    },
    endLongLived() {
      for (const { isLongLived, end } of open) if (isLongLived) end();
    },
    end() {
      for (const { end } of open) end();
    },
    async settled() {
      await Promise.all([...open].filter(({ isLongLived }) => !isLongLived).map(({ ended }) => ended));
    },
  };
}

/** Wraps a stream so that it can be ended early. */
function endable(body: ReadableStream<Uint8Array>) {
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let markEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve;
  });
  const stop = async (reason?: unknown) => {
    markEnded();
    await reader.cancel(reason).catch(() => {});
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          markEnded();
        } catch (error) {
          markEnded();
          throw error;
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
  return { stream, ended, end: () => void stop() };
}
