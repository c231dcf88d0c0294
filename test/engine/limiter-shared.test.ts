import type { SharedLimits } from 'agent-connectors';
import { expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { shelfConnector } from './shelf.js';
import { advanceUntilSettled, freezeTime, skipBackoff, warmUpAndFreezeTime } from './time.js';

const windows = [{ requests: 2, perMs: 1000 }];
let made = 0;

/** Another process that uses the same limits. */
function startProcess(sharedLimits: SharedLimits, answer = () => json({ books: [] })) {
  const { fetch, sent } = fakeFetch(answer);
  const Shelf = shelfConnector({ limits: { windows } });
  const shelf: { execute(...call: any[]): Promise<unknown> } = new Shelf({
    credentials: { api_key: `shared-key-${++made}` },
    fetch,
    sharedLimits,
  });
  return { list: (more?: object) => shelf.execute('books', 'list', {}, more), sent };
}

/** Rate windows for several processes, counted as if the processes were one. */
function counted(): SharedLimits {
  const taken: number[] = [];
  return {
    async take([window]) {
      const first = taken.at(-window!.requests);
      const wait = first === undefined ? 0 : Math.max(0, first + window!.perMs - Date.now());
      if (wait === 0) taken.push(Date.now());
      return wait;
    },
    pause() {},
  };
}

it('requests from several processes wait for their shared limits', async () => {
  await warmUpAndFreezeTime();
  const limits = counted();
  const processes = [startProcess(limits), startProcess(limits)];
  const began = Date.now();
  await advanceUntilSettled(Promise.all([0, 1, 0, 1, 0].map((index) => processes[index]!.list())), 10);
  const times = processes.flatMap(({ sent }) => sent.map(({ at }) => at)).sort((one, other) => one - other);
  expect(times.filter((at) => at - times[0]! < 1000)).toHaveLength(2);
  expect(times.filter((at) => at - times[0]! < 2000)).toHaveLength(4);
  expect(Date.now() - began).toBeLessThan(2200);
});

it('a call whose turn would come too late fails immediately without sending anything', async () => {
  freezeTime();
  const { list, sent } = startProcess({ take: async () => 60_000, pause() {} });
  const error = await failure(list({ timeoutMs: 5000 }));
  expect([error.code, error.retryAfterMs, sent.length]).toEqual(['rate_limited', 60_000, 0]);
});

it('a pause requested by the vendor applies to every process', async () => {
  skipBackoff();
  const paused: number[] = [];
  const { list } = startProcess({ take: () => 0, pause: (ms) => void paused.push(ms) }, () =>
    json({}, 429, { 'retry-after': '600' }),
  );
  expect((await failure(list())).code).toBe('rate_limited');
  expect(paused.map((ms) => Math.round(ms / 1000))).toEqual([600]);
});
