import type { ConnectorOverview, OverviewChange } from 'agent-connectors/wire';
import { randomText } from '../../data/state/database.js';

/** Changes since a position in the feed, along with the next position. */
export interface FeedUpdate {
  readonly id: string;
  readonly change: OverviewChange;
}

/** Tracks an organization's connectors while there are listeners. */
export interface Feed {
  /** Changes since the given position, or everything if it is unknown. */
  since(lastEventId: string | undefined): Promise<FeedUpdate>;
  /** Calls `listener` on every change; returns a function that unsubscribes. */
  listen(listener: () => void): () => void;
}

/** Dependencies of a feed. */
export interface FeedDependencies {
  readonly read: () => Promise<readonly ConnectorOverview[]>;
  readonly intervalMs: number;
  readonly report: (error: unknown) => void;
}

interface TrackedConnector {
  readonly revision: number;
  readonly json: string;
  /** Undefined if it was deleted. */
  readonly overview: ConnectorOverview | undefined;
}

/** Polls, because another process may be running the syncs. */
export function openFeed({ read, intervalMs, report }: FeedDependencies): Feed {
  const feedId = randomText(8);
  const tracked = new Map<string, TrackedConnector>();
  const listeners = new Set<() => void>();
  let revision = 0;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;

  const poll = async (): Promise<void> => {
    const all = await read();
    const before = revision;
    const next = before + 1;
    for (const overview of all) {
      const json = JSON.stringify(overview);
      if (tracked.get(overview.id)?.json === json) continue;
      tracked.set(overview.id, { revision: next, json, overview });
      revision = next;
    }
    const ids = new Set(all.map(({ id }) => id));
    for (const [id, { overview }] of tracked) {
      if (ids.has(id) || !overview) continue;
      tracked.set(id, { revision: next, json: '', overview: undefined });
      revision = next;
    }
    if (revision !== before) for (const listener of listeners) listener();
  };
  const pollOnce = (): Promise<void> => {
    polling ??= poll().finally(() => {
      polling = undefined;
    });
    return polling;
  };
  const follow = () => {
    clearTimeout(timer);
    if (listeners.size > 0) void pollOnce().catch(report).finally(wait);
  };
  const wait = () => {
    clearTimeout(timer);
    if (listeners.size > 0) timer = setTimeout(follow, intervalMs).unref();
  };

  return {
    async since(lastEventId) {
      // Without listeners, the cached state becomes stale.
      if (polling) await polling;
      else if (revision === 0 || listeners.size === 0) await pollOnce();
      const [name, text] = lastEventId?.split('.') ?? [];
      const from = Number(text);
      const resumed = name === feedId && Number.isSafeInteger(from) && from <= revision;
      const newer = [...tracked].filter(([, one]) => !resumed || one.revision > from);
      return {
        id: `${feedId}.${revision}`,
        change: {
          whole: !resumed,
          changed: newer.flatMap(([, { overview }]) => overview ?? []),
          removed: resumed ? newer.flatMap(([id, { overview }]) => (overview ? [] : [id])) : [],
        },
      };
    },
    listen(listener) {
      listeners.add(listener);
      if (listeners.size === 1) follow();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) clearTimeout(timer);
      };
    },
  };
}
