/** Streams of events that are being sent. */
export interface OpenStreams {
  /** The same response, known here until it has been sent; one that `stands` has no end of its own. */
  watched(response: Response, stands: boolean): Response;
  /** Ends those that stand. */
  endStanding(): void;
  /** Ends all. */
  end(): void;
  /** Resolves when those that do not stand have been sent. */
  settled(): Promise<void>;
}

interface Open {
  readonly stands: boolean;
  readonly ended: Promise<void>;
  end(): void;
}

/** Keeps account of streams, so that a stop can wait for answers and need not wait for subscriptions. */
export function openStreams(): OpenStreams {
  const open = new Set<Open>();
  return {
    watched(response, stands) {
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      if (!response.body || !isStream) return response;
      const { stream, ended, end } = endable(response.body);
      const entry: Open = { stands, ended, end };
      open.add(entry);
      void ended.then(() => open.delete(entry));
      const { status, headers } = response;
      return new Response(stream, { status, headers });
    },
    endStanding() {
      for (const { stands, end } of open) if (stands) end();
    },
    end() {
      for (const { end } of open) end();
    },
    async settled() {
      await Promise.all([...open].filter(({ stands }) => !stands).map(({ ended }) => ended));
    },
  };
}

/** The same bytes, in a stream that can be ended from here. */
function endable(body: ReadableStream<Uint8Array>) {
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let over = () => {};
  const ended = new Promise<void>((resolve) => {
    over = resolve;
  });
  const stop = async (reason?: unknown) => {
    over();
    await reader.cancel(reason).catch(() => {});
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          over();
        } catch (error) {
          over();
          throw error;
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
  return { stream, ended, end: () => void stop() };
}
