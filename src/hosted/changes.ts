import type { ChangesPage, ReadChanges } from '../wire/index.js';

/** Which changes to follow, and how. */
export interface FollowChanges extends ReadChanges {
  /** Whether to wait for more changes instead of ending. */
  readonly follow?: boolean | undefined;
  /** Time between requests while there are no changes, in milliseconds; 10,000 by default. */
  readonly intervalMs?: number | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** Pages of a change feed, from a function that reads one. */
export async function* followChanges(
  read: (query: ReadChanges) => Promise<ChangesPage>,
  { follow = false, intervalMs = 10_000, signal, ...query }: FollowChanges,
): AsyncGenerator<ChangesPage, void, undefined> {
  for (let { cursor } = query; !signal?.aborted; ) {
    const page = await read({ ...query, cursor });
    cursor = page.meta.cursor ?? cursor;
    yield page;
    if (page.meta.has_more) continue;
    if (!follow) return;
    await pause(intervalMs, signal);
  }
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
