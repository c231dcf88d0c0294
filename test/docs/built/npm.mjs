#!/usr/bin/env node
// Stands in for npm where a page installs packages: each must exist in the repository or in its test dependencies.
import { readFileSync } from 'node:fs';

const read = (path) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
const { devDependencies, scripts, workspaces } = read('package.json');
const known = new Set([
  ...Object.keys({ ...devDependencies, ...read('test/adapters/package.json').devDependencies }),
  ...Object.keys(read('service/package.json').dependencies),
  ...workspaces.map((folder) => read(`${folder}/package.json`).name),
  // Installed by test/full/testing.
  '@playwright/test',
]);

const [command, ...rest] = process.argv.slice(2);
const names = rest.filter((word) => !word.startsWith('-'));
const wrong = {
  init: () => [],
  pkg: () => [],
  ci: () => names,
  install: () => names.filter((name) => !known.has(name.replace(/(?<=.)@.*/, ''))),
  run: () => names.filter((name) => !(name in scripts)),
  test: () => ('test' in scripts ? [] : ['test']),
};
const unknown = wrong[command]?.() ?? [command];
if (unknown.length > 0) console.error(`npm ${command}: ${unknown.join(', ')} is not there`);
process.exitCode = unknown.length > 0 ? 1 : 0;
