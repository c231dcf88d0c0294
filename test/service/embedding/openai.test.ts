import { ConnectorError } from 'agent-connectors';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openaiEmbedder } from '../../../service/src/data/search/embedding/openai.js';
import type { OpenaiOptions } from '../../../service/src/data/search/embedding/request.js';
import { type EmbedderOptions, type Failure, startEmbedder } from './server.js';

async function embedderOn(server: EmbedderOptions = {}, options: Partial<OpenaiOptions> = {}) {
  const started = await startEmbedder(server);
  onTestFinished(() => started.close());
  return { embedder: openaiEmbedder({ url: started.url, model: 'words', ...options }), ...started };
}

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, index) => sum + value * b[index]!, 0);
const lengthOf = (vector: Float32Array) => Math.sqrt(cosine(vector, vector));
const failing = async (work: Promise<unknown>): Promise<ConnectorError> => {
  const error: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ConnectorError);
  return error as ConnectorError;
};
const list = (...embeddings: readonly unknown[]) => ({
  data: embeddings.map((embedding, index) => ({ index, embedding })),
});
const base64 = (...values: readonly number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64');

describe('an embedder', () => {
  test.each([false, true])(
    'returns a vector of length 1 for each text (numbers instead of base64: %s)',
    async (floats) => {
      const { embedder, requests } = await embedderOn({ floats, dims: 16 });
      const vectors = await embedder.embed(['slow app', 'sluggish app', 'holiday plans'], 'passage');
      expect(vectors.map((vector) => [vector.length, lengthOf(vector)])).toEqual(
        Array(3).fill([16, expect.closeTo(1, 5)]),
      );
      expect(cosine(vectors[0]!, vectors[1]!)).toBeCloseTo(1, 5);
      expect(cosine(vectors[0]!, vectors[2]!)).toBeLessThan(0.9);
      expect(requests).toMatchObject([{ path: '/v1/embeddings', model: 'words', encoding_format: 'base64' }]);
      expect(requests[0]!.authorization).toBeUndefined();
    },
  );

  test('adds its prefixes to queries and passages', async () => {
    const { embedder, requests } = await embedderOn({}, { queryPrefix: 'query: ', passagePrefix: 'passage: ' });
    await embedder.embed(['one'], 'query');
    await embedder.embed(['two'], 'passage');
    expect(requests.map(({ input }) => input)).toEqual([['query: one'], ['passage: two']]);
  });

  test('requests 64 texts at a time, and sends no request for an empty list', async () => {
    const { embedder, requests } = await embedderOn();
    expect(await embedder.embed([], 'passage')).toEqual([]);
    const texts = Array.from({ length: 130 }, (_, index) => `text ${index}`);
    expect(await embedder.embed(texts, 'passage')).toHaveLength(130);
    expect(requests.map(({ input }) => input.length)).toEqual([64, 64, 2]);
  });

  test('requests the configured dimensions', async () => {
    const { embedder, requests } = await embedderOn({}, { dimensions: 8 });
    expect((await embedder.embed(['one'], 'query'))[0]).toHaveLength(8);
    expect(requests[0]!.dimensions).toBe(8);
  });

  test('matches vectors to their texts', async () => {
    const body = {
      data: [
        { index: 1, embedding: [0, 2] },
        { index: 0, embedding: [2, 0] },
      ],
    };
    const { embedder } = await embedderOn({ fail: () => ({ body }) });
    expect(await embedder.embed(['one', 'two'], 'passage')).toEqual([Float32Array.of(1, 0), Float32Array.of(0, 1)]);
  });

  test('requests numbers if the server does not support base64', async () => {
    const { embedder, requests } = await embedderOn({
      fail: ({ encoding_format }) =>
        encoding_format === 'base64' ? { status: 422, body: { detail: 'unknown encoding_format' } } : undefined,
    });
    await embedder.embed(['one'], 'query');
    await embedder.embed(['two'], 'query');
    expect(requests.map(({ encoding_format }) => encoding_format)).toEqual(['base64', 'float', 'float']);
  });

  test.each([
    ['http://127.0.0.1:1', 'http://127.0.0.1:1/v1/embeddings'],
    ['http://127.0.0.1:1/v1/', 'http://127.0.0.1:1/v1/embeddings'],
    ['http://127.0.0.1:1/v1/embeddings', 'http://127.0.0.1:1/v1/embeddings'],
    ['https://example.com/proxy/openai?version=1', 'https://example.com/proxy/openai/embeddings?version=1'],
  ])('configured with %s is called at %s', async (url, asked) => {
    const addresses: string[] = [];
    const fetch = async (input: unknown) => {
      addresses.push(String(input));
      return Response.json(list([1, 0]));
    };
    await openaiEmbedder({ url, model: 'words', fetch: fetch as typeof globalThis.fetch }).embed(['one'], 'query');
    expect(addresses).toEqual([asked]);
  });

  test.each(['ftp://example.com', 'nothing', 'https://user:canary@example.com/v1'])('rejects the URL %s', (url) => {
    expect(() => openaiEmbedder({ url, model: 'words' })).toThrow('URL');
    expect(() => openaiEmbedder({ url, model: 'words' })).not.toThrow('canary');
  });
});

describe("an embedder's id", () => {
  const idOf = (options: Partial<OpenaiOptions>) =>
    openaiEmbedder({ url: 'http://127.0.0.1:1', model: 'words', ...options }).id;

  test('covers exactly what its vectors depend on', () => {
    const same = [{}, { url: 'https://example.com/v1' }, { apiKey: 'secret' }, { batch: 8 }, { queryPrefix: '' }];
    expect(new Set(same.map(idOf)).size).toBe(1);
    const others = [{}, { model: 'Words' }, { dimensions: 8 }, { queryPrefix: 'q: ' }, { passagePrefix: 'q: ' }];
    expect(new Set(others.map(idOf)).size).toBe(others.length);
    expect(idOf({ model: 'Org/Model_v1.5' })).toMatch(/^org-model-v1\.5-[\da-f]{12}$/);
  });
});

describe('a response is rejected', () => {
  test.each<[string, unknown, RegExp]>([
    ['that is an HTML page', '<html>login</html>', /not a list of vectors/],
    ['without a list', { error: 'none' }, /not a list of vectors/],
    ['with too few vectors', list([1, 0]), /1 vectors for 2 texts/],
    ['with too many vectors', list([1], [1], [1]), /3 vectors for 2 texts/],
    [
      'with a duplicate index',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [1] },
        ],
      },
      /invalid index/,
    ],
    [
      'with an index out of range',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 2, embedding: [1] },
        ],
      },
      /invalid index/,
    ],
    ['with vectors of different lengths', list([1, 0], [1, 0, 0]), /3 dimensions instead of 2/],
    ['with NaN', list(base64(1, 0), base64(Number.NaN, 1)), /all zeros or not numeric/],
    ['with infinity', list(base64(1, 0), base64(Number.POSITIVE_INFINITY, 1)), /all zeros or not numeric/],
    ['with null in a vector', list([1, 0], [null, 1]), /not a list of vectors/],
    ['with a vector of zeros', list([1, 0], [0, 0]), /all zeros or not numeric/],
    ['with an empty vector', list([1, 0], []), /all zeros or not numeric/],
    ['with a truncated number', list(base64(1, 0), Buffer.from('abc').toString('base64')), /all zeros or not numeric/],
  ])('%s', async (_, body, message) => {
    const { embedder, requests } = await embedderOn({ fail: () => ({ body }) });
    const error = await failing(embedder.embed(['one', 'two'], 'passage'));
    expect([error.code, error.retryable, requests.length]).toEqual(['invalid_response', false, 1]);
    expect(error.message).toMatch(message);
    expect(error.hint).toBeTruthy();
  });

  test('if the vectors have a different length than before', async () => {
    const { embedder } = await embedderOn({ fail: (_, count) => ({ body: list(count === 1 ? [1, 0] : [1, 0, 0]) }) });
    await embedder.embed(['one'], 'query');
    expect((await failing(embedder.embed(['one'], 'query'))).message).toMatch('3 dimensions instead of 2');
  });

  test('if the vectors have a different length than requested', async () => {
    const { embedder } = await embedderOn({ fail: () => ({ body: list([1, 0]) }) }, { dimensions: 3 });
    expect((await failing(embedder.embed(['one'], 'query'))).message).toMatch('2 dimensions instead of 3');
  });
});

