import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileFormat } from '../../service/src/data/text/file-format.js';
import { formats } from '../../service/src/data/text/formats.js';
import { root, textOf } from './pages.js';

const page = textOf('docs/documents.md');
const all: readonly FileFormat[] = Object.values(formats);

const row = ({ title, extensions, coverage }: FileFormat) => {
  const name = title.replace(/^an? /, '');
  const names = extensions.map((extension) => `\`${extension}\``).join(' ');
  return `| ${name.charAt(0).toUpperCase()}${name.slice(1)} | ${names} | ${coverage} |`;
};
const tableOf = (heading: string, rows: readonly FileFormat[]) =>
  [`| Format | Extensions | ${heading} |`, '|---|---|---|', ...rows.map(row)].join('\n');

test('the page lists every format that is read, and what is read of it', () => {
  expect(page).toContain(
    tableOf(
      'What is read',
      all.filter(({ read }) => read),
    ),
  );
});

test('the page lists every format that is not read', () => {
  expect(page).toContain(
    tableOf(
      'Why it is not read',
      all.filter(({ read }) => !read),
    ),
  );
});

test('the versions of the libraries are those that the service depends on', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'service/package.json'), 'utf8'));
  const rows = [...page.matchAll(/^\| `([@\w/-]+)` ([\d.]+) \|/gm)];
  expect(rows.length).toBeGreaterThan(2);
  for (const [, name, version] of rows) expect([name, version]).toEqual([name, dependencies[name!]]);
});
