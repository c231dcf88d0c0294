import { describe, expect, test } from 'vitest';
import { createLogger } from '../../../service/src/common/log.js';
import { httpReranker, rerankerFrom } from '../../../service/src/data/search/rerank.js';
import { failure } from '../../failure.js';
import { startReranker } from '../embedding/rerank-server.js';
import type { ApiResponse, Tenant } from '../http/setup.js';
import { hitsOf, searchEntity, startReplicatingService, waitForNewestJob } from './setup.js';

const key = 'sk-canary-0123456789';
const prompt = 'customer payment error';
const workspaceSearch = ({ ask }: Pick<Tenant, 'ask'>, limit = 3) =>
  ask('POST', '/api/v1/workspaces/main/search', { json: { prompt, limit } });

/** A service with a reranker, its log, and Linear's issues replicated. */
async function reranking(answer?: Parameters<typeof startReranker>[0], timeoutMs?: number) {
  const { url, requests } = await startReranker(answer);
  const lines: string[] = [];
  const running = await startReplicatingService({
    logger: createLogger({ readable: false, destination: { write: (line: string) => lines.push(line) } }),
    reranker: httpReranker({ url, model: 'rerank-test', apiKey: key, timeoutMs }),
  });
  const id = await running.linear({ replication_config: { entities: ['issues'] } });
  await waitForNewestJob(running.acme, id);
  return { ...running, id, requests, lines };
}

describe('a reranker', () => {
  test("reorders a connector's hits, choosing from more candidates than were requested", async () => {
    const { acme, id, requests } = await reranking();
    const { body } = await searchEntity(acme, id, 'issues', { semantic: { prompt }, limit: 3 });
    const [{ path, authorization, model, query, documents, top_n }] = requests as [(typeof requests)[0]];
    expect({ path, authorization, model, query, top_n }).toEqual({
      path: '/v1/rerank',
      authorization: `Bearer ${key}`,
      model: 'rerank-test',
      query: prompt,
      top_n: 3,
    });
    expect(documents.length).toBeGreaterThan(3);
    const { data, meta } = body.result;
    const longest = [...documents].sort((one, other) => other.length - one.length).slice(0, 3);
    expect(data.map(({ entity, metadata }: any) => `${entity.title}\n${metadata.context}`.length)).toEqual(
      longest.map(({ length }) => length),
    );
    expect(data[0].metadata.score).toBeCloseTo(longest[0]!.length / (longest[0]!.length + 1));
    expect(meta.rerank).toEqual({ applied: true, message: null });
  });

  test('reorders the hits of a workspace search', async () => {
    const { acme, requests } = await reranking();
    const { data, meta } = (await workspaceSearch(acme)).body;
    const lengths = requests[0]!.documents.map(({ length }) => length).sort((one, other) => other - one);
    expect(data.map(({ title, metadata }: any) => `${title}\n${metadata.context}`.length)).toEqual(lengths.slice(0, 3));
    expect(meta.rerank).toEqual({ applied: true, message: null });
  });

  test.each<[string, Parameters<typeof startReranker>[0], RegExp]>([
    ['fails', () => ({ status: 500, body: { message: `Bad key ${key} ${btoa(key)}` } }), /responded with 500/],
    ['rejects the key', () => ({ status: 401, body: { message: key.slice(0, 12) } }), /responded with 401/],
    ['does not respond', () => 'hang', /did not respond within 20 ms/],
    ['returns something else', () => ({ status: 200, body: { data: [] } }), /no ranking/],
    [
      'ranks documents it was not given',
      ({ documents }) => ({
        status: 200,
        body: { results: documents.map((_, index) => ({ index: index + 1, relevance_score: 1 })) },
      }),
      /no ranking/,
    ],
  ])(
    'that %s leaves the original order unchanged; the key appears in no response or log',
    async (_, answer, message) => {
      const { acme, id, lines } = await reranking(answer, answer?.({ documents: [] } as never) === 'hang' ? 20 : 2000);
      const plain = await startReplicatingService();
      const plainId = await plain.linear({ replication_config: { entities: ['issues'] } });
      await waitForNewestJob(plain.acme, plainId);
      const found = await searchEntity(acme, id, 'issues', { semantic: { prompt }, limit: 3 });
      const unranked = await searchEntity(plain.acme, plainId, 'issues', { semantic: { prompt }, limit: 3 });
      const order = (answer: ApiResponse) =>
        hitsOf(answer).map(({ entity, metadata }: any) => [entity.id, metadata.score]);
      expect(order(found)).toEqual(order(unranked));
      expect(unranked.body.result.meta.rerank).toBeUndefined();
      expect(found.body.result.meta.rerank).toEqual({ applied: false, message: expect.stringMatching(message) });
      const everything = await workspaceSearch(acme);
      expect(everything.body.meta.rerank.applied).toBe(false);
      expect(everything.body.data).toHaveLength(3);
      const told = `${found.text} ${everything.text} ${lines.join('')}`;
      expect(lines.join('')).toContain('"request_id":"reranker"');
      for (const form of ['canary', btoa(key).slice(0, 12)]) expect(told).not.toContain(form);
    },
  );

  test('is configured with environment variables; errors name the variable but never its value', async () => {
    const { url, requests } = await startReranker();
    const variables = { AGENT_CONNECTORS_RERANK_URL: ` ${url}/ `, AGENT_CONNECTORS_RERANK_KEY: key };
    expect(rerankerFrom({})).toBeUndefined();
    expect(await rerankerFrom(variables)!.rerank('x', ['a', 'abc'], 1)).toEqual([{ index: 1, score: 3 / 4 }]);
    expect(requests[0]).toMatchObject({ path: '/v1/rerank', authorization: `Bearer ${key}`, top_n: 1 });
    for (const [name, value] of [
      ['URL', 'ftp://canary'],
      ['KEY', 'canary\u00e9'],
      ['TIMEOUT_MS', 'canary'],
    ]) {
      const read = () => rerankerFrom({ ...variables, [`AGENT_CONNECTORS_RERANK_${name}`]: value });
      expect(read).toThrow(`AGENT_CONNECTORS_RERANK_${name}`);
      expect(read).not.toThrow('canary');
    }
    expect(() => rerankerFrom({ AGENT_CONNECTORS_RERANK_KEY: key })).toThrow('AGENT_CONNECTORS_RERANK_URL');
  });

  test('does not follow redirects', async () => {
    const fetch = (async (_: unknown, init: RequestInit) => {
      expect(init.redirect).toBe('manual');
      return new Response('', { status: 302, headers: { location: 'https://example.com' } });
    }) as typeof globalThis.fetch;
    const reranker = httpReranker({ url: 'http://127.0.0.1:1', apiKey: key, fetch });
    expect((await failure(reranker.rerank('x', ['a'], 1))).message).toMatch('responded with 302');
  });
});
