import { expect, test } from 'vitest';
import { staticEmbedder } from '../../../service/src/data/search/embedding/static/embedder.js';
import { workspaceKinds } from '../../semantic-search/questions.js';
import { WordEmbedder } from '../../service/store/embedder.js';
import { replicaOf } from './replica.js';

test('workspace-wide and per-field search both find titles, metadata, joins, paraphrases and words', async () => {
  const { measureEverything } = await replicaOf(new WordEmbedder('words-384', 384));
  const lexical = await measureEverything('lexical', 'lexical');
  await measureEverything('hybrid', 'hybrid, with a stand-in');
  expect(lexical.workspace().mrr).toBeGreaterThan(0.78);
  expect(lexical.fields().mrr).toBeGreaterThan(0.77);
});

test('the built-in embedder answers more questions than lexical search, and does no worse on any kind', async () => {
  const { measureEverything } = await replicaOf(staticEmbedder);
  const lexical = await measureEverything('lexical', 'lexical');
  await measureEverything('dense', 'dense, with the built-in embedder');
  const hybrid = await measureEverything('hybrid', 'hybrid, with the built-in embedder');
  expect(hybrid.workspace().mrr).toBeGreaterThan(0.79);
  expect(hybrid.fields().mrr).toBeGreaterThan(0.79);
  for (const kind of workspaceKinds) {
    expect(hybrid.workspace({ kind }).mrr, kind).toBeGreaterThanOrEqual(lexical.workspace({ kind }).mrr);
    expect(hybrid.fields({ kind }).mrr, kind).toBeGreaterThanOrEqual(lexical.fields({ kind }).mrr);
  }
});
