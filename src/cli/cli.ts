import { homedir } from 'node:os';
import process from 'node:process';
import { browse } from './browse.js';
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
const environment = {
  stdin,
  stdout,
  stderr,
  env,
  platform,
  home: homedir(),
  signal: stop.signal,
  fetch: (...given: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...given),
  browse: (address: string) => browse(address, { env, platform }),
};
run(process.argv.slice(2), environment).then((exit) => {
  process.exitCode = exit;
});
