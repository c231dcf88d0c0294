import { ConnectorError } from 'agent-connectors';
import type { Embedder } from 'agent-connectors-service';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '../../../service/src/common/log.js';
import { type BackgroundOptions, openEmbedding } from '../../../service/src/data/records/passages/embed-background.js';
import { openaiEmbedder } from '../../../service/src/data/search/embedding/openai.js';
import { passageStore } from './memory.js';
import { type EmbedderOptions, startEmbedder, vectorOf } from './server.js';

/** Waits long enough for a busy machine. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 5 });

/** An in-process embedder: rejects what `refuses` selects and counts calls in progress. */
function localEmbedder({
  id = 'local',
  refuses,
  gate,
}: {
  readonly id?: string;
  readonly refuses?: (texts: readonly string[], count: number) => Error | undefined;
  readonly gate?: (signal: AbortSignal | undefined) => Promise<void>;
} = {}) {
  const calls: (readonly string[])[] = [];
  const load = { now: 0, most: 0 };
  const embedder: Embedder = {
    id,
    async embed(texts, _, signal) {
      calls.push(texts);
      load.now += 1;
      load.most = Math.max(load.most, load.now);
      try {
        await gate?.(signal);
        const error = refuses?.(texts, calls.length);
        if (error) throw error;
        return texts.map((text) => vectorOf(text, 8));
      } finally {
        load.now -= 1;
      }
    },
  };
  return { embedder, calls, load };
}

function open(options: Pick<BackgroundOptions, 'store' | 'embedders'> & Partial<BackgroundOptions>) {
  const lines: { readonly level: string; readonly msg: string }[] = [];
  const logger = createLogger({ destination: { write: (line) => lines.push(JSON.parse(line)) } });
  const embedding = openEmbedding({ logger, pollMs: 5, backOffMs: 1, ...options });
  onTestFinished(() => embedding.close());
  return { embedding, lines };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `text ${index + 1}`);
const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const tooLong = new ConnectorError('too_large', 'Too long.');

describe('passages', () => {
  test('are embedded in the background, two batches at a time, with batches that grow to 64', async () => {
    const { store, embedded, writes } = passageStore(...numbered(300));
    const { embedder, load } = localEmbedder({ gate: () => new Promise((resolve) => setTimeout(resolve, 2)) });
    const { embedding } = open({ store, embedders: [embedder], now: () => 0 });
    expect(embedding.status()).toEqual({ embedder: 'local', pending: true, error: null });
    await eventually(() => expect(embedding.status().pending).toBe(false));
    expect(embedded('local')).toEqual(ids(300));
    expect(writes.map(({ passages }) => passages.length)).toEqual([8, 8, 16, 32, 64, 64, 64, 44]);
    expect(load.most).toBe(2);
  });

  test('are embedded in small batches if embedding is slow, with progress logged every minute', async () => {
    const { store, writes } = passageStore(...numbered(60));
    let time = 0;
    const slow = async () => {
      time += 10_000;
    };
    const { embedder } = localEmbedder({ gate: slow });
    const { lines } = open({ store, embedders: [embedder], now: () => time });
    await eventually(() => expect(lines.at(-1)?.msg).toBe('embedding finished'));
    const sizes = writes.map(({ passages }) => passages.length);
    expect([sizes[0], sizes.at(-1)]).toEqual([8, 1]);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.slice(0, -1).every(({ msg }) => msg === 'embedding in progress')).toBe(true);
    expect(lines.at(-1)).toMatchObject({ level: 'info', embedder: 'local', passages: 60 });
  });

  test('are detected when added later, immediately if signaled', async () => {
    const { store, embedded, add } = passageStore();
    const { embedder } = localEmbedder();
    const { embedding } = open({ store, embedders: [embedder], pollMs: 60_000 });
    await eventually(() => expect(embedding.status().pending).toBe(false));
    add('one');
    embedding.wake();
    expect(embedding.status().pending).toBe(true);
    await eventually(() => expect(embedded('local')).toEqual([1]));
    const polling = open({ store, embedders: [localEmbedder({ id: 'other' }).embedder] });
    await eventually(() => expect(polling.embedding.status().pending).toBe(false));
    add('two');
    await eventually(() => expect(embedded('other')).toEqual([1, 2]));
  });

  test('can be embedded by several processes', async () => {
    const { store, embedded } = passageStore(...numbered(200));
    const both = [localEmbedder(), localEmbedder()].map(({ embedder }) => open({ store, embedders: [embedder] }));
    await eventually(() => expect(both.map(({ embedding }) => embedding.status().pending)).toEqual([false, false]));
    expect(embedded('local')).toEqual(ids(200));
  });
});

