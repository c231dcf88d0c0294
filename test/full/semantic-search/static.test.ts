import { expect, test } from 'vitest';
import { staticEmbedder } from '../../../service/src/data/search/embedding/static/embedder.js';
import { replicaOf } from './replica.js';

test('the built-in embedder answers what is said in other words, and costs little of what words find', async () => {
  const { measure, measureWorkspace } = await replicaOf(staticEmbedder);
  const lexical = await measure('lexical', 'lexical');
  const dense = await measure('dense', 'dense, with the built-in embedder');
  const hybrid = await measure('hybrid', 'hybrid, with the built-in embedder');
  const rephrased = { kind: 'rephrased' };
  expect(dense(rephrased).mrr).toBeGreaterThan(lexical(rephrased).mrr + 0.1);
  const all = await measureWorkspace('lexical', 'lexical');
  await measureWorkspace('dense', 'dense, with the built-in embedder');
  const merged = await measureWorkspace('hybrid', 'hybrid, with the built-in embedder');
  expect(merged().mrr).toBeGreaterThan(all().mrr);
  expect(hybrid().mrr).toBeGreaterThan(lexical().mrr);
});
