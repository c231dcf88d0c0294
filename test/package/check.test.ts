import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';

const script = (path: string) => import(new URL(`../../scripts/${path}`, import.meta.url).href);
const { countsOf, retriedTests, unfinishedTests } = await script('check/counts.mjs');
const { default: Progress } = await script('check/progress.mjs');
const { run } = await script('run.mjs');

test('tests from a killed run are counted, and the one that was running and one that was retried are named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-connectors-progress-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const progress = join(folder, 'progress.jsonl');
  vi.stubEnv('TEST_PROGRESS', progress);
  onTestFinished(() => void vi.unstubAllEnvs());
  const reporter = new Progress();
  const names = ['adds', 'subtracts', 'multiplies', 'divides'];
  const tests = names.map((fullName, id) => ({
    id: `${id}`,
    fullName,
    module: { relativeModuleId: 'sums.test.ts' },
    result: () => ({ state: ['passed', 'failed', 'skipped'][id] }),
    diagnostic: () => ({ retryCount: id === 0 ? 1 : 0 }),
  }));
  for (const [index, one] of tests.entries()) {
    reporter.onTestCaseReady(one);
    if (index < 3) reporter.onTestCaseResult(one);
  }
  expect(await countsOf({ ok: false, output: '' }, progress)).toEqual({ passed: 1, failed: 1 });
  expect(await unfinishedTests(progress)).toEqual(['sums.test.ts > divides']);
  expect(await retriedTests(progress)).toEqual(['sums.test.ts > adds']);
});

test('a step without tests counts as one test, and a failed step whose tests passed counts as a failure', async () => {
  expect(await countsOf({ ok: true, output: 'fine' })).toEqual({ passed: 1, failed: 0 });
  expect(await countsOf({ ok: false, output: 'broken' })).toEqual({ passed: 0, failed: 1 });
  expect(await countsOf({ ok: false, output: '# pass 3\n# fail 0\n# cancelled 0' })).toEqual({ passed: 3, failed: 1 });
});

test('a command that takes too long is stopped with its children, and its output is kept', async () => {
  const { ok, timedOut, output } = await run(['sh', '-c', 'echo begun; sleep 600 & sleep 600'], { minutes: 0.01 });
  expect([ok, timedOut]).toEqual([false, true]);
  expect(output).toMatch(/^begun\n\nended after/);
});