describe('vectors from a previous embedder', () => {
  test('are deleted once the active embedder has processed all passages, but not before', async () => {
    const { store, embedded, keptEmbedders } = passageStore(...numbered(100));
    await store.embed('old', [{ passage: 1, vector: vectorOf('text 1', 8) }]);
    let failing = true;
    const { embedder } = localEmbedder({ refuses: () => (failing ? new Error('down') : undefined) });
    const { embedding } = open({ store, embedders: [embedder, localEmbedder({ id: 'old' }).embedder] });
    await eventually(() => expect(embedding.status().error).toBe('down'));
    expect([embedded('old'), keptEmbedders]).toEqual([[1], []]);
    failing = false;
    await eventually(() => expect(keptEmbedders).toEqual([['local']]));
    expect([embedded('local'), embedded('old')]).toEqual([ids(100), []]);
  });

  test('are deleted only once, so that a process still using them can continue', async () => {
    const { store, add, keptEmbedders, embedded } = passageStore('one');
    const { embedding } = open({ store, embedders: [localEmbedder().embedder] });
    await eventually(() => expect(keptEmbedders).toHaveLength(1));
    await store.embed('old', [{ passage: 1, vector: vectorOf('one', 8) }]);
    add('two');
    embedding.wake();
    await eventually(() => expect(embedded('local')).toEqual([1, 2]));
    await eventually(() => expect(embedding.status().pending).toBe(false));
    expect([keptEmbedders.length, embedded('old')]).toEqual([1, [1]]);
  });
});

describe('a failure', () => {
  test('is logged once, and embedding recovers', async () => {
    const { store, embedded } = passageStore(...numbered(100));
    let down = true;
    const { embedder, calls } = localEmbedder({
      refuses: () => (down ? new ConnectorError('network', 'Not there.', { hint: 'Start it.' }) : undefined),
    });
    const { embedding, lines } = open({ store, embedders: [embedder] });
    await eventually(() => expect(calls.length).toBeGreaterThanOrEqual(6));
    expect(embedding.status()).toEqual({ embedder: 'local', pending: true, error: 'Not there. Start it.' });
    down = false;
    await eventually(() => expect(embedding.status()).toEqual({ embedder: 'local', pending: false, error: null }));
    expect(embedded('local')).toEqual(ids(100));
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['warn', 'embedding failed; retrying'],
      ['info', 'embedding recovered'],
    ]);
  });

  test('in the store is reported, and embedding recovers', async () => {
    const memory = passageStore('one');
    memory.break(new Error('database is locked'));
    const { embedding } = open({ store: memory.store, embedders: [localEmbedder().embedder] });
    await eventually(() => expect(embedding.status().error).toBe('database is locked'));
    memory.break(undefined);
    await eventually(() => expect(embedding.status()).toMatchObject({ pending: false, error: null }));
    expect(memory.embedded('local')).toEqual([1]);
  });

  test('is followed by the delay that the embedder requested, even if woken earlier', async () => {
    const { store } = passageStore('one');
    const { embedder, calls } = localEmbedder({
      refuses: () => new ConnectorError('rate_limited', 'Later.', { retryAfterMs: 60_000 }),
    });
    const { embedding } = open({ store, embedders: [embedder] });
    await eventually(() => expect(embedding.status().error).toBe('Later.'));
    embedding.wake();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(calls).toHaveLength(1);
  });

  test('that affects every text is not attributed to individual passages', async () => {
    const { store, embedded } = passageStore(...numbered(8));
    const { embedder, calls } = localEmbedder({
      refuses: () => new ConnectorError('invalid_params', 'No such option.'),
    });
    const { embedding } = open({ store, embedders: [embedder], backOffMs: 60_000 });
    await eventually(() => expect(embedding.status().error).toBe('No such option.'));
    expect([calls.map(({ length }) => length), embedded('local')]).toEqual([[8, 1], []]);
  });
});

