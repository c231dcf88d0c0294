import type { ConnectorOverview, OverviewChange } from 'agent-connectors/wire';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, requireOk, send } from './api.js';

/** Connectors reported by the event stream. */
export interface ConnectorFeed {
  /** Undefined before the first event. */
  readonly connectors: readonly ConnectorOverview[] | undefined;
  /** Whether the stream is open. */
  readonly live: boolean;
  readonly error: Error | undefined;
}

interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Follows all connectors; a broken stream is resumed. */
export function useConnectors(organization: string | undefined): ConnectorFeed {
  const [feed, setFeed] = useState<ConnectorFeed>({ connectors: undefined, live: false, error: undefined });
  useEffect(() => {
    const aborting = new AbortController();
    follow(setFeed, aborting.signal);
    return () => aborting.abort();
  }, [organization]);
  return feed;
}

async function follow(set: (feed: ConnectorFeed) => void, signal: AbortSignal): Promise<void> {
  const known = new Map<string, ConnectorOverview>();
  let connectors: readonly ConnectorOverview[] | undefined;
  let lastEventId: string | undefined;
  let failures = 0;
  set({ connectors, live: false, error: undefined });
  while (!signal.aborted) {
    let error: Error | undefined;
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      };
      const response = await requireOk(await send('/console/events', { headers, signal }));
      for await (const message of messagesOf(response)) {
        failures = 0;
        if (message.event === 'end') break;
        lastEventId = message.id;
        applyChange(JSON.parse(message.data) as OverviewChange, known);
        connectors = [...known.values()].sort((one, other) => (one.created_at < other.created_at ? -1 : 1));
        set({ connectors, live: true, error: undefined });
      }
    } catch (failure) {
      if (signal.aborted) return;
      error = failure as Error;
      if (error instanceof ApiError && error.status === 401) return;
    }
    failures += 1;
    if (!signal.aborted) set({ connectors, live: false, error });
    await delay(Math.min(30_000, 500 * 2 ** failures), signal);
  }
}

function applyChange({ whole, changed, removed }: OverviewChange, known: Map<string, ConnectorOverview>): void {
  if (whole) known.clear();
  for (const connector of changed) known.set(connector.id, connector);
  for (const id of removed) known.delete(id);
}

async function* messagesOf(response: Response): AsyncGenerator<Message> {
  const reader = response.body?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, never>).getReader();
  let rest = '';
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const fields = new Map(part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), afterColon(line)]));
      const data = fields.get('data');
      if (data !== undefined) yield { id: fields.get('id') ?? '', event: fields.get('event') ?? 'message', data };
    }
  }
}

const afterColon = (line: string): string => line.slice(line.indexOf(':') + 1).trim();

const delay = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
