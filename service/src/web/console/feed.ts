import { randomText } from '../../data/state/database.js';
import type { ConnectorOverview, OverviewChange } from './types.js';

/** What has changed since a place in the feed, and the place after it. */
export interface Change {
  readonly id: string;
  readonly change: OverviewChange;
}

/** Follows the connectors of one organisation as long as anybody listens. */
export interface Feed {
  /** What a listener has missed since the place that it names; all, where it names none that is known. */
  since(place: string | undefined): Promise<Change>;
  /** Calls back whenever something has changed, until the function that comes back is called. */
  listen(listener: () => void): () => void;
}

/** How a feed finds out. */
export interface FeedParts {
  readonly read: () => Promise<readonly ConnectorOverview[]>;
  readonly everyMs: number;
  readonly report: (error: unknown) => void;
}

interface Known {
  readonly revision: number;
  readonly json: string;
  /** Nothing where it is gone. */
  readonly overview: ConnectorOverview | undefined;
}

/** Looks again and again: another process may be the one that replicates. */
export function openFeed({ read, everyMs, report }: FeedParts): Feed {
  const feedId = randomText(8);
  const known = new Map<string, Known>();
  const listeners = new Set<() => void>();
  let revision = 0;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    const all = await read();
    const before = revision;
    const next = before + 1;
    for (const overview of all) {
      const json = JSON.stringify(overview);
      if (known.get(overview.id)?.json === json) continue;
      known.set(overview.id, { revision: next, json, overview });
      revision = next;
    }
    const ids = new Set(all.map(({ id }) => id));
    for (const [id, { overview }] of known) {
      if (ids.has(id) || !overview) continue;
      known.set(id, { revision: next, json: '', overview: undefined });
      revision = next;
    }
    if (revision !== before) for (const listener of listeners) listener();
  };
  const looked = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const follow = () => {
    clearTimeout(timer);
    if (listeners.size > 0) void looked().catch(report).finally(wait);
  };
  const wait = () => {
    clearTimeout(timer);
    if (listeners.size > 0) timer = setTimeout(follow, everyMs).unref();
  };

  return {
    async since(place) {
      // What nobody has followed for a while is not what it was.
      if (looking) await looking;
      else if (revision === 0 || listeners.size === 0) await looked();
      const [name, text] = place?.split('.') ?? [];
      const from = Number(text);
      const resumed = name === feedId && Number.isSafeInteger(from) && from <= revision;
      const newer = [...known].filter(([, one]) => !resumed || one.revision > from);
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
