import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import process from 'node:process';
import { interruptedExitCode } from './failure.js';
import { run } from './run.js';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // A second interrupt does not wait for cleanup.
    if (stop.signal.aborted) process.exit(interruptedExitCode);
    stop.abort();
  });
}
const { stdin, stdout, stderr, env, platform } = process;

/** Programs that open a URL, by platform. */
const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an http or https URL in the user's browser, without a shell; false if no browser is available. */
function browse(address: string): boolean {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return false;
  const screen = platform in openers || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (!screen) return false;
  const [program = 'xdg-open', ...before] = openers[platform] ?? [];
  try {
    const child = spawn(program, [...before, new URL(address).href], { stdio: 'ignore', detached: true });
    child.on('error', () => {});
    child.unref();
    return true;
  } catch {
    return false;
  }
}

const environment = {
  stdin,
  stdout,
  stderr,
  env,
  platform,
  home: homedir(),
  signal: stop.signal,
  fetch: (...given: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...given),
  browse,
};
run(process.argv.slice(2), environment).then((exit) => {
  process.exitCode = exit;
});
