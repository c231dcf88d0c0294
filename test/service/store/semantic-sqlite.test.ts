import { describe, expect, it } from 'vitest';
import { cosine, vectorOf } from './embedder.js';
import { newStore } from './fixtures.js';
import { rankingCases, storageCases } from './semantic-cases.js';
import { embedAll, notesCollection, semanticOptions, semanticSearchIds, textsOf } from './semantic-sample.js';

describe('semantic search in SQLite', { timeout: 120_000 }, () => {
  it.each([...rankingCases, ...storageCases])('%s', async (_, check) => {
    await check(await newStore({ folder: ':memory:', ...semanticOptions() }));
  });

  it('finds the same few records as a full comparison, even if one record has most of the nearest passages', async () => {
    const store = await newStore({ folder: ':memory:', ...semanticOptions() });
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`);
    const passage = (of: number) => Array.from({ length: 4 }, (_, index) => words[(of * (index + 3) + index) % 40]);
    const [long, ...others] = Array.from({ length: 120 }, (_, number) => ({
      id: `n${number}`,
      body: Array.from({ length: 1 + (number % 3) }, (__, index) => passage(number * 3 + index).join(' ')).join('\n\n'),
    }));
    const near = Array.from({ length: 45 }, (_, index) => `word1 word2 word3 ${words[index % 40]}`).join('\n\n');
    const records = [{ ...long!, body: near }, ...others];
    await store.write(notesCollection, records, textsOf);
    await embedAll(store);
    const plain = (prompt: string, among: typeof records) =>
      among
        .map(({ id, body }) => ({
          id,
          score: Math.max(...body.split('\n\n').map((one) => cosine(vectorOf(one), vectorOf(prompt)))),
        }))
        .sort((one, other) => other.score - one.score);
    const agree = async (among: typeof records) => {
      for (const prompt of ['word1 word2 word3', ...words.map((word, index) => `${word} ${words[(index * 7) % 40]}`)]) {
        const wanted = plain(prompt, among);
        for (const limit of [1, 4, 20]) {
          const found = await semanticSearchIds(store, { prompt, mode: 'dense' }, { limit });
          expect(found).toHaveLength(limit);
          const scores = new Map(wanted.map(({ id, score }) => [id, score]));
          for (const [place, id] of found.entries()) {
            expect(scores.get(String(id))).toBeCloseTo(wanted[place]!.score, 3);
          }
        }
      }
    };
    await agree(records);
    const left = records.filter((_, index) => index % 2 === 1);
    await store.remove(
      notesCollection,
      records.filter((record) => !left.includes(record)).map(({ id }) => id),
    );
    await agree(left);
    await store.close();
  });
});
