const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Edit distance that counts a swap of neighbours as one step. */
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

/** The candidate that the writer most likely meant, if one is close enough to be worth naming. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  // Names come from models and URLs: an absurdly long one is not worth comparing.
  const wanted = plain(name.slice(0, 100));
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const known = plain(candidate);
    const far = distance(wanted, known);
    const near = far <= Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3));
    const contained = wanted.length > 2 && (known.startsWith(wanted) || wanted.startsWith(known));
    if ((near || contained) && far < least) {
      best = candidate;
      least = far;
    }
  }
  return best;
}

/** A name for a message: in quotes and of bearable length, or what was given in its place. */
export const quoted = (name: unknown): string =>
  typeof name === 'string' ? `'${name.length > 100 ? `${name.slice(0, 100)}…` : name}'` : `(${typeof name} given)`;

/** `Did you mean 'x'? Valid: a, b, c.` */
export function suggestion(name: unknown, candidates: readonly string[], noun: string): string {
  const close = typeof name === 'string' ? nearest(name, candidates) : undefined;
  return `${close === undefined ? '' : `Did you mean '${close}'? `}Valid ${noun}: ${candidates.join(', ') || 'none'}.`;
}
