import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rarestTokens } from '../../../service/src/data/records/passages/hits.js';
import { mergeEntities, type RankedEntity } from '../../../service/src/data/records/passages/merge-fields.js';
import type { EntityWords, RankedPassage } from '../../../service/src/data/records/passages/types.js';

const words: EntityWords = {
  unknown: 0,
  passages: 1000,
  averageLength: 60,
  averageAbout: 12,
  frequencies: [
    ['bank', 20],
    ['late', 90],
  ],
};
const options = { prompt: 'bank late', limit: 1000 };

interface Found {
  readonly id: number;
  readonly length: number;
  readonly bank: number;
  readonly late: number;
  readonly cosine: number;
  readonly by: 'words' | 'vectors' | 'both';
}

const found: fc.Arbitrary<Found> = fc.record({
  id: fc.nat({ max: 8 }),
  length: fc.integer({ min: 10, max: 200 }),
  bank: fc.nat({ max: 3 }),
  late: fc.nat({ max: 3 }),
  // Not arbitrarily small, so that a sum does not depend on the order of its terms.
  cosine: fc.integer({ min: -10_000, max: 10_000 }).map((value) => value / 10_000),
  by: fc.constantFrom('words', 'vectors', 'both'),
});

const fieldNames = ['body', 'summary', '$about'];
const shapes = fc.array(fc.array(fc.array(found, { maxLength: 8 }), { minLength: 3, maxLength: 3 }), { maxLength: 5 });

/** Passages have unique numbers; a record has at most one passage with its title. */
function entitiesOf(all: ReadonlyArray<ReadonlyArray<readonly Found[]>>, hasVectors: boolean): RankedEntity<number>[] {
  let passage = 0;
  return all.map((fields, target) => ({
    target,
    group: String(target),
    fields: fields.map((list, index) => {
      const isAbout = fieldNames[index] === '$about';
      const own = isAbout ? [...new Map(list.map((one) => [one.id, one])).values()] : list;
      const passages = own.map((one) => ({ ...one, passage: passage++, record: String(one.id) }));
      const byWords = passages.filter(({ by, bank, late }) => by !== 'vectors' && bank + late > 0);
      const byVectors = passages.filter(({ by }) => by !== 'words');
      const terms = ({ bank, late, length }: Found) => ({
        length,
        counts: [['bank', bank] as const, ['late', late] as const],
      });
      return {
        field: fieldNames[index]!,
        isAbout,
        words: byWords.map((one): RankedPassage => ({ ...one, score: 0, terms: terms(one) })),
        vectors: hasVectors ? byVectors.map((one): RankedPassage => ({ ...one, score: one.cosine })) : undefined,
      };
    }),
  }));
}

const entities = fc.tuple(shapes, fc.boolean()).map(([all, hasVectors]) => entitiesOf(all, hasVectors));
const keyOf = ({ target, record }: { readonly target: number; readonly record: string }) =>
  `${target} ${record.split(' ').at(-1)}`;

test('records of several entities have the same order, no matter which entity was searched first', () => {
  fc.assert(
    fc.property(
      entities.chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
      ),
      ([all, shuffled]) => {
        const plain = (from: RankedEntity<number>[]) =>
          mergeEntities(from, words, options).map(({ passage, score }) => [passage, score.toFixed(9)]);
        expect(plain(shuffled)).toEqual(plain(all));
      },
    ),
  );
});

test('each record occurs once, with decreasing scores, and a shorter list of results is a prefix of a longer one', () => {
  fc.assert(
    fc.property(entities, fc.integer({ min: 1, max: 20 }), (all, limit) => {
      const merged = mergeEntities(all, words, options);
      const wanted = all.flatMap(({ target, fields }) =>
        fields.flatMap(({ words: byWords, vectors = [] }) =>
          [...byWords, ...vectors].map(({ record }) => `${target} ${record}`),
        ),
      );
      expect(merged.map(keyOf).sort()).toEqual([...new Set(wanted)].sort());
      const scores = merged.map(({ score }) => score);
      expect(scores).toEqual([...scores].sort((one, other) => other - one));
      expect(mergeEntities(all, words, { ...options, limit })).toEqual(merged.slice(0, limit));
    }),
  );
});

test('a word in a title never lowers a score', () => {
  fc.assert(
    fc.property(found, (one) => {
      const [plain] = entitiesOf([[[{ ...one, by: 'words', bank: 1 }], [], []]], false);
      const [titled] = entitiesOf(
        [[[{ ...one, by: 'words', bank: 1 }], [], [{ ...one, by: 'words', bank: 1 }]]],
        false,
      );
      const scoreOf = (entity: RankedEntity<number>) => mergeEntities([entity], words, options)[0]!.score;
      expect(scoreOf(titled!)).toBeGreaterThan(scoreOf(plain!));
    }),
  );
});

test("a title's score depends on how much of the prompt it covers: a title with one common word ranks below a text with that word", () => {
  const one = { length: 60, cosine: 0, by: 'words', bank: 0, late: 1 } as const;
  const entity = (title: Partial<Found>) =>
    entitiesOf([[[{ ...one, id: 1 }], [], [{ ...one, id: 2, length: 6, ...title }]]], false);
  const first = (words: EntityWords, title: Partial<Found> = {}) =>
    mergeEntities(entity(title), words, options)[0]!.record.split(' ').at(-1);
  expect(first({ ...words, unknown: 6 })).toBe('1');
  expect(first(words, { bank: 1 })).toBe('2');
});

test('lookups use only the rarest words that together match few passages, or at least the rarest one', () => {
  const frequencies = (...found: number[]) => new Map(found.map((passages, index) => [String(index), passages]));
  expect(rarestTokens(frequencies(12_000, 90, 7000, 5000))).toEqual(['1', '3', '2']);
  expect(rarestTokens(frequencies(90_000, 60_000))).toEqual(['1']);
});
