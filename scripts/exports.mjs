/** Checks the packages' exports: publint, then the types of every entry, connectors included. */
import { existsSync, readdirSync } from 'node:fs';
import { run } from './run.mjs';

const entries = readdirSync('connectors', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory()
    ? [entry.name, ...(existsSync(`connectors/${entry.name}/schemas.ts`) ? [`${entry.name}/schemas`] : [])]
    : [],
);
const types = ['--profile', 'esm-only', '--format', 'ascii', '--no-emoji'];
const commands = [
  ['publint', '.', '--strict'],
  ['publint', 'sandbox', '--strict'],
  ['publint', 'react', '--strict'],
  // Export patterns are not expanded, so the entries of each connector are listed.
  ['attw', '--pack', '.', ...types, '--include-entrypoints', ...entries, '--exclude-entrypoints', './*', './*/schemas'],
  ['attw', '--pack', 'sandbox', ...types],
  ['attw', '--pack', 'react', ...types],
];
for (const [name, ...rest] of commands) {
  const { ok, output } = await run([`node_modules/.bin/${name}`, ...rest]);
  console.log(output.trimEnd());
  if (!ok) process.exitCode = 1;
}
