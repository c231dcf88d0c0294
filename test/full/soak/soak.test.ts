import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

test('a minute of faults, kills and a full disk neither loses nor duplicates a write', {
  timeout: 400_000,
}, async () => {
  const given = ['scripts/soak/run.mjs', '--minutes', '1', '--seed', String(Math.floor(Date.now() / 86_400_000))];
  const { stdout } = await run(process.execPath, given);
  console.log(`measured: ${stdout.split('\n')[0]}`);
  expect(stdout).toContain('service killed');
  expect(stdout).toContain('done, once');
  expect(stdout).toContain('No violations.');
});
