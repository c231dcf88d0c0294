import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A process that runs a scenario of `process.ts`. */
export interface Child {
  readonly process: ChildProcess;
  /** The next line of its output. */
  line(): Promise<string>;
  /** Kills it immediately. */
  kill(): Promise<void>;
  exited(): Promise<number | null>;
}

/** Builds `process.ts` once per test file; returns a function that starts it. */
export function childProcesses(): (...args: string[]) => Child {
  let folder: string;
  beforeAll(async () => {
    // Inside node_modules, so that unbundled modules are found.
    mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
    folder = mkdtempSync(join(root, 'node_modules/.cache/service-'));
    const entry = { process: join(root, 'test/service/state/process.ts') };
    const shape = { format: 'esm', target: 'es2023', config: false, silent: true, clean: false } as const;
    // A CommonJS module, which requires Node's own.
    await build({ ...shape, entry, outDir: folder, external: ['pg'] });
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (...args) => start(join(folder, 'process.js'), args);
}

function start(path: string, args: readonly string[]): Child {
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  const kill = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  onTestFinished(kill);
  return {
    process: child,
    line: async () => (await lines.next()).value as string,
    kill,
    exited: async () => (await exit)[0],
  };
}
