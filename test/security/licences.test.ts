import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Locked {
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const locked = json('package-lock.json').packages as Record<string, Locked>;

/** Where the lock file places a dependency of another package: below that package, or below a parent folder. */
function placeOf(name: string, from: string): string {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const place = `${folder ? `${folder}/` : ''}node_modules/${name}`;
    if (locked[place]) return place;
    if (!folder.includes('/node_modules/')) break;
  }
  const place = `node_modules/${name}`;
  if (!locked[place]) throw new Error(`${name}, of ${from}, is not in the lock file.`);
  return place;
}

/** Everything installed with the packages, except for optional peers, which a program chooses itself. */
function installedPlaces(): string[] {
  const places = new Set(['', 'sandbox', 'service', 'react']);
  for (const place of places) {
    const { dependencies, optionalDependencies } = locked[place]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) places.add(placeOf(name, place));
  }
  return [...places].filter((place) => place.includes('node_modules/'));
}

/** Licenses that only require attribution. */
const allowed = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'Unlicense',
  // A choice, of which the first applies; and two licenses that both only require attribution.
  '(MIT OR GPL-3.0-or-later)',
  '(MIT AND Zlib)',
]);

test('everything installed with the packages has a permissive license', () => {
  const installed = installedPlaces();
  expect(installed.length).toBeGreaterThan(50);
  const others = installed.filter((place) => !allowed.has(locked[place]!.license ?? 'none'));
  expect(others.map((place) => `${place}: ${locked[place]!.license}`)).toEqual([]);
});

test('everything bundled into the packages has a permissive license', () => {
  for (const name of ['@modelcontextprotocol/core', '@modelcontextprotocol/server', 'marked', 'preact']) {
    expect([...allowed], name).toContain(json(join('node_modules', name, 'package.json')).license);
  }
});

test('the packages are under the MIT license, some with Apache-2.0 parts, and include the license text', () => {
  const licenses = { '.': 'MIT AND Apache-2.0', sandbox: 'MIT', service: 'MIT AND Apache-2.0' };
  for (const [source, license] of Object.entries(licenses)) {
    expect(json(join(source, 'package.json')).license).toBe(license);
    expect(readFileSync(join(source, 'LICENSE'), 'utf8')).toContain('Permission is hereby granted, free of charge');
  }
});
