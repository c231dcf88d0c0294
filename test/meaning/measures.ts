/** How relevant records are, by id: 2 where one answers, 1 where it is on the topic; what is not named is neither. */
export type Grades = ReadonlyMap<string, number>;

/** One over the place of the first record among `most` that answers, 0 where none does. */
export function reciprocalRank(found: readonly string[], grades: Grades, most = 10): number {
  const place = found.slice(0, most).findIndex((id) => (grades.get(id) ?? 0) >= 2);
  return place < 0 ? 0 : 1 / (place + 1);
}

/**
 * How much of the best possible order's worth the first `most` records have, from 0 to 1.
 *
 * A record is worth 2 to the power of its grade, less 1, the less the further down it stands (by the logarithm of its
 * place plus 1); one that comes again is worth nothing.
 */
export function normalizedGain(found: readonly string[], grades: Grades, most = 10): number {
  const seen = new Set<string>();
  const gained = found.slice(0, most).map((id) => {
    const grade = seen.has(id) ? 0 : (grades.get(id) ?? 0);
    seen.add(id);
    return grade;
  });
  const best = [...grades.values()].sort((one, other) => other - one).slice(0, most);
  const ideal = discounted(best);
  return ideal === 0 ? 0 : discounted(gained) / ideal;
}

/** The share of the relevant records, of whatever grade, among the first `most`: of as many as could be there. */
export function recall(found: readonly string[], grades: Grades, most = 10): number {
  const first = new Set(found.slice(0, most));
  const relevant = [...grades].flatMap(([id, grade]) => (grade > 0 ? [id] : []));
  const possible = Math.min(most, relevant.length);
  return possible === 0 ? 0 : relevant.filter((id) => first.has(id)).length / possible;
}

/** The mean, 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function discounted(gradesInOrder: readonly number[]): number {
  return gradesInOrder.reduce((sum, grade, place) => sum + (2 ** grade - 1) / Math.log2(place + 2), 0);
}