describe('a rejected passage', () => {
  test('does not block the others', async () => {
    const { store, embedded, add } = passageStore(...numbered(99), 'poison');
    const { embedder, calls } = localEmbedder({ refuses: (texts) => (texts.includes('poison') ? tooLong : undefined) });
    let time = 0;
    const { embedding, lines } = open({ store, embedders: [embedder], now: () => time });
    await eventually(() => expect(embedding.status().pending).toBe(false));
    expect(embedded('local')).toEqual(ids(99));
    expect(embedding.status().error).toBe('The embedder rejected 1 passages.');
    expect(lines).toMatchObject([{ level: 'warn', passages: [100] }]);
    add('one more');
    await eventually(() => expect(embedded('local')).toEqual([...ids(99), 101]));
    // It is retried, but not right away.
    const before = calls.length;
    time += 2 * 60 * 60_000;
    await eventually(() => expect(calls.slice(before).flat()).toContain('poison'));
  });

  test('has only its beginning embedded if it is too long', async () => {
    const { store, embedded } = passageStore(...numbered(63), 'x'.repeat(700));
    const { embedder, calls } = localEmbedder({
      refuses: (texts) => (texts.some(({ length }) => length > 200) ? tooLong : undefined),
    });
    const { embedding } = open({ store, embedders: [embedder] });
    await eventually(() => expect(embedding.status()).toMatchObject({ pending: false, error: null }));
    expect(embedded('local')).toEqual(ids(64));
    expect(calls).toContainEqual(['x'.repeat(175)]);
  });

  test('reduces the size of later batches if it made a batch too large', async () => {
    const fail: EmbedderOptions['fail'] = ({ input }) =>
      input.length > 20 ? { status: 422, body: { message: 'batch size > maximum allowed batch size 20' } } : undefined;
    const server = await startEmbedder({ fail });
    onTestFinished(() => server.close());
    const { store, embedded } = passageStore(...numbered(400));
    const embedder = openaiEmbedder({ url: server.url, model: 'words' });
    const { embedding } = open({ store, embedders: [embedder] });
    await eventually(() => expect(embedding.status()).toMatchObject({ pending: false, error: null }));
    expect(embedded(embedder.id)).toEqual(ids(400));
    const sizes = server.requests.map(({ input }) => input.length);
    expect(sizes.filter((size) => size > 20).length).toBeLessThanOrEqual(6);
    expect(Math.max(...sizes.slice(-10))).toBe(16);
  });

  test('is not skipped permanently if the embedder fails afterwards', async () => {
    let probes = 0;
    const { store, embedded } = passageStore('one', 'two');
    const { embedder } = localEmbedder({
      refuses: (texts) => {
        if (texts[0] === 'text') probes += 1;
        return probes === 2 || (probes < 2 && texts[0] !== 'text')
          ? new ConnectorError('vendor_error', 'Down.')
          : undefined;
      },
    });
    const { lines } = open({ store, embedders: [embedder] });
    await eventually(() => expect(embedded('local')).toEqual([1, 2]));
    expect(lines[0]!.msg).toBe('embedding failed; retrying');
    expect(lines.map(({ msg }) => msg).join()).not.toContain('refuses');
  });
});

describe('closing', () => {
  test('waits for the running batch and does not start another', async () => {
    let finish = () => {};
    const gate = () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      });
    const { store, embedded } = passageStore(...numbered(8));
    const { embedder, calls } = localEmbedder({ gate });
    const { embedding } = open({ store, embedders: [embedder] });
    await eventually(() => expect(calls).toHaveLength(1));
    const closed = embedding.close();
    finish();
    await closed;
    expect([embedded('local'), calls.length]).toEqual([ids(8), 1]);
  });

  test('does not wait forever, and nothing is written afterwards', async () => {
    let finish = () => {};
    const seen: (AbortSignal | undefined)[] = [];
    const gate = (signal: AbortSignal | undefined) => {
      seen.push(signal);
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    };
    const { store, writes } = passageStore('one');
    const { embedder } = localEmbedder({ gate });
    const { embedding } = open({ store, embedders: [embedder], closeMs: 10 });
    await eventually(() => expect(seen).toHaveLength(1));
    await embedding.close();
    expect(seen[0]?.aborted).toBe(true);
    finish();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(writes).toEqual([]);
  });

  test('interrupts a delay and can be repeated', async () => {
    const { store } = passageStore('one');
    const { embedder } = localEmbedder({ refuses: () => new Error('down') });
    const { embedding } = open({ store, embedders: [embedder], backOffMs: 60_000 });
    await eventually(() => expect(embedding.status().error).toBe('down'));
    await Promise.all([embedding.close(), embedding.close()]);
  });
});
