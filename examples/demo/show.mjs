import { styleText } from 'node:util';

/** @param {'cyan' | 'red'} color @param {string} text */
export const paint = (color, text) => (process.stdout.isTTY ? styleText(color, text) : text);

/** Number of calls shown so far. */
export const shown = { calls: 0 };

/**
 * Runs one call and prints its result.
 *
 * @template T
 * @param {string} call
 * @param {() => Promise<T>} run
 * @param {(result: T) => string} summary
 */
export async function show(call, run, summary) {
  const before = performance.now();
  const result = await run();
  const took = `${(performance.now() - before).toFixed(0)} ms`;
  shown.calls++;
  console.log(`${paint('cyan', call.padEnd(54))}${took.padStart(7)}  ${summary(result)}`);
  return result;
}
