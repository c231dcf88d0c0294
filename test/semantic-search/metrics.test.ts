import { describe, expect, test } from 'vitest';
import { mean, normalizedDiscountedGain, recall, reciprocalRank } from './metrics.js';

const grades = new Map([
  ['answer', 2],
  ['topic', 1],
  ['other answer', 2],
]);
const many = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `other ${index + from}`);

describe('the reciprocal rank', () => {
  test('is one over the rank of the first answer', () => {
    expect(reciprocalRank(['answer'], grades)).toBe(1);
    expect(reciprocalRank(['x', 'y', 'z', 'other answer', 'answer'], grades)).toBe(0.25);
  });

  test('ignores records that are on topic but do not answer the question', () => {
    expect(reciprocalRank(['topic', 'answer'], grades)).toBe(0.5);
  });

  test('considers only the first ten ranks', () => {
    expect(reciprocalRank([...many(9), 'answer'], grades)).toBe(0.1);
    expect(reciprocalRank([...many(10), 'answer'], grades)).toBe(0);
    expect(reciprocalRank([], grades)).toBe(0);
  });
});

describe('normalized discounted cumulative gain', () => {
  // By hand: the best order gains 3, 3/log2(3) and 1/log2(4), which is 3 + 1.892789 + 0.5.
  const ideal = 5.392789;

  test('is 1 for the best order, even if ties are swapped', () => {
    expect(normalizedDiscountedGain(['answer', 'other answer', 'topic'], grades)).toBe(1);
    expect(normalizedDiscountedGain(['other answer', 'answer', 'topic', 'x'], grades)).toBe(1);
  });

  test('matches a hand-computed share of the ideal gain', () => {
    // 1 + 3/log2(3) + 3/log2(4)
    expect(normalizedDiscountedGain(['topic', 'answer', 'other answer'], grades)).toBeCloseTo(
      (1 + 1.892789 + 1.5) / ideal,
      6,
    );
    // 3/log2(3) only
    expect(normalizedDiscountedGain(['x', 'answer'], grades)).toBeCloseTo(1.892789 / ideal, 6);
    // 3/log2(11), at rank ten
    expect(normalizedDiscountedGain([...many(9), 'answer'], grades)).toBeCloseTo(0.867194 / ideal, 6);
  });

  test('counts a repeated record only once, but its repetitions still take up ranks', () => {
    expect(normalizedDiscountedGain(['answer', 'answer', 'answer'], grades)).toBeCloseTo(3 / ideal, 6);
    expect(normalizedDiscountedGain(['answer', 'answer', 'topic'], grades)).toBeCloseTo(3.5 / ideal, 6);
  });

  test('considers only the first ten ranks, including for the best order', () => {
    expect(normalizedDiscountedGain([...many(10), 'answer'], grades)).toBe(0);
    const twelve = new Map(many(12).map((id) => [id, 2]));
    expect(normalizedDiscountedGain(many(10), twelve)).toBe(1);
  });

  test('is 0 if nothing is relevant', () => {
    expect(normalizedDiscountedGain(['x'], new Map())).toBe(0);
  });
});

describe('the recall', () => {
  test('is the share of relevant records in the top ten, regardless of grade', () => {
    expect(recall(['topic', 'x', 'answer'], grades)).toBeCloseTo(2 / 3, 12);
    expect(recall([...many(7), 'answer', 'topic', 'other answer'], grades)).toBe(1);
    expect(recall([...many(10), 'answer', 'topic', 'other answer'], grades)).toBe(0);
  });

  test('counts a repeated record once', () => {
    expect(recall(['answer', 'answer', 'answer'], grades)).toBeCloseTo(1 / 3, 12);
  });

  test('considers at most ten records relevant', () => {
    const twelve = new Map(many(12).map((id) => [id, 1]));
    expect(recall(many(10), twelve)).toBe(1);
    expect(recall(many(10, 7), twelve)).toBe(0.5);
  });

  test('is 0 if nothing is relevant', () => {
    expect(recall(['x'], new Map([['x', 0]]))).toBe(0);
  });
});

test('the mean of an empty list is 0', () => {
  expect(mean([])).toBe(0);
  expect(mean([1, 0, 0.5])).toBe(0.5);
});
