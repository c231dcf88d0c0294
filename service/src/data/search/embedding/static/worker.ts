import { parentPort } from 'node:worker_threads';
import { vectorsOf } from './vectors.js';

/** Texts to embed. */
export interface StaticJob {
  readonly id: number;
  readonly texts: readonly string[];
}

/** Their vectors, or why there are none. */
export type StaticReply =
  | ({ readonly id: number } & Awaited<ReturnType<typeof vectorsOf>>)
  | { readonly id: number; readonly failure: string };

// Embeds on a thread of its own. Jobs take turns, so that a prompt does not wait for pending passages.
parentPort!.on('message', async ({ id, texts }: StaticJob) => {
  const reply: StaticReply = await vectorsOf(texts).then(
    (embedded) => ({ id, ...embedded }),
    (error: Error) => ({ id, failure: error.message }),
  );
  parentPort!.postMessage(reply);
});
