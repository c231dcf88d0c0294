import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { textFiles } from '../../../scripts/text-files.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A service in a separate process. */
export interface ServiceProcess {
  readonly url: string;
  /** Kills it to simulate a crash. */
  kill(): Promise<void>;
  /** Stops it from running until it is resumed; its connections stay open. */
  freeze(): void;
  resume(): void;
  /** Stops it gracefully and returns the exit code. */
  stop(): Promise<number | null>;
}

const dependenciesOf = (path: string): string[] =>
  Object.keys(JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).dependencies);

/** Dependencies that are imported from node_modules, not bundled. */
const external = [...dependenciesOf('.'), ...dependenciesOf('service')].map((name) => new RegExp(`^${name}(/|$)`));

/** Builds the service and its store's worker once per test file; returns a function that starts it. */
export function serviceProcesses(): (...args: string[]) => Promise<ServiceProcess> {
  let folder: string;
  beforeAll(async () => {
    mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
    folder = mkdtempSync(join(root, 'node_modules/.cache/replication-'));
    // The service reads its version from a file next to its build folder.
    copyFileSync(join(root, 'service/package.json'), join(folder, 'package.json'));
    const entry = {
      process: join(root, 'test/service/replication/process.ts'),
      'store-worker': join(root, 'service/src/data/records/drivers/sqlite/worker.ts'),
    };
    await build({
      entry,
      outDir: join(folder, 'dist'),
      format: 'esm',
      target: 'es2023',
      config: false,
      silent: true,
      clean: false,
      external,
      loader: textFiles,
    });
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (...args) => start(join(folder, 'dist/process.js'), args);
}

async function start(path: string, args: readonly string[]): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const kill = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  onTestFinished(kill);
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) throw new Error('The service did not start.');
  return {
    url: first.value,
    kill,
    freeze: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGTERM');
      return (await exit)[0];
    },
  };
}