describe('a failure', () => {
  const once = (failure: Failure) => (_: unknown, count: number) => (count === 1 ? failure : undefined);

  test.each<[string, Failure]>([
    ['429', { status: 429, headers: { 'retry-after': '0.01' } }],
    ['500', { status: 500, headers: { 'retry-after': '0' } }],
    ['503', { status: 503, headers: { 'retry-after': new Date(0).toUTCString() } }],
    ['a lost connection', { instead: 'cut' }],
  ])('that is transient is retried and not reported: %s', async (_, failure) => {
    const { embedder, requests } = await embedderOn({ fail: once(failure) });
    expect(await embedder.embed(['one'], 'passage')).toHaveLength(1);
    expect(requests).toHaveLength(2);
  });

  test('that persists is reported after three attempts', async () => {
    const fail = () => ({
      status: 503,
      headers: { 'retry-after': '0' },
      body: { error: { message: 'Loading the model.' } },
    });
    const { embedder, requests, url } = await embedderOn({ fail });
    const error = await failing(embedder.embed(['one'], 'query'));
    expect([error.code, error.status, requests.length]).toEqual(['vendor_error', 503, 3]);
    expect(error.message).toBe(`The embedder at ${url}/embeddings responded with 503: Loading the model.`);
  });

  test('is reported without waiting if the retry delay is excessive', async () => {
    const { embedder, requests } = await embedderOn({
      fail: () => ({ status: 429, headers: { 'retry-after': '3600' } }),
    });
    const error = await failing(embedder.embed(['one'], 'query'));
    expect([error.code, error.retryAfterMs, requests.length]).toEqual(['rate_limited', 3_600_000, 1]);
  });

  test.each<[number, string, string | undefined]>([
    [400, 'invalid_params', undefined],
    [401, 'unauthorized', 'key'],
    [404, 'not_found', '/v1'],
    [413, 'too_large', undefined],
    [302, 'vendor_error', 'URL'],
  ])('with status %i is reported as %s, and not retried', async (status, code, hint) => {
    const { embedder, requests } = await embedderOn({ fail: () => ({ status, body: { message: 'No.' } }) });
    const error = await failing(embedder.embed(['one'], 'query'));
    expect([error.code, error.retryable, requests.length]).toEqual([code, false, 1]);
    if (hint) expect(error.hint).toContain(hint);
  });

  test('is reported if the embedder does not respond in time', async () => {
    const { embedder } = await embedderOn({ fail: () => ({ instead: 'hang' }) }, { timeoutMs: 50, retries: 0 });
    expect((await failing(embedder.embed(['one'], 'query'))).code).toBe('timeout');
  });

  test('is reported if the connection fails', async () => {
    const { embedder, close } = await embedderOn({}, { retries: 0 });
    await close();
    const error = await failing(embedder.embed(['one'], 'query'));
    expect([error.code, error.message]).toEqual(['network', expect.stringContaining('(ECONNREFUSED)')]);
  });

  test("caused by the caller's abort ends the call and any delay", async () => {
    const hanging = await embedderOn({ fail: () => ({ instead: 'hang' }) });
    expect((await failing(hanging.embedder.embed(['one'], 'query', AbortSignal.timeout(50)))).code).toBe('aborted');
    const gone = new AbortController();
    const answered: typeof fetch = async (...asked) => {
      const answer = await fetch(...asked);
      setTimeout(() => gone.abort(), 50);
      return answer;
    };
    const waiting = await embedderOn(
      { fail: () => ({ status: 429, headers: { 'retry-after': '20' } }) },
      { fetch: answered },
    );
    expect((await failing(waiting.embedder.embed(['one'], 'passage', gone.signal))).code).toBe('aborted');
    expect(waiting.requests).toHaveLength(1);
  });
});

