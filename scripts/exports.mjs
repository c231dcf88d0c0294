/** Checks what the packages export: publint, then the types of every entry, connectors included. */
import { readdirSync } from 'node:fs';
import { run } from './run.mjs';

const connectors = readdirSync('connectors', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);
const types = ['--profile', 'esm-only', '--format', 'ascii', '--no-emoji'];
const commands = [
  ['publint', '.', '--strict'],
  ['publint', 'sandbox', '--strict'],
  // Patterns are not followed by themselves, so each connector is named.
  ['attw', '--pack', '.', ...types, '--include-entrypoints', ...connectors, '--exclude-entrypoints', './*'],
  ['attw', '--pack', 'sandbox', ...types],
];
for (const [name, ...rest] of commands) {
  const { ok, output } = await run([`node_modules/.bin/${name}`, ...rest]);
  console.log(output.trimEnd());
  if (!ok) process.exitCode = 1;
}
