import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { notes } from '../../service/store/meaning-sample.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
let built: Promise<string> | undefined;

async function buildProgram(): Promise<string> {
  // Below the repository, so that what is not bundled is found.
  const folder = mkdtempSync(join(repository, 'node_modules', '.store-'));
  await build({
    config: false,
    entry: { program: join(repository, 'test/full/postgres/program.ts') },
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    outDir: folder,
    external: ['pg'],
    silent: true,
    outExtension: () => ({ js: '.js' }),
    tsconfig: join(repository, 'tsconfig.json'),
  });
  return folder;
}

/** Removes what was built. */
export async function removeProgram(): Promise<void> {
  if (built) rmSync(await built, { recursive: true, force: true });
  built = undefined;
}

/** Starts a process that writes batches for a connector; `kept` grows by each that it has been told of. */
export async function startWriter(databaseUrl: string, name: string, connectorId: string, batches: number) {
  built ??= buildProgram();
  const program = join(await built, 'program.js');
  const given = [program, databaseUrl, name, connectorId, String(batches), JSON.stringify(notes)];
  const child = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'inherit'] });
  const kept: number[] = [];
  const lines = createInterface(child.stdout).on('line', (line) => kept.push(Number(line)));
  return { child, kept, done: Promise.all([once(child, 'exit'), once(lines, 'close')]) };
}
