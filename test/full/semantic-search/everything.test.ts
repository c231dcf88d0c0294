import { expect, test } from 'vitest';
import { staticEmbedder } from '../../../service/src/data/search/embedding/static/embedder.js';
import { WordEmbedder } from '../../service/store/embedder.js';
import { replicaOf } from './replica.js';

test('searches titles, metadata, joins, paraphrases and words in the workspace, and in each field', async () => {
  const { measureEverything } = await replicaOf(new WordEmbedder('words-384', 384));
  const lexical = await measureEverything('lexical', 'lexical');
  await measureEverything('hybrid', 'hybrid, with a stand-in');
  expect(lexical.workspace().mrr).toBeGreaterThan(0.78);
  expect(lexical.fields().mrr).toBeGreaterThan(0.77);
});

test('the built-in embedder answers more of them', async () => {
  const { measureEverything } = await replicaOf(staticEmbedder);
  await measureEverything('dense', 'dense, with the built-in embedder');
  const hybrid = await measureEverything('hybrid', 'hybrid, with the built-in embedder');
  expect(hybrid.workspace().mrr).toBeGreaterThan(0.77);
  expect(hybrid.workspace({ kind: 'paraphrase' }).mrr).toBeGreaterThan(0.69);
  expect(hybrid.fields().mrr).toBeGreaterThan(0.75);
});
