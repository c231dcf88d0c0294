import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { workspaceKinds } from '../../semantic-search/questions.js';
import { remembering, replicaOf } from './replica.js';

const folder = fileURLToPath(new URL('../../../embedder', import.meta.url));
const isThere = ['node_modules', 'model/model.onnx', '../service/dist'].every((path) =>
  existsSync(`${folder}/${path}`),
);

test('the agent-connectors-embedder model finds paraphrases', async (context) => {
  context.skip(!isThere, 'The model or the build is missing: see embedder/README.md');
  process.chdir(folder);
  const { localEmbedder } = await import(/* @vite-ignore */ `${folder}/../service/dist/index.js`);
  const { measure, measureEverything, measureWorkspace } = await replicaOf(remembering(localEmbedder('local')));
  const lexical = await measure('lexical', 'lexical');
  await measure('dense', 'dense, with the local model');
  const hybrid = await measure('hybrid', 'hybrid, with the local model');
  const merged = await measureWorkspace('hybrid', 'hybrid, with the local model');
  const byWords = await measureEverything('lexical', 'lexical');
  const everything = await measureEverything('hybrid', 'hybrid, with the local model');
  expect(everything.workspace().mrr).toBeGreaterThan(0.82);
  for (const kind of workspaceKinds) {
    expect(everything.workspace({ kind }).mrr, kind).toBeGreaterThanOrEqual(byWords.workspace({ kind }).mrr);
    expect(everything.fields({ kind }).mrr, kind).toBeGreaterThanOrEqual(byWords.fields({ kind }).mrr);
  }
  const rephrased = { kind: 'rephrased' };
  expect(hybrid(rephrased).mrr).toBeGreaterThan(lexical(rephrased).mrr + 0.3);
  expect(merged().mrr).toBeGreaterThan(0.5);
});
