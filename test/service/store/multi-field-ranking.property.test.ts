import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FieldResult, mergeFields } from '../../../service/src/data/records/passages/merge-fields.js';
import type { PassageHit } from '../../../service/src/data/records/passages/types.js';

interface Place {
  readonly entity: number;
  readonly field: string;
}

const score = fc.oneof(fc.double({ min: -1, max: 30, noNaN: true }), fc.constantFrom(0, 0.1, 0.5, 1));
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const level = fc.record({
  sum: fc.double({ min: 0, max: 500, noNaN: true }),
  passages: fc.integer({ min: 1, max: 50 }),
});

const hit = fc
  .record({ id: fc.nat({ max: 30 }), words: optional(score), vectors: optional(score) })
  .filter(({ words, vectors }) => words !== undefined || vectors !== undefined)
  .map(({ id, ...scores }): PassageHit => ({ record: { id }, score: 1, context: '', attribution: {}, scores }));

const fields: fc.Arbitrary<FieldResult<Place>[]> = fc.uniqueArray(
  fc.record({
    target: fc.record({ entity: fc.nat({ max: 4 }), field: fc.constantFrom('body', 'title') }),
    hits: fc.uniqueArray(hit, { maxLength: 12, selector: ({ record }) => record.id }),
    scores: fc.record({
      words: optional(level),
      vectors: optional(level),
      lexicalWeight: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
    }),
  }),
  { maxLength: 10, selector: ({ target }) => JSON.stringify(target) },
);

const recordOf = ({ entity }: Place, { record }: PassageHit): string => JSON.stringify([entity, record.id]);

test('hits of several fields come in one order, whichever field was searched first', () => {
  fc.assert(
    fc.property(
      fields.chain((found) =>
        fc.tuple(fc.constant(found), fc.shuffledSubarray(found, { minLength: found.length, maxLength: found.length })),
      ),
      ([found, shuffled]) => {
        expect(mergeFields(shuffled, 100, recordOf)).toEqual(mergeFields(found, 100, recordOf));
      },
    ),
  );
});

test('each record comes once, with falling scores from 0 to 1, and fewer are the first of more', () => {
  fc.assert(
    fc.property(fields, fc.integer({ min: 1, max: 20 }), (found, limit) => {
      const all = mergeFields(found, 1000, recordOf);
      const records = all.map(({ target, hit }) => recordOf(target, hit));
      const wanted = found.flatMap(({ target, hits }) => hits.map((one) => recordOf(target, one)));
      expect([...records].sort()).toEqual([...new Set(wanted)].sort());
      const scores = all.map((one) => one.score);
      expect(scores).toEqual([...scores].sort((one, other) => other - one));
      for (const one of scores) expect(one >= 0 && one <= 1 + 1e-9).toBe(true);
      expect(mergeFields(found, limit, recordOf)).toEqual(all.slice(0, limit));
    }),
  );
});

test('what one ranking alone found of a field stays in its order', () => {
  const ofOneKind = fc
    .tuple(fc.constantFrom('words' as const, 'vectors' as const), fields, level)
    .map(([kind, found, levelOfAll]) =>
      found.map(({ target, hits, scores: { lexicalWeight } }) => ({
        ...{ target, hits: hits.map((each) => only(each, kind)), scores: { lexicalWeight, [kind]: levelOfAll } },
      })),
    );
  fc.assert(
    fc.property(ofOneKind, (found) => {
      const all = mergeFields(found, 1000, ({ entity, field }, { record }) => JSON.stringify([entity, field, record]));
      for (const { target } of found) {
        const own = all
          .filter((one) => one.target === target)
          .map(({ hit: { scores } }) => scores!.words ?? scores!.vectors!);
        for (const [index, next] of own.slice(1).entries()) expect(next).toBeLessThanOrEqual(own[index]! + 1e-9);
      }
    }),
  );
});

/** The same hit as if one ranking alone had it. */
function only(one: PassageHit, kind: 'words' | 'vectors'): PassageHit {
  const { words, vectors } = one.scores!;
  return { ...one, scores: { [kind]: words ?? vectors } };
}
