import { expect, test } from 'vitest';
import { staticEmbedder } from '../../../service/src/data/search/embedding/static/embedder.js';
import { replicaOf } from './replica.js';

test('the built-in embedder finds paraphrases, and loses little of what lexical search finds', async () => {
  const { measure, measureWorkspace } = await replicaOf(staticEmbedder);
  const lexical = await measure('lexical', 'lexical');
  const dense = await measure('dense', 'dense, with the built-in embedder');
  const hybrid = await measure('hybrid', 'hybrid, with the built-in embedder');
  const rephrased = { kind: 'rephrased' };
  expect(dense(rephrased).mrr).toBeGreaterThan(lexical(rephrased).mrr + 0.1);
  const all = await measureWorkspace('lexical', 'lexical');
  await measureWorkspace('dense', 'dense, with the built-in embedder');
  const merged = await measureWorkspace('hybrid', 'hybrid, with the built-in embedder');
  expect(merged().mrr).toBeGreaterThan(all().mrr + 0.04);
  expect(merged(rephrased).mrr).toBeGreaterThan(all(rephrased).mrr + 0.12);
  expect(hybrid().mrr).toBeGreaterThan(lexical().mrr + 0.06);
  expect(hybrid(rephrased).mrr).toBeGreaterThan(lexical(rephrased).mrr + 0.2);
  expect(lexical(rephrased).mrr).toBeGreaterThan(0.16);
  expect(hybrid({ kind: 'misspelt' }).mrr).toBeGreaterThan(0.94);
});
