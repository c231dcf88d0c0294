/** Relevance of records, by id: 2 for an answer, 1 for a record on the topic; all others are irrelevant. */
export type Grades = ReadonlyMap<string, number>;

/** The reciprocal rank of the first answer among the first `k` records, or 0 if there is none. */
export function reciprocalRank(found: readonly string[], grades: Grades, k = 10): number {
  const index = found.slice(0, k).findIndex((id) => (grades.get(id) ?? 0) >= 2);
  return index < 0 ? 0 : 1 / (index + 1);
}

/**
 * Normalized discounted cumulative gain of the first `k` records, from 0 to 1.
 *
 * A record gains 2 to the power of its grade, minus 1, divided by the logarithm of its rank plus 1; a repeated record
 * gains nothing.
 */
export function normalizedDiscountedGain(found: readonly string[], grades: Grades, k = 10): number {
  const seen = new Set<string>();
  const gained = found.slice(0, k).map((id) => {
    const grade = seen.has(id) ? 0 : (grades.get(id) ?? 0);
    seen.add(id);
    return grade;
  });
  const best = [...grades.values()].sort((one, other) => other - one).slice(0, k);
  const ideal = discountedGain(best);
  return ideal === 0 ? 0 : discountedGain(gained) / ideal;
}

/** The share of relevant records, of any grade, among the first `k`, relative to the number that could fit there. */
export function recall(found: readonly string[], grades: Grades, k = 10): number {
  const first = new Set(found.slice(0, k));
  const relevant = [...grades].flatMap(([id, grade]) => (grade > 0 ? [id] : []));
  const possible = Math.min(k, relevant.length);
  return possible === 0 ? 0 : relevant.filter((id) => first.has(id)).length / possible;
}

/** The mean, or 0 for an empty list. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function discountedGain(gradesInOrder: readonly number[]): number {
  return gradesInOrder.reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0);
}
