import { expect, test } from 'vitest';
import { WordEmbedder } from '../../service/store/embedder.js';
import { replicaOf } from './replica.js';

test("passages answer the company's questions: MRR, nDCG and recall by field and kind", async () => {
  const { measure, measureWorkspace } = await replicaOf(new WordEmbedder('words-384', 384));
  const lexical = await measure('lexical', 'lexical');
  const narrow = await measure('lexical', 'lexical, of Drive My Drive alone', 'mine');
  const dense = await measure('dense', 'dense, with a stand-in');
  const hybrid = await measure('hybrid', 'hybrid, with a stand-in');
  // Written words are found; what is said in other words is what an embedder is for.
  expect(lexical().mrr).toBeGreaterThan(0.61);
  // Ten questions have their answers in what others have shared.
  const files = { field: 'files.content' };
  expect(lexical(files).mrr).toBeGreaterThan(narrow(files).mrr + 0.15);
  // The embedder of the tests knows words alone, and worse than BM25 does: it must not spoil them where both rank.
  expect(dense({ kind: 'keyword' }).mrr).toBeGreaterThan(0.3);
  expect(hybrid().mrr).toBeGreaterThan(dense().mrr);
  // Of all fields at once what other fields say comes between; ranked by their own places alone it would be half of this.
  const all = await measureWorkspace('lexical', 'lexical');
  const merged = await measureWorkspace('hybrid', 'hybrid, with a stand-in');
  await measureWorkspace('dense', 'dense, with a stand-in');
  expect(all().mrr).toBeGreaterThan(0.49);
  expect(merged().mrr).toBeGreaterThan(0.43);
});
