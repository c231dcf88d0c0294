import { expect, test } from 'vitest';
import { WordEmbedder } from '../../service/store/embedder.js';
import { replicaOf } from './replica.js';

test("passages answer the company's questions: MRR, nDCG and recall by field and kind", async () => {
  const { measure, measureWorkspace } = await replicaOf(new WordEmbedder('words-384', 384));
  const lexical = await measure('lexical', 'lexical');
  const narrow = await measure('lexical', 'lexical, of Drive My Drive alone', 'mine');
  const dense = await measure('dense', 'dense, with a stand-in');
  const hybrid = await measure('hybrid', 'hybrid, with a stand-in');
  // Lexical search finds exact words; paraphrases need an embedder.
  expect(lexical().mrr).toBeGreaterThan(0.61);
  // The answers to ten questions are in files shared by others.
  const files = { field: 'files.content' };
  expect(lexical(files).mrr).toBeGreaterThan(narrow(files).mrr + 0.15);
  // The tests' embedder matches only words, and less well than BM25: hybrid ranking must not suffer from it.
  expect(dense({ kind: 'keyword' }).mrr).toBeGreaterThan(0.3);
  expect(hybrid().mrr).toBeGreaterThan(dense().mrr);
  // Across all fields, hits from other fields are interleaved; if they were ranked only by position within each field,
  // the score would be half this high.
  const all = await measureWorkspace('lexical', 'lexical');
  const merged = await measureWorkspace('hybrid', 'hybrid, with a stand-in');
  await measureWorkspace('dense', 'dense, with a stand-in');
  expect(all().mrr).toBeGreaterThan(0.49);
  expect(merged().mrr).toBeGreaterThan(0.43);
});
