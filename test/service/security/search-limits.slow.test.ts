import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FairQueue } from '../../../service/src/common/fair-queue.js';
import type { ConnectionPool } from '../../../service/src/data/records/drivers/postgres/connection.js';
import { SearchLimits } from '../../../service/src/data/records/drivers/postgres/search-limits.js';
import type { Store } from '../../../service/src/data/records/types.js';
import { deferred } from '../../deferred.js';
import { collection, newFolder, newStore, removeBuilt, tasks, workerCode } from '../store/fixtures.js';
import {
  notesCollection,
  sampleNotes,
  searchSemantically,
  semanticOptions,
  textsOf,
} from '../store/semantic-sample.js';

afterAll(removeBuilt);

const words = Array.from({ length: 3000 }, (_, index) => `w${((index * 2_654_435_761) % 4_294_967_296).toString(36)}`);
const text = (seed: number, length: number) =>
  Array.from({ length }, (_, index) => words[(seed * 31 + index * index * 7) % words.length]).join(' ');

/** Many conditions that each read all texts without matching any. */
const slowFilter = (seed = 0) => ({
  or: Array.from({ length: 25 }, (_, index) => ({ fuzzy: { notes: text(seed + index, 4) } })),
});

const honest = { ...collection, connectorId: 'con_honest' };

/** A store with worker threads in which one search with `slowFilter` takes seconds. */
async function slowStore(options: { readonly searchTimeoutMs?: number; readonly readers?: number } = {}) {
  const worker = await workerCode();
  const store = await newStore({ folder: newFolder(), entities: [tasks], worker, ...options });
  for (let at = 0; at < 6000; at += 2000) {
    const records = Array.from({ length: 2000 }, (_, index) => ({
      id: `t${at + index}`,
      notes: text(at + index, 400),
    }));
    await store.write(collection, records);
  }
  await store.write(honest, [{ id: 'h', title: 'honest' }]);
  return store;
}

const slowSearch = (store: Store, seed?: number) =>
  store.search({ ...collection, params: { query: { filter: slowFilter(seed) } } }).then(
    () => 'finished',
    (error) => error,
  );

const msOf = async (work: Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work;
  return performance.now() - started;
};

describe('a search that takes too long', () => {
  it('ends at its time limit and frees its thread for other searches', async () => {
    const store = await slowStore({ searchTimeoutMs: 300, readers: 1 });
    const searching = slowSearch(store);
    const ms = await msOf(searching);
    expect(await searching).toMatchObject({
      code: 'timeout',
      message: 'The search did not finish within 0.3 s.',
      retryable: false,
    });
    expect(ms).toBeLessThan(3000);
    expect(await store.count(collection)).toBe(6000);
  }, 60_000);

  it('ends while comparing texts or sorting without an index', async () => {
    const store = await slowStore({ searchTimeoutMs: 5 });
    const like = { or: Array.from({ length: 40 }, (_, index) => ({ like: { notes: `%no ${index} such%` } })) };
    for (const query of [{ filter: like }, { sort: [{ notes: 'desc' }, { 'state.depth': 'asc' }] }]) {
      await expect(store.search({ ...collection, params: { query } })).rejects.toMatchObject({ code: 'timeout' });
    }
  }, 60_000);

  it('ends at one limit for all of its steps, if it is semantic', async () => {
    const store = await newStore({ folder: ':memory:', ...semanticOptions(), searchTimeoutMs: 1000 });
    await store.write(notesCollection, sampleNotes, textsOf);
    // Every look at the clock takes time, so that a step takes less than the limit, and all of them take more.
    let ms = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      ms += 140;
      return ms;
    });
    onTestFinished(() => void clock.mockRestore());
    await expect(searchSemantically(store, { prompt: 'car', mode: 'lexical' })).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it('does not block other tenants, no matter how many such searches there are', async () => {
    const store = await slowStore();
    const before = Array.from({ length: 8 }, (_, seed) => slowSearch(store, seed));
    const waits: number[] = [];
    for (let round = 0; round < 10; round++) {
      waits.push(await msOf(store.search({ ...honest, params: { query: { filter: { fuzzy: { title: 'honst' } } } } })));
    }
    expect(Math.max(...waits)).toBeLessThan(2000);
    await store.close();
    await Promise.all(before);
  }, 60_000);

  it('is cancelled when the store is closed', async () => {
    const store = await slowStore();
    const searches = Array.from({ length: 8 }, (_, seed) => slowSearch(store, seed));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await msOf(store.close())).toBeLessThan(3000);
    for (const search of searches) expect(String(await search)).toMatch(/has been closed/);
  }, 60_000);
});

