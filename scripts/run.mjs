import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Time for a command to exit by itself after its timeout. */
const graceMs = 5_000;

const children = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const child of children) process.kill(-child.pid, 'SIGKILL');
    process.exit(1);
  });
}

/** Runs a command in the root folder with a timeout in minutes, and returns all its output. */
export function run([command, ...rest], { minutes, environment = {} } = {}) {
  const started = performance.now();
  const child = spawn(command, rest, {
    cwd: root,
    // Its own process group, so that its children end with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...environment },
  });
  children.add(child);
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  const timers = [];
  let timedOut = false;
  const kill = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has just exited.
    }
  };
  if (minutes !== undefined) {
    const later = (ms, act) => timers.push(setTimeout(act, ms));
    later(minutes * 60_000, () => {
      timedOut = true;
      // A nested run ends its own children on this signal; their own group hides them from us.
      kill('SIGTERM');
      later(graceMs, () => kill('SIGKILL'));
    });
  }
  return new Promise((resolve) => {
    const finish = (ok, last) => {
      for (const timer of timers) clearTimeout(timer);
      children.delete(child);
      const seconds = (performance.now() - started) / 1000;
      resolve({ ok, timedOut, seconds, output: Buffer.concat(chunks).toString() + last });
    };
    child.on('error', (error) => finish(false, String(error)));
    child.on('close', (code) =>
      finish(code === 0 && !timedOut, timedOut ? `\nended after ${minutes.toFixed(1)} minutes` : ''),
    );
  });
}
