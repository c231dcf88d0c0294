import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const children = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const child of children) process.kill(-child.pid, 'SIGKILL');
    process.exit(1);
  });
}

/** Runs one command in the root folder, ends it after so many minutes, and gives back all that it printed. */
export function run([command, ...rest], { minutes, environment = {} }) {
  const started = performance.now();
  const child = spawn(command, rest, {
    cwd: root,
    // A group of its own, so that what it started ends with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...environment },
  });
  children.add(child);
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  let ended = '';
  const timer = setTimeout(() => {
    ended = `\nended after ${minutes} minutes`;
    process.kill(-child.pid, 'SIGKILL');
  }, minutes * 60_000);
  return new Promise((resolve) => {
    const finish = (ok, last) => {
      clearTimeout(timer);
      children.delete(child);
      const seconds = (performance.now() - started) / 1000;
      resolve({ ok, seconds, output: Buffer.concat(chunks).toString() + last });
    };
    child.on('error', (error) => finish(false, String(error)));
    child.on('close', (code) => finish(code === 0, ended));
  });
}