describe('tenants sharing slots', () => {
  /** A tenant, or its caller after a slash. */
  const requester = (name: string) => {
    const [tenant = '', caller] = name.split('/');
    return caller ? { tenant, caller } : tenant;
  };

  it('take turns, and leave one slot for others', async () => {
    const queue = new FairQueue(() => [1, 2, 3]);
    const started: string[] = [];
    const jobs = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) => {
      const gate = deferred();
      const run = queue.run(name[0]!, () => {
        started.push(name);
        return gate.promise;
      });
      return { name, run, finish: gate.resolve };
    });
    const finish = async (name: string) => {
      const job = jobs.find((one) => one.name === name)!;
      job.finish();
      await job.run;
      await new Promise(setImmediate);
    };
    expect(started).toEqual(['a1', 'a2', 'b1']);
    await finish('a1');
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
    await finish('a2');
    expect(started.at(-1)).toBe('b2');
    queue.close(new Error('closed'));
    await expect(jobs[3]!.run).rejects.toThrow('closed');
    await expect(queue.run('c', async () => 1)).rejects.toThrow('closed');
  });

  it('share their turns among their callers', async () => {
    const queue = new FairQueue(() => [1, 2]);
    const started: string[] = [];
    const gates = Array.from({ length: 6 }, deferred);
    const jobs = ['a/x', 'a/x', 'a/x', 'a/x', 'a/y', 'b'].map((name, index) =>
      queue.run(requester(name), () => {
        started.push(name);
        return gates[index]!.promise;
      }),
    );
    for (const { resolve } of gates) resolve();
    await Promise.all(jobs);
    expect(started).toEqual(['a/x', 'b', 'a/x', 'a/y', 'a/x', 'a/x']);
  });

  it('are not waited for longer than the limit, except for jobs without a caller', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const queue = new FairQueue(() => [1], { ms: 1000, error: () => new Error('late') });
    const gate = deferred();
    const first = queue.run(requester('a/x'), () => gate.promise);
    const waiting = ['a/x', 'a/y', 'a'].map((name) =>
      queue.run(requester(name), async () => 'done').catch(({ message }) => message),
    );
    vi.advanceTimersByTime(1001);
    // The slot is still busy.
    expect(await Promise.all(waiting.slice(0, 2))).toEqual(['late', 'late']);
    const later = queue.run(requester('a/x'), async () => 'done');
    gate.resolve();
    await first;
    expect(await Promise.all([...waiting, later])).toEqual(['late', 'late', 'done', 'done']);
  });

  it('wait for a specific slot while other work uses the rest', async () => {
    const queue = new FairQueue(() => [1, 2]);
    const gate = deferred();
    const first = queue.run('a', () => gate.promise, 2);
    const second = queue.run('b', async (slot) => slot, 2);
    expect(await queue.run('b', async (slot) => slot)).toBe(1);
    gate.resolve();
    await first;
    expect(await second).toBe(2);
  });
});

it('the statements of a search in Postgres share its time limit', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const statements: string[] = [];
  const transaction: ConnectionPool['readTransaction'] = (work, timeoutMs) => {
    statements.push(`timeout ${timeoutMs}`);
    return work(async (sql) => {
      statements.push(sql);
      if (!sql.startsWith('set')) vi.advanceTimersByTime(400);
      return [];
    });
  };
  const pool = { readTransaction: transaction, writeTransaction: transaction, close: async () => undefined };
  const searching = new SearchLimits(pool, 1000).run('acme', async (query) => {
    for (const sql of ['first', 'second', 'third', 'fourth']) await query(sql);
  });
  await expect(searching).rejects.toThrow('The search did not finish within 1 s.');
  expect(statements).toEqual(['timeout 1000', 'first', 'second', 'set local statement_timeout = 200', 'third']);
});
