import { randomText } from '../../data/state/database.js';
import type { ConnectorOverview, OverviewChange } from './types.js';

/** What has changed since a place in the feed, and the place after it. */
export interface FeedUpdate {
  readonly id: string;
  readonly change: OverviewChange;
}

/** Follows the connectors of one organisation as long as anybody listens. */
export interface Feed {
  /** What a listener has missed since the place that it names; all, where it names none that is known. */
  since(lastEventId: string | undefined): Promise<FeedUpdate>;
  /** Calls back whenever something has changed, until the function that comes back is called. */
  listen(listener: () => void): () => void;
}

/** How a feed finds out. */
export interface FeedDependencies {
  readonly read: () => Promise<readonly ConnectorOverview[]>;
  readonly intervalMs: number;
  readonly report: (error: unknown) => void;
}

interface TrackedConnector {
  readonly revision: number;
  readonly json: string;
  /** Nothing where it is gone. */
  readonly overview: ConnectorOverview | undefined;
}

/** Looks again and again: another process may be the one that replicates. */
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
      // What nobody has followed for a while is not what it was.
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
