import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { query } from './server.js';

const parts = (path: string): string[] => readFileSync(path, 'utf8').split('\0').slice(0, -1);

/**
 * Kills a Postgres server on this machine and all of its processes; returns a function that restarts it, which
 * otherwise happens at the end of the test.
 */
export async function crash(superuserUrl: string): Promise<() => Promise<void>> {
  const [row] = await query<{ file: string }>(superuserUrl, `select pg_read_file('postmaster.pid') as file`);
  const pid = Number(row!.file.split('\n')[0]);
  const [command = '', ...args] = parts(`/proc/${pid}/cmdline`);
  const env = Object.fromEntries(parts(`/proc/${pid}/environ`).map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
  const { uid, gid } = statSync(`/proc/${pid}`);
  const children = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number);
  for (const one of [pid, ...children]) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has already exited.
    }
  }
  let restarting: Promise<void> | undefined;
  const restart = async () => {
    let server: ChildProcess | undefined;
    while (!(await query(superuserUrl, 'select 1').catch(() => undefined))) {
      // It exits at once if the killed processes have not released its lock or its memory yet.
      if (server === undefined || server.exitCode !== null) {
        server = spawn(command, args, { uid, gid, env, cwd: '/', stdio: 'ignore', detached: true });
        server.unref();
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const once = () => {
    restarting ??= restart();
    return restarting;
  };
  onTestFinished(once);
  return once;
}
