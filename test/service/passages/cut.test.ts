import type { Segment } from 'agent-connectors/replication';
import { describe, expect, test } from 'vitest';
import { splitPassages } from '../../../service/src/data/records/passages/split-passages.js';

/** The texts of the passages. */
function passagesOf(...segments: readonly (Segment | string)[]): string[] {
  const { text, passages } = splitPassages(
    segments.map((segment) => (typeof segment === 'string' ? { text: segment } : segment)),
  );
  const points = Array.from(text);
  return passages.map(({ start, end }) => points.slice(start, end).join(''));
}

const lengths = (passages: readonly string[]) => passages.map((passage) => Array.from(passage).length);
const sentence = 'The quick brown fox jumps over the lazy dog. ';

describe('segments', () => {
  test('that are short share a passage', () => {
    expect(passagesOf('One.', 'Two.', 'Three.')).toEqual(['One.\nTwo.\nThree.']);
  });

  test('stay whole if there is room', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(500)) as [string, string, string];
    expect(passagesOf(a, b, c)).toEqual([a, b, c]);
  });

  test('leave no short remainder that could be extended', () => {
    const lines = Array.from({ length: 17 }, (_, index) => String(index).padEnd(49, 'x'));
    expect(lengths(passagesOf(...lines))).toEqual([449, 399].map((length) => expect.closeTo(length, -2)));
  });

  test('from different speakers can share a passage, which records where each one starts', () => {
    const say = (speakerId: string, text: string) => ({ text, attribution: { speakerId } });
    const { passages } = splitPassages([
      say('ann', 'Shall we?'),
      say('ann', 'Now?'),
      say('bob', 'Yes.'),
      say('ann', 'Good.'),
    ]);
    expect(passages).toEqual([
      {
        start: 0,
        end: 25,
        attribution: { speakerId: 'ann' },
        turns: [
          { start: 0, attribution: { speakerId: 'ann' } },
          { start: 15, attribution: { speakerId: 'bob' } },
          { start: 20, attribution: { speakerId: 'ann' } },
        ],
      },
    ]);
  });

  test('that are blank produce no passage', () => {
    expect(passagesOf('', ' \n', 'Words', '\u3000')).toEqual(['Words']);
    expect(splitPassages([])).toEqual({ text: '', passages: [] });
  });
});

describe('a segment that is too long', () => {
  test('is split between paragraphs if it has any', () => {
    const paragraph = sentence.repeat(12).trim();
    const parts = passagesOf([paragraph, paragraph, paragraph].join('\n\n'));
    expect(parts[0]).toBe(paragraph);
    expect(parts.at(-1)!.endsWith('dog.')).toBe(true);
  });

  test('is split between sentences, with an overlap', () => {
    const numbered = Array.from({ length: 60 }, (_, index) => `This is sentence number ${index} of many more.`);
    const parts = passagesOf(numbered.join(' '));
    for (const part of parts) expect(part).toMatch(/^This .*more\.$/);
    const said = parts.map((part) => part.match(/\d+/g)!.map(Number));
    for (const [index, numbers] of said.entries()) {
      const next = said[index + 1];
      if (next) expect(numbers.filter((number) => next.includes(number)).length).toBeOneOf([2, 3]);
    }
  });

  test('has parts of similar length', () => {
    for (const length of [801, 900, 1500, 2000, 5000]) {
      const found = lengths(passagesOf('word '.repeat(length / 5).trim()));
      expect(Math.min(...found)).toBeGreaterThanOrEqual(380);
      expect(Math.max(...found)).toBeLessThanOrEqual(800);
    }
  });

  test('is split between words if it has no sentences', () => {
    const parts = passagesOf(Array.from({ length: 400 }, (_, index) => `word${index}`).join(' '));
    for (const part of parts) expect(part).toMatch(/^word\d+( word\d+)*$/);
  });

  test('is split between words, even without spaces between them', () => {
    const parts = passagesOf('プロジェクト'.repeat(200));
    expect(parts.every((part) => part.startsWith('プロジェクト') && part.endsWith('プロジェクト'))).toBe(true);
  });

  test('without words is split anywhere', () => {
    expect(lengths(passagesOf('x'.repeat(2000)))).toEqual([747, 747, 730].map((length) => expect.closeTo(length, -2)));
  });

  test('shares its first passage with a short segment before it', () => {
    const [first, ...rest] = passagesOf('A title', sentence.repeat(30).trim());
    expect(first!.startsWith('A title\nThe quick')).toBe(true);
    expect(rest.some((part) => part.includes('A title'))).toBe(false);
  });
});

describe('offsets', () => {
  test('are code points', () => {
    const { passages } = splitPassages([
      { text: '🎉🎉', attribution: { a: '1' } },
      { text: ' 𝒳 ', attribution: { a: '2' } },
    ]);
    expect(passages.map(({ start, end, turns }) => [start, end, turns!.map((turn) => turn.start)])).toEqual([
      [0, 5, [0, 3]],
    ]);
  });

  test('do not separate a letter from its accents, or a space from its marks', () => {
    expect(passagesOf(' \u0301x ')).toEqual([' \u0301x']);
    expect(passagesOf(`${'e\u0301'.repeat(600)}`).every((part) => /^(e\u0301)+$/.test(part))).toBe(true);
  });

  test('keep a grapheme whole even if it is longer than a passage', () => {
    const giant = `a${'\u0301'.repeat(5000)}`;
    const parts = passagesOf(`before ${giant} behind`);
    expect(parts.some((part) => part.includes(giant))).toBe(true);
  });
});

describe('a long text', () => {
  const mostly = (text: string) => text.repeat(Math.ceil(400_000 / text.length));

  test.each([
    ['of sentences', mostly(sentence)],
    ['of a single letter', mostly('x')],
    ['of spaces', `x${mostly(' ')}x`],
    ['of flags', mostly('🇩🇪')],
    ['of accents', mostly('\u0301')],
    ['of short lines', mostly('x\n')],
  ])('%s is split in linear time', (_, text) => {
    // A quadratic algorithm would take minutes and exceed the test's time limit.
    expect(splitPassages([{ text }]).passages.length).toBeGreaterThan(0);
  });
});
