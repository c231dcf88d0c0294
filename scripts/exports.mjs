/** Checks the packages' exports: publint, then the types of every entry, connectors included. */
import { readdirSync } from 'node:fs';
import { run } from './run.mjs';

const connectors = readdirSync('connectors', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);
const types = ['--profile', 'esm-only', '--format', 'ascii', '--no-emoji'];
const commands = [
  ['publint', '.', '--strict'],
  ['publint', 'sandbox', '--strict'],
  // Export patterns are not expanded, so each connector is listed.
  ['attw', '--pack', '.', ...types, '--include-entrypoints', ...connectors, '--exclude-entrypoints', './*'],
  ['attw', '--pack', 'sandbox', ...types],
];
for (const [name, ...rest] of commands) {
  const { ok, output } = await run([`node_modules/.bin/${name}`, ...rest]);
  console.log(output.trimEnd());
  if (!ok) process.exitCode = 1;
}
