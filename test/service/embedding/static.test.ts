import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { staticEmbedder } from '../../../service/src/data/search/embedding/static/embedder.js';
import { readTable } from '../../../service/src/data/search/embedding/static/table.js';
import { failure } from '../../failure.js';
import { cosine } from '../store/embedder.js';

const embed = (...texts: string[]) => staticEmbedder.embed(texts, 'passage');

describe('the built-in embedder', () => {
  test('returns closer vectors for texts with the same meaning than for texts with the same words', async () => {
    const [question, answer, other] = await embed(
      'They want their money back',
      'The customer asked for a refund of the payment',
      'They want their back garden back',
    );
    expect(cosine(question!, answer!)).toBeGreaterThan(cosine(answer!, other!) + 0.1);
  });

  test('returns 256-dimensional vectors of length 1 that depend only on the text', async () => {
    const texts = ['One', 'two words', 'Crème brûlée, 東京 and ½'];
    const vectors = await embed(...texts);
    for (const vector of vectors) {
      expect(vector).toHaveLength(256);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
    expect(await embed(...texts.toReversed())).toEqual(vectors.toReversed());
    expect(await staticEmbedder.embed(texts, 'query')).toEqual(vectors);
  });

  test('returns a vector that is not close to any text for passages without known words, and rejects prompts without known words', async () => {
    const [empty, emoji, text] = await embed('', '😀', 'The customer asked for a refund of the payment');
    expect(emoji).toEqual(empty);
    expect(Math.hypot(...empty!)).toBe(1);
    expect(Math.abs(cosine(empty!, text!))).toBeLessThan(0.1);
    const error = await failure(staticEmbedder.embed(['😀'], 'query'));
    expect(error).toMatchObject({ code: 'invalid_params' });
  });

  test('yields while embedding many texts and stops when aborted', async () => {
    const stop = new AbortController();
    const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    setImmediate(() => stop.abort());
    const error = await failure(staticEmbedder.embed(texts, 'passage', stop.signal));
    expect(error).toMatchObject({ code: 'aborted' });
    expect(await embed(...texts)).toHaveLength(40);
  });
});

test('a damaged table is rejected', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'table-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'table.bin');
  await writeFile(path, 'damaged');
  await expect(readTable(pathToFileURL(path))).rejects.toThrow(/corrupt/);
});
