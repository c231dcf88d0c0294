/** Runs every check of the repository and ends with one line: `N passed, N failed`. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.mjs';

const full = process.argv.includes('--full');
const scratch = await mkdtemp(join(tmpdir(), 'agent-connectors-check-'));

const npm = (script, ...rest) => ['npm', 'run', '--silent', script, ...(rest.length > 0 ? ['--', ...rest] : [])];
const report = (script) => join(scratch, `${script.replaceAll(':', '-')}.json`);
const vitest = (script, ...rest) =>
  npm(script, ...rest, '--reporter=default', '--reporter=json', `--outputFile.json=${report(script)}`);

/** `alone`: keeps both cores to itself, since its tests measure time; `needs`: a step that must have passed. */
const steps = [
  { name: 'format and lint', command: npm('lint') },
  { name: 'types', command: npm('types') },
  { name: 'type tests', command: vitest('test:types'), report: report('test:types') },
  { name: 'build', command: npm('build') },
  { name: 'snippets', command: npm('snippets', '--check') },
  { name: 'unused code', command: npm('unused') },
  { name: 'reference', command: npm('docs', '--emit', 'none'), needs: 'build' },
  { name: 'unit tests', command: vitest('test:unit', '--coverage'), report: report('test:unit'), alone: true },
  { name: 'facts', command: ['node', 'scripts/fidelity.mjs', report('test:unit'), '--check'], needs: 'unit tests' },
  { name: 'exports', command: npm('exports'), needs: 'build' },
  { name: 'size', command: npm('size'), needs: 'build' },
  { name: 'budgets and packages', command: vitest('test:built'), report: report('test:built'), needs: 'build' },
  { name: 'vendor clients', command: npm('test:interop'), needs: 'build' },
  { name: 'frameworks', command: npm('test:adapters'), needs: 'build' },
  { name: 'demo', command: ['node', 'examples/demo.mjs'], needs: 'build' },
  ...(full
    ? [{ name: 'slow tests', command: vitest('test:slow'), report: report('test:slow'), needs: 'build', alone: true }]
    : []),
];

const outcomes = new Map();
const total = { passed: 0, failed: 0 };

/** What a step adds to the closing line: its tests, or one for itself. */
async function countsOf({ report: file }, { ok, output }) {
  const counts = (file ? await fromVitest(file) : fromNodeTest(output)) ?? { passed: Number(ok), failed: 0 };
  // A step may fail with every test passed: coverage, a type error, a file that did not load.
  return ok || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

async function fromVitest(file) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(await readFile(file, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return undefined;
  }
}

function fromNodeTest(output) {
  const count = (name) => [...output.matchAll(new RegExp(`^(?:#|ℹ) ${name} (\\d+)$`, 'gm'))].map(([, n]) => Number(n));
  const sum = (name) => count(name).reduce((all, n) => all + n, 0);
  if (count('pass').length === 0) return undefined;
  return { passed: sum('pass'), failed: sum('fail') + sum('cancelled') };
}

async function take(step) {
  const blocked = step.needs !== undefined && outcomes.get(step.needs) === false;
  const outcome = blocked
    ? { ok: false, seconds: 0, output: `not run: ${step.needs} failed` }
    : await run(step.command, { minutes: full ? 30 : 20 });
  outcomes.set(step.name, outcome.ok);
  const counts = await countsOf(step, outcome);
  total.passed += counts.passed;
  total.failed += counts.failed;
  const tests = step.report || counts.passed + counts.failed > 1 ? `  ${counts.passed} passed` : '';
  console.log(`${outcome.ok ? '✓' : '✗'} ${step.name.padEnd(22)}${outcome.seconds.toFixed(1).padStart(7)} s${tests}`);
  if (!outcome.ok) console.log(`\n$ ${step.command.join(' ')}\n${outcome.output.trimEnd()}\n`);
  else if (step.report) for (const line of measured(outcome.output)) console.log(`    ${line}`);
}

/** Lines worth seeing when all is well: measured numbers, and what coverage came to. */
const measured = (output) =>
  output
    .split('\n')
    .filter((line) => /^(measured: |(Lines|Branches) +:)/.test(line))
    .map((line) => line.replace(/^measured: /, ''));

/** Two steps at a time, in order; one that wants to be alone waits for both places. */
async function takeAll() {
  const running = new Map();
  for (const step of steps) {
    while (running.size >= (step.alone ? 1 : 2) || running.has(step.needs)) await Promise.race(running.values());
    const done = take(step).finally(() => running.delete(step.name));
    running.set(step.name, done);
    if (step.alone) await done;
  }
  await Promise.all(running.values());
}

try {
  await takeAll();
} finally {
  await rm(scratch, { recursive: true, force: true });
}
process.exitCode = total.failed > 0 ? 1 : 0;
console.log(`${total.passed} passed, ${total.failed} failed`);
