import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The command line, built to run in a process of its own. */
async function program(): Promise<string> {
  // Below node_modules, so that what is not bundled is found from there.
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  const outDir = mkdtempSync(join(root, 'node_modules/.cache/service-cli-'));
  onTestFinished(() => rmSync(outDir, { recursive: true, force: true }));
  const entry = { cli: join(root, 'service/src/cli.ts') };
  await build({ entry, outDir, format: 'esm', target: 'es2023', config: false, silent: true, clean: false });
  return join(outDir, 'cli.js');
}

it('a service goes on when nobody reads its outputs any more', async () => {
  const child = spawn(process.execPath, [await program(), '--dev', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(said.toString()) as { url: string };
  child.stdout.destroy();
  child.stderr.destroy();
  for (let count = 0; count < 3; count += 1) {
    const answer = await fetch(`${url}/api/v1/account/me`, { headers: { connection: 'close' } });
    expect(answer.status).toBe(401);
  }
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
}, 30_000);