describe('the key', () => {
  const key = 'sk-canary/+"0123456789';

  test('is sent to the embedder', async () => {
    const { embedder, requests } = await embedderOn({}, { apiKey: key });
    await embedder.embed(['one'], 'query');
    expect(requests[0]!.authorization).toBe(`Bearer ${key}`);
  });

  const echo = {
    error: { message: `Bad key ${key} ${encodeURIComponent(key)} ${btoa(key)} of ${'x'.repeat(170)}${key}` },
  };
  test.each<[string, EmbedderOptions['fail']]>([
    ['a rejected request', () => ({ status: 400, body: echo })],
    ['a rejected key, quoted in part', () => ({ status: 401, body: { error: key.slice(0, 12) } })],
    ['a plain text error', () => ({ status: 403, body: `no ${key}` })],
    ['a server error', () => ({ status: 500, body: echo, headers: { 'retry-after': '0' } })],
    ['an invalid response', () => ({ body: `<p>${key}</p>` })],
    [
      'a redirect',
      () => ({ status: 302, headers: { location: `https://example.com/?key=${encodeURIComponent(key)}` } }),
    ],
    ['a lost connection', () => ({ instead: 'cut' })],
  ])('never appears in an error, even if the server echoes it: %s', async (_, fail) => {
    const { embedder } = await embedderOn(fail ? { fail } : {}, { apiKey: key, retries: 1 });
    const error = await failing(embedder.embed(['one'], 'query'));
    const told = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    for (const form of ['canary', encodeURIComponent(key), btoa(key).slice(0, 12)]) expect(told).not.toContain(form);
  });

  test('never appears in a network error', async () => {
    const fetch = (async (_: unknown, init: RequestInit) => {
      throw new TypeError(`failed ${JSON.stringify(init.headers)}`);
    }) as typeof globalThis.fetch;
    const embedder = openaiEmbedder({ url: 'http://127.0.0.1:1', model: 'words', apiKey: key, retries: 0, fetch });
    const error = await failing(embedder.embed(['one'], 'query'));
    expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain('canary');
  });

  test('is rejected without being quoted if it is not valid in a header', () => {
    const make = () => openaiEmbedder({ url: 'http://127.0.0.1:1', model: 'words', apiKey: 'canary\nkey' });
    expect(make).toThrow('header');
    expect(make).not.toThrow('canary');
  });
});
