/** @typedef {Record<string, number[]>} Times */

/** @param {number[]} values @param {number} share */
export const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;

/**
 * The median and, in parentheses, the quartiles.
 *
 * @param {number[]} values @param {number} digits
 */
export const range = (values, digits) => {
  const [median, first, third] = [0.5, 0.25, 0.75].map((share) => quantile(values, share).toFixed(digits));
  return `${median} (${first}–${third})`;
};

/**
 * How many times as much a figure is as in the older build, by round; empty if that was not measured.
 *
 * @template Value
 * @param {Value[]} values @param {Value[] | undefined} old @param {(value: Value) => number} pick
 */
export const ratioRange = (values, old, pick) =>
  old
    ? range(
        values.map((value, round) => pick(value) / pick(/** @type {Value} */ (old[round]))),
        2,
      )
    : '';

/**
 * Alternates between the clients, so a machine slowdown affects all of them.
 *
 * @param {Record<string, () => Promise<number>>} clients each returns a count, which must be the same for all
 * @param {number} rounds
 * @param {number} atOnce
 * @returns {Promise<Times>}
 */
export async function time(clients, rounds, atOnce) {
  /** @type {Times} */
  const times = {};
  let expected;
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of Object.entries(clients)) {
      const started = performance.now();
      const counts = await Promise.all(Array.from({ length: atOnce }, call));
      const took = (performance.now() - started) / atOnce;
      expected ??= counts[0];
      if (counts.some((count) => count !== expected)) throw new Error(`${name} got a different answer.`);
      // The first fifth is warm-up.
      if (round >= rounds / 5) times[name] = [...(times[name] ?? []), took];
    }
  }
  return times;
}

/** @param {string} title @param {Times} times */
export function table(title, times) {
  const base = Object.values(times)[0] ?? [];
  const rows = Object.entries(times).map(([name, values]) => {
    const ratio = quantile(
      values.map((value, index) => value / (base[index] ?? Number.NaN)),
      0.5,
    );
    const spread = `${quantile(values, 0.25).toFixed(2)}–${quantile(values, 0.75).toFixed(2)}`;
    return `| ${name} | ${quantile(values, 0.5).toFixed(2)} | ${spread} | ${ratio.toFixed(2)} |`;
  });
  return [
    `### ${title}`,
    '',
    '| Client | Median, ms per call | Quartiles | × bare `fetch` |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
