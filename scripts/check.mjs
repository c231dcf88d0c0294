/**
 * Runs the repository's checks and ends with one line: `N passed, N failed`.
 *
 * `node scripts/check.mjs` runs the checks to pass before a push, `--ci` the rest of what a change must pass, and
 * `--full` both, with all cases of the property tests and everything that takes long. `--built` skips the build.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countsOf, retriedTests, unfinishedTests } from './check/counts.mjs';
import { run } from './run.mjs';

const { values: options } = parseArgs({
  options: { ci: { type: 'boolean' }, full: { type: 'boolean' }, built: { type: 'boolean' } },
});
/** Time limit for all steps together, on the slowest machine. */
const minutes = options.full ? 360 : 45;
const deadline = performance.now() + minutes * 60_000;
const scratch = await mkdtemp(join(tmpdir(), 'agent-connectors-check-'));

const npm = (script, ...rest) => ['npm', 'run', '--silent', script, ...(rest.length > 0 ? ['--', ...rest] : [])];
const vitest = (script, ...rest) => ({
  command: npm(script, ...rest, '--reporter=default', '--reporter=./scripts/check/progress.mjs'),
  progress: join(scratch, `${script.replaceAll(':', '-')}.jsonl`),
});

const build = { name: 'build', command: npm('build') };
const environment = options.full ? { ALL_CASES: '1' } : {};

/** Steps before a push. `alone`: uses both cores; `needs`: a step that must have passed. */
const beforePush = [
  { name: 'format and lint', command: npm('lint') },
  { name: 'types', command: npm('types') },
  build,
  { name: 'unused code', command: npm('unused') },
  { name: 'size', command: npm('size'), needs: 'build' },
  // Coverage takes a minute, and few commits change it.
  { name: 'unit tests', ...vitest('test:unit', ...(process.env.CI ? ['--coverage'] : [])), environment, alone: true },
];

const restOfCi = [
  { name: 'slow tests', ...vitest('test:slow'), environment, alone: true },
  { name: 'type tests', ...vitest('test:types') },
  { name: 'vector kernel', command: ['node', 'scripts/vector-kernel.mjs', '--check'] },
  { name: 'walks', command: ['node', 'scripts/walks.mjs', '--check'] },
  { name: 'reference', command: npm('docs', '--emit', 'none'), needs: 'build' },
  { name: 'exports', command: npm('exports'), needs: 'build' },
  { name: 'budgets and packages', ...vitest('test:built'), needs: 'build' },
  { name: 'vendor clients', command: npm('test:interop'), needs: 'build' },
  { name: 'frameworks', command: npm('test:adapters'), needs: 'build' },
  { name: 'MCP conformance', command: npm('test:conformance'), needs: 'build' },
  { name: 'snippets', command: npm('snippets', '--check'), needs: 'frameworks' },
  { name: 'local embedder', command: npm('test:embedder'), needs: 'build' },
  { name: 'demo of everything', command: ['node', 'examples/demo.mjs'], needs: 'build' },
  // Elsewhere, the tests are skipped if there is no server.
  ...(process.env.CI && process.getuid?.() === 0
    ? [{ name: 'Postgres server', command: ['node', 'scripts/postgres.mjs', '--install', '--prepare'] }]
    : []),
  { name: 'Postgres', ...vitest('test:postgres'), needs: 'Postgres server', alone: true },
];

const onlyInFull = [
  { name: 'Python client', command: npm('test:sdk'), needs: 'build' },
  { name: 'long tests', ...vitest('test:long'), environment, needs: 'build', alone: true },
];

const steps = options.full
  ? [...beforePush, ...restOfCi, ...onlyInFull]
  : options.ci
    ? [...(options.built ? [] : [build]), ...restOfCi]
    : beforePush;

const outcomes = new Map();
const total = { passed: 0, failed: 0 };

async function runStep(step) {
  const { ok, timedOut = false, seconds = 0, output } = await outcomeOf(step);
  outcomes.set(step.name, ok);
  const counts = await countsOf({ ok, output }, step.progress);
  total.passed += counts.passed;
  total.failed += counts.failed;
  const tests = step.progress || counts.passed + counts.failed > 1 ? `  ${counts.passed} passed` : '';
  const failed = ok ? '' : `  ${counts.failed} failed`;
  console.log(`${ok ? '✓' : '✗'} ${step.name.padEnd(22)}${seconds.toFixed(1).padStart(7)} s${tests}${failed}`);
  if (!ok) console.log(`\n$ ${step.command.join(' ')}\n${output.trimEnd()}\n`);
  else if (step.progress) for (const line of measurementLines(output)) console.log(`    ${line}`);
  if (step.progress) {
    for (const name of await retriedTests(step.progress)) console.log(`    passed at the second attempt: ${name}`);
  }
  if (timedOut && step.progress) {
    for (const name of await unfinishedTests(step.progress)) console.log(`    still running: ${name}`);
  }
}

async function outcomeOf({ command, needs, progress, environment }) {
  const left = (deadline - performance.now()) / 60_000;
  if (outcomes.get(needs) === false) return { ok: false, output: `not run: ${needs} failed` };
  if (left <= 0) return { ok: false, output: `not run: the ${minutes} minutes for all steps are over` };
  return run(command, { minutes: left, environment: { ...environment, ...(progress && { TEST_PROGRESS: progress }) } });
}

/** Lines to show even on success: measurements and coverage. */
const measurementLines = (output) =>
  output
    .split('\n')
    .filter((line) => /^(measured: |(Lines|Branches) +:)/.test(line))
    .map((line) => line.replace(/^measured: /, ''));

/** Runs two steps at a time, in order; an `alone` step waits for both slots. */
async function runAll() {
  const running = new Map();
  for (const step of steps) {
    while (running.size >= (step.alone ? 1 : 2) || running.has(step.needs)) await Promise.race(running.values());
    const done = runStep(step).finally(() => running.delete(step.name));
    running.set(step.name, done);
    if (step.alone) await done;
  }
  await Promise.all(running.values());
}

try {
  await runAll();
} finally {
  await rm(scratch, { recursive: true, force: true });
}
process.exitCode = total.failed > 0 ? 1 : 0;
console.log(`${total.passed} passed, ${total.failed} failed`);
