import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { notes } from '../../service/store/semantic-sample.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
let programBuild: Promise<string> | undefined;

async function buildProgram(): Promise<string> {
  // Inside the repository, so that unbundled modules are found.
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

/** Removes the build output. */
export async function removeProgram(): Promise<void> {
  if (programBuild) rmSync(await programBuild, { recursive: true, force: true });
  programBuild = undefined;
}

/** Starts a process that writes batches for a connector; `acknowledged` collects those it has reported. */
export async function startWriter(databaseUrl: string, name: string, connectorId: string, batches: number) {
  programBuild ??= buildProgram();
  const program = join(await programBuild, 'program.js');
  const args = [program, databaseUrl, name, connectorId, String(batches), JSON.stringify(notes)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: number[] = [];
  const lines = createInterface(child.stdout).on('line', (line) => acknowledged.push(Number(line)));
  return { child, acknowledged, done: Promise.all([once(child, 'exit'), once(lines, 'close')]) };
}
