import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'tsup';
import { expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../state/fixtures.js';

it('a process continues when its output is closed', async () => {
  const outDir = newFolder();
  const entry = { terminal: 'service/src/cli/terminal.ts' };
  const outExtension = () => ({ js: '.mjs' });
  await build({ entry, outDir, outExtension, format: 'esm', target: 'es2023', config: false, silent: true });
  const script = `
    const { processTerminal } = await import('${pathToFileURL(join(outDir, 'terminal.mjs'))}');
    const terminal = processTerminal();
    terminal.onStop(() => process.exit(7));
    setInterval(() => { terminal.out('out'); terminal.error('error'); process.send('goes on'); }, 5);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exit = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout!, 'data');
  child.stdout!.destroy();
  child.stderr!.destroy();
  for (let round = 0; round < 20; round += 1) await once(child, 'message');
  child.kill('SIGTERM');
  expect(await exit).toEqual([7, null]);
});
