import { ConnectorError } from 'agent-connectors';
import type { ChangePage, Store } from '../../data/records/index.js';
import type { State } from '../../data/state/types.js';
import type { RecordFeed, RecordMessage } from '../../data/state/webhooks/types.js';
import type { Definitions } from '../connectors/definitions.js';
import { denialOf } from '../connectors/gate.js';

/** Dependencies of record events. */
interface RecordEventDependencies {
  readonly definitions: Definitions;
  readonly state: Pick<State, 'access' | 'webhooks'>;
  readonly store: Store;
  /** Starts the delivery of new messages. */
  readonly deliver: () => void;
  readonly report: (error: unknown, requestId: string) => void;
}

const pollIntervalMs = 1_000;
/** Maximum number of records per message. */
const batchSize = 100;

const eventOf = { added: 'record.created', updated: 'record.updated', deleted: 'record.deleted' } as const;

/** Turns changes of replicated records into messages, together with other processes that use the same data. */
export function openRecordEvents({ definitions, state, store, deliver, report }: RecordEventDependencies): {
  close(): Promise<void>;
} {
  let isClosing = false;
  let running: Promise<void> | undefined;
  const emitAll = async (): Promise<void> => {
    let feeds = await state.webhooks.recordFeeds();
    // A page of each at a time, so that no feed waits for all the changes of another.
    while (feeds.length > 0 && !isClosing) {
      const unfinished: RecordFeed[] = [];
      for (const feed of feeds) {
        if (isClosing) return;
        const next = await emitPage({ definitions, state }, store, feed).catch((error) => {
          // Another feed may work; this one is tried again.
          report(error, 'webhooks');
          return undefined;
        });
        if (next) unfinished.push(next);
        deliver();
      }
      feeds = unfinished;
    }
  };
  const timer = setInterval(() => {
    running ??= emitAll()
      .catch((error) => report(error, 'webhooks'))
      .finally(() => {
        running = undefined;
      });
  }, pollIntervalMs);
  timer.unref();
  return {
    async close() {
      isClosing = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** Adds the changes of one page; returns the feed at its new position if there is more. */
async function emitPage(
  { definitions, state: { access, webhooks } }: Pick<RecordEventDependencies, 'definitions' | 'state'>,
  store: Store,
  feed: RecordFeed,
): Promise<RecordFeed | undefined> {
  const { connector, entity } = feed;
  const isKnown = store.entities.some((known) => known.type === connector.type && known.entity === entity);
  if (!isKnown) return undefined;
  // What must not be searched is not in the change feed either.
  const rules = await access.policies(connector);
  if (!rules || denialOf(rules, definitions.of(connector.type), entity, 'context_store_search')) return undefined;
  const collection = { connectorId: connector.id, type: connector.type, entity };
  if (feed.cursor === undefined && !feed.isNewConnector) {
    await webhooks.emitRecords(feed, await store.changesCursor(collection), []);
    return undefined;
  }
  const { page, restarted } = await pageAt(store, collection, feed.cursor);
  if (page.cursor === feed.cursor) return undefined;
  const messages = (['added', 'updated', 'deleted'] as const).flatMap((change): RecordMessage[] => {
    const changed = page.changes.filter((one) => one.change === change);
    const event = eventOf[change];
    if (changed.length === 0 || !feed.events.includes(event)) return [];
    const records = changed.map(({ id, at }) => ({ id, changed_at: new Date(at).toISOString() }));
    return [{ event, records, ...(restarted && { restarted }) }];
  });
  const isAdded = await webhooks.emitRecords(feed, page.cursor, messages);
  return isAdded && page.has_more ? { ...feed, cursor: page.cursor } : undefined;
}

/** The page at a position; the first one if changes since then have been forgotten. */
async function pageAt(
  store: Store,
  collection: Parameters<Store['changes']>[0],
  cursor: string | undefined,
): Promise<{ readonly page: ChangePage; readonly restarted: boolean }> {
  try {
    return { page: await store.changes(collection, { cursor, limit: batchSize }), restarted: false };
  } catch (error) {
    if (!ConnectorError.is(error) || error.code !== 'cursor_expired') throw error;
    return { page: await store.changes(collection, { limit: batchSize }), restarted: true };
  }
}
