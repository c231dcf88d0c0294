import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, textOf } from './pages.js';

const units: Readonly<Record<string, number>> = {
  '': 1,
  s: 1000,
  min: 60_000,
  KiB: 1024,
  MiB: 1024 ** 2,
};

const rows = [
  ...textOf('docs/guides/limits.md').matchAll(/^\| (.+) \| ([\d.]+) ?(\w*) \| `(\w+)` in `([^`]+)` \|$/gm),
].map(([, what, count, unit, name, file]) => ({
  what: what!,
  value: Number(count) * units[unit!]!,
  name: name!,
  file: file!,
}));

/** The number assigned to a name in a source file, possibly written as a product or a power. */
function constantOf(file: string, name: string): number {
  const source = readFileSync(join(root, file), 'utf8').replace(/\bmebibyte\b(?! =)/g, '1048576');
  const [, written] = new RegExp(`\\b${name}(?::| =|: \\w+ =) ([\\d_. *]+)`).exec(source) ?? [];
  const numbers = (written ?? '')
    .split(' ** ')
    .map((part) => part.split('*').map((one) => Number(one.trim().replaceAll('_', ''))));
  const [base, power] = numbers;
  if (power !== undefined) return base!.slice(0, -1).reduce((all, one) => all * one, 1) * base!.at(-1)! ** power[0]!;
  return base!.reduce((all, one) => all * one, 1);
}

test('there are limits to compare', () => {
  expect(rows.length).toBeGreaterThan(20);
});

test.each(rows)('$what: the guide matches the source', ({ value, name, file }) => {
  expect(constantOf(file, name)).toBe(value);
});
