import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, expect, test, vi } from 'vitest';
import { fakeFetch, json } from './fake-fetch.js';
import { shelfConnector } from './shelf.js';

afterEach(() => void vi.restoreAllMocks());

/** Runs work the way a worker does: the timers it sets end with it. */
function likeRequests() {
  const current = new AsyncLocalStorage<Set<ReturnType<typeof setTimeout>>>();
  const set = globalThis.setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms: number) => {
    const timer = set(work, ms);
    current.getStore()?.add(timer);
    return timer;
  }) as typeof setTimeout);
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const timers = new Set<ReturnType<typeof setTimeout>>();
    try {
      return await current.run(timers, work);
    } finally {
      timers.forEach(clearTimeout);
    }
  };
}

test('waiting calls continue after the request that set the timer has ended', async () => {
  const Limited = shelfConnector({ limits: { windows: [{ requests: 2, perMs: 50 }] } });
  const { fetch, sent } = fakeFetch(() => json({ books: [] }));
  const connector = new Limited({ credentials: { api_key: 'of-many-requests' }, fetch, timeoutMs: 30_000 });
  await connector.execute('books', 'list');
  const request = likeRequests();
  await Promise.all(Array.from({ length: 9 }, () => request(() => connector.execute('books', 'list'))));
  expect(sent).toHaveLength(10);
});
