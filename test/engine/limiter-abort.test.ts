import { expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { key, shelfConnector } from './shelf.js';
import { advanceUntilSettled, flushEventLoop, waitUntil, warmUpAndFreezeTime } from './time.js';

it('a call aborted at the moment it gets a slot passes it on', async () => {
  await warmUpAndFreezeTime();
  const lost: number[] = [];
  for (let ticks = 0; ticks < 80; ticks++) {
    const Limited = shelfConnector({ limits: { concurrent: 1 } });
    let answer = (_: Response) => {};
    let count = 0;
    const { fetch, sent } = fakeFetch(() =>
      ++count === 1
        ? new Promise<Response>((resolve) => {
            answer = resolve;
          })
        : json({ books: [] }),
    );
    const connector = new Limited({ credentials: key, fetch });
    const controller = new AbortController();
    const first = connector.execute('books', 'list');
    await waitUntil(() => sent.length === 1);
    const second = failure(connector.execute('books', 'list', {}, { signal: controller.signal })).catch(() => {});
    await flushEventLoop();
    const reply = json({ books: [] });
    answer(reply);
    // Reading a body takes macrotasks; after that, the moment is found by counting microtasks.
    const text = reply.text.bind(reply);
    reply.text = async () => {
      const got = await text();
      void (async () => {
        for (let n = 0; n < ticks; n++) await null;
        controller.abort();
      })();
      return got;
    };
    await first;
    await second;
    const third = await advanceUntilSettled(connector.execute('books', 'list', {}, { timeoutMs: 60 })).then(
      () => 'ok',
      (e) => e.code,
    );
    if (third !== 'ok') lost.push(ticks);
  }
  expect(lost).toEqual([]);
});
