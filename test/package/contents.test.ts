import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { pathsOf } from './installed.js';

/** The top level of each package, and its maximum size. */
const packages = [
  // The documentation for `agent-connectors docs` is 0.15 MB, compressed.
  {
    name: 'library',
    source: '.',
    top: ['CHANGELOG.md', 'bin', 'connectors', 'dist', 'src'],
    packed: 1.52e6,
    unpacked: 5.8e6,
  },
  { name: 'sandbox', source: 'sandbox', top: ['CHANGELOG.md', 'bin', 'dist', 'src'], packed: 6e5, unpacked: 3e6 },
  { name: 'react', source: 'react', top: ['dist', 'src'], packed: 2e4, unpacked: 6e4 },
  // The embedding table is 6.8 MB packed and 7.9 MB unpacked.
  {
    name: 'service',
    source: 'service',
    top: ['CHANGELOG.md', 'bin', 'dist', 'embedding-table', 'src'],
    packed: 8.4e6,
    unpacked: 1.37e7,
  },
] as const;

describe.each(packages)('the tarball of $source', ({ name, source, top, packed, unpacked }) => {
  const contents = inject('packed')[name];
  const paths = pathsOf(contents);
  const text = (path: string) => readFileSync(join(source, path), 'utf8');

  test('has exactly these files and folders at its top level', () => {
    const found = new Set(paths.map((path) => path.split('/')[0]));
    expect([...found].sort()).toEqual([...top, 'LICENSE', 'README.md', 'package.json'].sort());
    expect(contents.bundled).toEqual([]);
  });

  test('stays within its size limit', () => {
    const { size, unpackedSize, files } = contents;
    console.log(`measured: tarball of ${source}: ${files.length} files, ${(size / 1e3).toFixed(0)} kB packed`);
    expect(size).toBeLessThanOrEqual(packed);
    expect(unpackedSize).toBeLessThanOrEqual(unpacked);
    expect(files.filter(({ path, size }) => size > (path.startsWith('embedding-table/') ? 8e6 : 1e6))).toEqual([]);
  });

  test('is published without hidden files, keys or data', () => {
    expect(paths.filter((path) => path.split('/').some((part) => part.startsWith('.')))).toEqual([]);
    expect(
      paths.filter((path) => /\.(env|pem|key|p12|db|sqlite|log|tgz)$|(^|\/)(key|client.*\.json)$/.test(path)),
    ).toEqual([]);
    // The only key pair that is public: the sandbox signs and verifies with it.
    const withKey = paths.filter((path) => /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*[\w+/]{40}/.test(text(path)));
    expect(withKey.filter((path) => source !== 'sandbox' || !/test-key|^dist\//.test(path))).toEqual([]);
  });

  test('has no executables other than its programs', () => {
    const runnable = contents.files.filter(({ mode }) => (mode & 0o111) !== 0).map(({ path }) => path);
    expect(runnable).toEqual(Object.values(JSON.parse(text('package.json')).bin ?? {}));
  });

  test('reveals nothing about the machine that built it', () => {
    const places = [process.cwd(), process.env.HOME ?? ''].filter((place) => place.split('/').length > 2);
    expect(places.length).toBeGreaterThan(0);
    const telling = contents.files.filter(({ path }) => places.some((place) => text(path).includes(place)));
    expect(telling).toEqual([]);
  });

  test('contains the licenses of everything bundled into it', () => {
    const names = contents.files.filter(({ path }) => path.startsWith('dist/') && path.endsWith('.js'));
    const inside = names.flatMap(({ path }) =>
      [...text(path).matchAll(/^\/\/ (?:\.\.\/)*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(([, name]) => name!),
    );
    if (source === 'service') inside.push('preact');
    const notices = inside.length > 0 ? text('dist/NOTICES.txt') : '';
    for (const name of new Set(inside)) expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    expect(contents.files.some(({ path }) => path === 'dist/NOTICES.txt')).toBe(inside.length > 0);
  });

  test.runIf(source === '.')('contains what is known about the vendors', () => {
    expect(paths).toEqual(expect.arrayContaining(['dist/fidelity.md', 'dist/gaps.md']));
  });
});
