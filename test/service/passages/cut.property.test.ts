import { markdownSegments, plainSegments, type Segment } from 'agent-connectors/replication';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitPassages } from '../../../service/src/data/records/passages/split-passages.js';

/** Graphemes made up of several code points, and characters that join their neighbors into one. */
const joined = fc.constantFrom(
  '👩‍👩‍👧‍👦',
  '👍🏽',
  '🇩🇪',
  '🇫',
  '🎉',
  '𝒳',
  'e\u0301\u0302',
  'ก็',
  'กำ',
  'क्षि',
  '한',
  '\u1112\u1161\u11ab',
  '\u0600',
  '\u200d',
  '\u0301',
  '\ufeff',
  '\ud83d',
  '\udc69',
  '\ud83c\udffb',
);

/** Building blocks of the generated texts. */
const atom = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-zä]{1,12}$/) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(' ', ' ', ' ', '\n', '\n\n', '\r\n', '\t', '\u3000', '. ', '? ', '。', ' \u0301'),
  },
  { weight: 3, arbitrary: joined },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);

/** Short texts, long repetitive texts, and long texts without a good place to split. */
const text = fc.oneof(
  { weight: 3, arbitrary: fc.array(atom, { maxLength: 40 }).map((atoms) => atoms.join('')) },
  { weight: 2, arbitrary: fc.array(atom, { maxLength: 40 }).map((atoms) => atoms.join('').repeat(15)) },
  { weight: 1, arbitrary: fc.array(joined, { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join('').repeat(400)) },
);

const attribution = fc.constantFrom(undefined, { speakerId: 'a' }, { speakerId: 'b' }, { speakerId: 'a', topic: null });
const segments: fc.Arbitrary<Segment[]> = fc.array(
  fc.record({ text, attribution }).map(({ text, attribution }) => ({ text, ...(attribution && { attribution }) })),
  { maxLength: 8 },
);

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Grapheme boundaries in a text, in code points. */
function boundariesOf(text: string): Set<number> {
  const boundaries = new Set([0]);
  let at = 0;
  for (const { segment } of graphemes.segment(text)) {
    at += Array.from(segment).length;
    boundaries.add(at);
  }
  return boundaries;
}

const attributionsOf = (all: readonly Segment[]) =>
  all.flatMap(({ text, attribution = {} }) => Array.from(`${text}\n`, () => JSON.stringify(attribution)));

describe('a split text', () => {
  test('equals its segments, joined with line breaks', () => {
    fc.assert(
      fc.property(segments, (all) => {
        expect(splitPassages(all).text).toBe(all.map(({ text }) => text).join('\n'));
      }),
    );
  });

  test('has every non-whitespace character covered by a passage', () => {
    fc.assert(
      fc.property(segments, (all) => {
        const { text, passages } = splitPassages(all);
        const covered = new Set(
          passages.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i)),
        );
        const missing = Array.from(text).flatMap((point, index) =>
          /\s/u.test(point) || covered.has(index) ? [] : index,
        );
        expect(missing).toEqual([]);
      }),
    );
  });

  test('has non-blank passages, in order and within its bounds', () => {
    fc.assert(
      fc.property(segments, (all) => {
        const { text, passages } = splitPassages(all);
        const points = Array.from(text);
        let before = { start: -1, end: 0 };
        for (const { start, end } of passages) {
          expect(start).toBeGreaterThan(before.start);
          expect(end).toBeGreaterThan(before.end);
          expect(end).toBeLessThanOrEqual(points.length);
          expect(points.slice(start, end).join('').trim()).not.toBe('');
          before = { start, end };
        }
      }),
    );
  });

  test('has no passage that splits a grapheme', () => {
    fc.assert(
      fc.property(segments, (all) => {
        const { text, passages } = splitPassages(all);
        const boundaries = boundariesOf(text);
        for (const { start, end } of passages)
          expect([boundaries.has(start), boundaries.has(end)]).toEqual([true, true]);
      }),
    );
  });

  test('has no passage of more than 800 code points, unless it is one grapheme', () => {
    fc.assert(
      fc.property(segments, (all) => {
        const { text, passages } = splitPassages(all);
        const points = Array.from(text);
        for (const { start, end } of passages.filter(({ start, end }) => end - start > 800)) {
          expect([...graphemes.segment(points.slice(start, end).join(''))]).toHaveLength(1);
        }
      }),
    );
  });

  test('has an attribution for each position in a passage', () => {
    fc.assert(
      fc.property(segments, (all) => {
        const attributions = attributionsOf(all);
        for (const { start, end, attribution, turns = [{ start, attribution }] } of splitPassages(all).passages) {
          expect(turns[0]!.start).toBeLessThanOrEqual(start);
          expect(turns[0]!.attribution).toEqual(attribution);
          for (const [index, turn] of turns.entries()) {
            const own = attributions.slice(Math.max(start, turn.start), turns[index + 1]?.start ?? end);
            // The line break between two turns belongs to the first one.
            expect(new Set(own)).toEqual(new Set([JSON.stringify(turn.attribution)]));
          }
        }
      }),
    );
  });

  test('is split deterministically', () => {
    fc.assert(
      fc.property(segments, (all) => {
        expect(splitPassages(all)).toEqual(splitPassages(structuredClone(all)));
      }),
    );
  });
});

describe('the segments of a text', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      '# Title',
      '---',
      '===',
      '- item',
      '  - inner',
      '1. one',
      '```',
      '~~~js',
      '  ```',
      '| a | b |',
      '|---|---|',
      'words of a text',
      '    code',
      '> said',
      '\r',
    ),
    text,
  );
  const lines = fc.array(line, { maxLength: 30 }).map((all) => all.join('\n'));

  test.each([
    ['plain', plainSegments],
    ['Markdown', markdownSegments],
  ])('restore the original when joined, for %s text', (_, segmentsOf) => {
    fc.assert(
      fc.property(lines, (whole) => {
        expect([...segmentsOf(whole)].map(({ text }) => text).join('\n')).toBe(whole);
      }),
    );
  });
});
