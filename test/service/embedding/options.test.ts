import { describe, expect, onTestFinished, test } from 'vitest';
import { embeddersFrom } from '../../../service/src/data/search/embedding/options.js';
import { startEmbedder } from './server.js';

const current = 'AGENT_CONNECTORS_EMBEDDER';
const previous = 'AGENT_CONNECTORS_PREVIOUS_EMBEDDER';

describe('the environment', () => {
  test('names no embedder, or one', () => {
    expect(embeddersFrom({})).toEqual([]);
    expect(embeddersFrom({ [`${current}_URL`]: ' ', [`${current}_KEY`]: '' })).toEqual([]);
    expect(embeddersFrom({ [`${current}_URL`]: 'http://127.0.0.1:1/v1', [`${current}_MODEL`]: 'words' })).toHaveLength(
      1,
    );
  });

  test('says all that an embedder is asked with', async () => {
    const server = await startEmbedder();
    onTestFinished(() => server.close());
    const [embedder] = embeddersFrom({
      [`${current}_URL`]: `${server.url}/ `,
      [`${current}_MODEL`]: 'words',
      [`${current}_KEY`]: 'canary',
      [`${current}_DIMENSIONS`]: '8',
      [`${current}_QUERY_PREFIX`]: 'query: ',
      [`${current}_PASSAGE_PREFIX`]: 'passage: ',
    });
    await embedder!.embed(['one'], 'query');
    await embedder!.embed(['two'], 'passage');
    const common = { path: '/v1/embeddings', authorization: 'Bearer canary', model: 'words', dimensions: 8 };
    expect(server.requests).toMatchObject([
      { ...common, input: ['query: one'] },
      { ...common, input: ['passage: two'] },
    ]);
  });

  test('names the embedder before behind the current one, unless they are the same', () => {
    const of = (prefix: string, model: string) => ({
      [`${prefix}_URL`]: 'http://127.0.0.1:1',
      [`${prefix}_MODEL`]: model,
    });
    const ids = embeddersFrom({ ...of(current, 'new'), ...of(previous, 'old') }).map(({ id }) => id.slice(0, 3));
    expect(ids).toEqual(['new', 'old']);
    expect(embeddersFrom({ ...of(current, 'new'), ...of(previous, 'new') })).toHaveLength(1);
  });

  test.each([
    [`${current}_MODEL`, { [`${current}_URL`]: 'http://canary.example' }],
    [`${current}_URL`, { [`${current}_KEY`]: 'canary' }],
    [`${current}_URL`, { [`${current}_URL`]: 'ftp://canary.example', [`${current}_MODEL`]: 'words' }],
    [`${current}_URL`, { [`${current}_URL`]: 'https://user:canary@example.com', [`${current}_MODEL`]: 'words' }],
    [`${current}_URL`, { [`${previous}_URL`]: 'http://canary.example', [`${previous}_MODEL`]: 'words' }],
    [`${previous}_MODEL`, { [`${previous}_URL`]: 'http://canary.example' }],
    ...['0', '1.5', '-1', '16001', 'canary'].map(
      (value) =>
        [
          `${current}_DIMENSIONS`,
          { [`${current}_URL`]: 'http://127.0.0.1:1', [`${current}_MODEL`]: 'words', [`${current}_DIMENSIONS`]: value },
        ] as const,
    ),
    [
      `${current}_KEY`,
      { [`${current}_URL`]: 'http://127.0.0.1:1', [`${current}_MODEL`]: 'words', [`${current}_KEY`]: 'canary\u2026' },
    ],
  ] as const)('that is not right about %s is refused by name, and not repeated', (name, environment) => {
    const read = () => embeddersFrom(environment as Record<string, string>);
    expect(read).toThrow(name);
    expect(read).not.toThrow('canary');
  });
});
