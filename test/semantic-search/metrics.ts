/** How relevant records are, by id: 2 where one answers, 1 where it is on the topic; what is not named is neither. */
export type Grades = ReadonlyMap<string, number>;

/** One over the place of the first record among `k` that answers, 0 where none does. */
export function reciprocalRank(found: readonly string[], grades: Grades, k = 10): number {
  const index = found.slice(0, k).findIndex((id) => (grades.get(id) ?? 0) >= 2);
  return index < 0 ? 0 : 1 / (index + 1);
}

/**
 * How much of the best possible order's worth the first `k` records have, from 0 to 1.
 *
 * A record is worth 2 to the power of its grade, less 1, the less the further down it stands (by the logarithm of its
 * place plus 1); one that comes again is worth nothing.
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

/** The share of the relevant records, of whatever grade, among the first `k`: of as many as could be there. */
export function recall(found: readonly string[], grades: Grades, k = 10): number {
  const first = new Set(found.slice(0, k));
  const relevant = [...grades].flatMap(([id, grade]) => (grade > 0 ? [id] : []));
  const possible = Math.min(k, relevant.length);
  return possible === 0 ? 0 : relevant.filter((id) => first.has(id)).length / possible;
}

/** The mean, 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function discountedGain(gradesInOrder: readonly number[]): number {
  return gradesInOrder.reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0);
}
