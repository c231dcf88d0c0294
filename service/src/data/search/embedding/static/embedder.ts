import { Worker } from 'node:worker_threads';
import { ConnectorError } from 'agent-connectors';
import { builtFile } from '../../../../common/built-file.js';
import type { Embedder } from '../types.js';
import { tableChecksum } from './table.js';
import { type StaticVectors, vectorsOf } from './vectors.js';
import type { StaticJob, StaticReply } from './worker.js';

const abortedError = () => new ConnectorError('aborted', 'Embedding was aborted.');

/**
 * The built-in embedder: a text's vector is the mean of its word-piece vectors. It runs on a thread with this code,
 * or on the calling one.
 */
export function openStaticEmbedder(code: () => URL | null): Embedder {
  let thread: EmbedderThread | undefined;
  const embed = (texts: readonly string[], signal: AbortSignal | undefined): Promise<StaticVectors> => {
    const script = thread ? undefined : code();
    if (script) thread = new EmbedderThread(script);
    if (thread) return thread.embed(texts, signal);
    return vectorsOf(texts, () => {
      if (signal?.aborted) throw abortedError();
    });
  };
  return {
    id: `minilm-l6-v2-static-${tableChecksum.slice(0, 12)}`,
    async embed(texts, kind, signal) {
      const { vectors, isKnown } = await embed(texts, signal);
      if (kind === 'query' && isKnown.includes(false))
        throw new ConnectorError('invalid_params', "None of the words is in the model's vocabulary.");
      return vectors;
    },
  };
}

/** Shared by all services in the process. */
export const staticEmbedder: Embedder = openStaticEmbedder(() =>
  builtFile(new URL('./static-embedder-worker.js', import.meta.url)),
);

interface Pending {
  readonly resolve: (vectors: StaticVectors) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that starts with the first texts, and keeps the process alive only while it embeds. */
class EmbedderThread {
  readonly #code: URL;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(code: URL) {
    this.#code = code;
  }

  async embed(texts: readonly string[], signal: AbortSignal | undefined): Promise<StaticVectors> {
    if (signal?.aborted) throw abortedError();
    const id = ++this.#lastId;
    const onAbort = () => this.#settle(id)?.reject(abortedError());
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        const worker = this.#worker ?? this.#start();
        worker.ref();
        worker.postMessage({ id, texts } satisfies StaticJob);
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker?.unref();
    return pending;
  }

  #start(): Worker {
    const worker = new Worker(this.#code, { name: 'embedder', execArgv: [] });
    this.#worker = worker;
    worker.on('message', (reply: StaticReply) => {
      const pending = this.#settle(reply.id);
      if ('failure' in reply) pending?.reject(new Error(reply.failure));
      else pending?.resolve(reply);
    });
    const onEnd = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(error);
    };
    worker.on('error', onEnd);
    worker.on('exit', () => onEnd(new Error('The embedder thread has exited.')));
    return worker;
  }
}
