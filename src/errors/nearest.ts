/** A name reduced to letters and digits, since APIs differ in everything else. */
export const normalizeName = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Edit distance that counts a transposition as one step. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, before[column - 2]! + 1);
      next.push(cost);
    }
    before = last;
    last = next;
  }
  return last[to.length]!;
}

/** Candidates close enough to suggest, most likely first. */
function closeMatches(name: string, candidates: Iterable<string>): string[] {
  // Names come from models and URLs: absurdly long ones are not worth comparing.
  const wanted = normalizeName(name.slice(0, 100));
  const found: Array<readonly [candidate: string, far: number]> = [];
  for (const candidate of candidates) {
    const known = normalizeName(candidate);
    const maxEdits = Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3));
    const contained = wanted.length > 2 && (known.startsWith(wanted) || wanted.startsWith(known));
    // The difference in length is the least number of edits.
    if (!contained && Math.abs(wanted.length - known.length) > maxEdits) continue;
    const edits = distance(wanted, known);
    if (contained || edits <= maxEdits) found.push([candidate, edits]);
  }
  return found.sort(([, one], [, other]) => one - other).map(([candidate]) => candidate);
}

/** The most likely intended candidate, if one is close enough. */
export const nearest = (name: string, candidates: Iterable<string>): string | undefined =>
  closeMatches(name, candidates)[0];

/** A name for a message: quoted and truncated, or a description if it is not a string. */
export const quoted = (name: unknown): string =>
  typeof name === 'string' ? `'${name.length > 100 ? `${name.slice(0, 100)}…` : name}'` : `(${typeof name} given)`;

/**
 * `Did you mean 'x'? Valid: a, b, c.` If there are more candidates than `maxListed`, only close ones are listed, if
 * any.
 */
export function suggestion(
  name: unknown,
  candidates: readonly string[],
  noun: string,
  maxListed = Number.POSITIVE_INFINITY,
): string {
  const close = typeof name === 'string' ? closeMatches(name, candidates) : [];
  const didYouMean = close.length === 0 ? '' : `Did you mean '${close[0]}'? `;
  return didYouMean !== '' && candidates.length > maxListed
    ? `${didYouMean}Closest matches among ${candidates.length} ${noun}: ${close.slice(0, 5).join(', ')}.`
    : `${didYouMean}Valid ${noun}: ${candidates.join(', ') || 'none'}.`;
}
