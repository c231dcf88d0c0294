import { readFile } from 'node:fs/promises';

/**
 * A step's counts for the summary, as `{ passed, failed }`: its tests, or one for the step itself.
 *
 * `progress` is the file written by the reporter in `progress.mjs`.
 */
export async function countsOf({ ok, output }, progress) {
  const counts = (progress ? await fromProgress(progress) : fromNodeTest(output)) ?? { passed: Number(ok), failed: 0 };
  // A step can fail even though every test passed: coverage, a type error, a file that did not load, a timeout.
  return ok || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

/** Names of tests that started but did not end. */
export const unfinishedTests = (progress) => namesOf(progress, ({ state }) => state === 'started');

/** Names of tests that passed at a later attempt. */
export const retriedTests = (progress) => namesOf(progress, ({ state, retries }) => state === 'passed' && retries > 0);

async function namesOf(progress, isMeant) {
  return [...(await lastStates(progress)).values()].filter(isMeant).map(({ name }) => name);
}

async function fromProgress(progress) {
  const states = [...(await lastStates(progress)).values()].map(({ state }) => state);
  if (states.length === 0) return undefined;
  const count = (wanted) => states.filter((state) => state === wanted).length;
  return { passed: count('passed'), failed: count('failed') };
}

async function lastStates(progress) {
  const text = await readFile(progress, 'utf8').catch(() => '');
  const lines = text.split('\n').slice(0, -1);
  return new Map(lines.map((line) => JSON.parse(line)).map((test) => [test.id, test]));
}

function fromNodeTest(output) {
  const count = (name) => [...output.matchAll(new RegExp(`^(?:#|ℹ) ${name} (\\d+)$`, 'gm'))].map(([, n]) => Number(n));
  const sum = (name) => count(name).reduce((all, n) => all + n, 0);
  if (count('pass').length === 0) return undefined;
  return { passed: sum('pass'), failed: sum('fail') + sum('cancelled') };
}
