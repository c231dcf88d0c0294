import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** Requests to the reranker. */
export interface RerankRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model?: string;
  readonly query: string;
  readonly documents: readonly string[];
  readonly top_n: number;
}

/** A response instead of the ranking; `hang` never responds. */
type Answer = { readonly status: number; readonly body: unknown } | 'hang';

/** A local `/v1/rerank` server that ranks the longest document first; closed after the test. */
export async function startReranker(answer: (request: RerankRequest) => Answer | undefined = () => undefined) {
  const requests: RerankRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { authorization } = incoming.headers;
    const request = { path: incoming.url!, authorization, ...((await json(incoming)) as object) } as RerankRequest;
    requests.push(request);
    const given = answer(request);
    if (given === 'hang') return;
    response.writeHead(given?.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(given ? given.body : rankingOf(request)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

const rankingOf = ({ documents, top_n }: RerankRequest) => ({
  id: 'r1',
  results: documents
    .map(({ length }, index) => ({ index, relevance_score: length / (length + 1) }))
    .sort((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, top_n),
});
