import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Synonyms; texts that differ only in these get the same vector. */
const synonyms: readonly (readonly string[])[] = [
  ['refund', 'reimbursement', 'money-back', 'repay', 'repaid'],
  ['customer', 'client', 'buyer', 'account'],
  ['slow', 'sluggish', 'laggy', 'latency'],
  ['crash', 'crashes', 'crashed', 'outage', 'breaks', 'broken'],
  ['login', 'signin', 'authentication', 'password'],
  ['price', 'pricing', 'cost', 'expensive', 'budget'],
  ['meeting', 'call', 'appointment', 'conversation'],
  ['hire', 'hiring', 'recruit', 'recruiting', 'candidate'],
  ['delete', 'remove', 'erase', 'drop'],
  ['holiday', 'vacation', 'leave', 'absence'],
];

const concepts = new Map(synonyms.flatMap((words) => words.map((word) => [word, words[0]!] as const)));
const stopWords = new Set(
  'a an and are as at be by for from has have in is it of on or that the this to was we with'.split(' '),
);

/** The vector for a text: each word, or its synonym, adds to a few dimensions. */
export function vectorOf(text: string, dimensions = 64): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*/gu) ?? []) {
    if (stopWords.has(word)) continue;
    for (const salt of ['a', 'b', 'c']) {
      const hash = hashOf(`${salt}:${concepts.get(word) ?? word}`);
      vector[hash % dimensions]! += hash & 0x1_0000 ? 1 : -1;
    }
  }
  // A text without words also needs a nonzero vector.
  if (vector.every((value) => value === 0)) vector[0] = 1;
  return vector;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Requests to the embedder. */
export interface EmbedderRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly input: readonly string[];
  readonly encoding_format: string | undefined;
  readonly dimensions: number | undefined;
}

/** A response instead of the vectors; `hang` never responds, `cut` disconnects midway. */
export interface Failure {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text. */
  readonly body?: unknown;
  readonly instead?: 'hang' | 'cut';
}

export interface EmbedderOptions {
  readonly dims?: number;
  /** The fault for a request, if any; `count` starts at 1. */
  readonly fail?: (request: EmbedderRequest, count: number) => Failure | undefined;
  /** Always responds with numbers, as some servers do. */
  readonly floats?: boolean;
}

/** Starts a local `/v1/embeddings` server whose vectors depend only on the words. */
export async function startEmbedder({ dims = 64, fail, floats = false }: EmbedderOptions = {}) {
  const requests: EmbedderRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { model, input, encoding_format, dimensions } = JSON.parse(await bodyOf(incoming)) as EmbedderRequest;
    const { authorization } = incoming.headers;
    const request = { path: incoming.url!, authorization, model, input, encoding_format, dimensions };
    requests.push(request);
    const failure = fail?.(request, requests.length);
    if (failure?.instead === 'hang') return;
    if (failure?.instead === 'cut') return void response.destroy();
    const text = failure && typeof failure.body === 'string' ? failure.body : undefined;
    response.writeHead(failure?.status ?? 200, {
      'content-type': text === undefined ? 'application/json' : 'text/html',
      ...failure?.headers,
    });
    response.end(text ?? JSON.stringify(failure ? (failure.body ?? {}) : listOf(request, dimensions ?? dims, floats)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: requests as readonly EmbedderRequest[],
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listOf({ model, input, encoding_format }: EmbedderRequest, dimensions: number, floats: boolean) {
  const data = input.map((text, index) => {
    const vector = vectorOf(text, dimensions);
    const base64 = encoding_format === 'base64' && !floats;
    return {
      object: 'embedding',
      index,
      embedding: base64 ? Buffer.from(vector.buffer).toString('base64') : [...vector],
    };
  });
  return { object: 'list', data, model, usage: { prompt_tokens: 0, total_tokens: 0 } };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
