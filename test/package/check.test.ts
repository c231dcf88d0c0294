import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const script = (path: string) => import(new URL(`../../scripts/${path}`, import.meta.url).href);
const { countsOf, unfinishedTests } = await script('check/counts.mjs');
const { run } = await script('run.mjs');

const tests = `
  import { expect, test } from 'vitest';
  test('adds', () => expect(1 + 1).toBe(2));
  test('subtracts', () => expect(2 - 1).toBe(2));
  test.skip('multiplies', () => {});
  test('divides', () => new Promise(() => {}), 600_000);
`;

/** Runs these tests in a folder of their own; resolves to the process and the file in which their progress is noted. */
async function started(): Promise<{ child: ChildProcess; progress: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-connectors-progress-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'sums.test.ts'), tests);
  const progress = join(folder, 'progress.jsonl');
  const reporter = join(root, 'scripts/check/progress.mjs');
  const child = spawn(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', `--reporter=${reporter}`],
    {
      ...{ cwd: folder, stdio: 'ignore', detached: true },
      env: { ...process.env, TEST_PROGRESS: progress },
    },
  );
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  return { child, progress };
}

test('the tests of a run that is killed are counted, and the one that was running is named', async () => {
  const { child, progress } = await started();
  const running = ['sums.test.ts > divides'];
  await expect.poll(() => unfinishedTests(progress), { timeout: 100_000, interval: 100 }).toEqual(running);
  process.kill(-child.pid!, 'SIGKILL');
  await once(child, 'exit');
  expect(await countsOf({ ok: false, output: '' }, progress)).toEqual({ passed: 1, failed: 1 });
  expect(await unfinishedTests(progress)).toEqual(running);
});

test('a step without tests counts as one, and a failed one with passed tests as a failure', async () => {
  expect(await countsOf({ ok: true, output: 'fine' })).toEqual({ passed: 1, failed: 0 });
  expect(await countsOf({ ok: false, output: 'broken' })).toEqual({ passed: 0, failed: 1 });
  expect(await countsOf({ ok: false, output: '# pass 3\n# fail 0\n# cancelled 0' })).toEqual({ passed: 3, failed: 1 });
});

test('a command that takes too long is ended with all that it started, and what it printed is kept', async () => {
  const { ok, timedOut, output } = await run(['sh', '-c', 'echo begun; sleep 600 & sleep 600'], { minutes: 0.01 });
  expect([ok, timedOut]).toEqual([false, true]);
  expect(output).toMatch(/^begun\n\nended after/);
});
