import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Locked {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const locked: Readonly<Record<string, Locked>> = json('package-lock.json').packages;
const packages = ['.', 'sandbox', 'service', 'react'] as const;

/** Where a dependency of the package at this location is installed: next to it, or further up. */
function placeOf(name: string, from: string): string {
  for (let at = from; ; at = at.slice(0, at.lastIndexOf('/node_modules/'))) {
    const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (place in locked) return place;
    if (!at.includes('/node_modules/')) break;
  }
  return `node_modules/${name}`;
}

/** Every package installed with one of ours. */
function installedWith(source: (typeof packages)[number]): string[] {
  const { dependencies = {} } = json(join(source, 'package.json')) as Locked;
  const found = new Set<string>();
  const visit = (name: string, from: string) => {
    const place = placeOf(name, from);
    if (found.has(place)) return;
    found.add(place);
    const { dependencies: own = {}, optionalDependencies = {} } = locked[place] ?? {};
    for (const inner of Object.keys({ ...own, ...optionalDependencies })) visit(inner, place);
  };
  for (const name of Object.keys(dependencies)) visit(name, source === '.' ? '' : source);
  return [...found].filter((place) => locked[place] && !locked[place].link).sort();
}

const scripted = (source: (typeof packages)[number]) =>
  installedWith(source).filter((place) => locked[place]!.hasInstallScript);

describe('the lock file', () => {
  test('has a digest for every package', () => {
    const installed = Object.entries(locked).filter(([place, { link }]) => place.includes('node_modules/') && !link);
    expect(installed.length).toBeGreaterThan(100);
    expect(installed.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([]);
  });

  test('is used only with install scripts disabled', () => {
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });
});

describe('dependencies', () => {
  test('of the library are four packages without install scripts', () => {
    expect(installedWith('.').map((place) => place.replace('node_modules/', ''))).toHaveLength(4);
    expect(scripted('.')).toEqual([]);
  });

  test('of the sandbox have no install scripts', () => {
    expect(scripted('sandbox')).toEqual([]);
  });

  test('of the service have no install scripts', () => {
    expect(scripted('service')).toEqual([]);
  });
});

describe.each(packages)('the package in %s', (source) => {
  test('has no install scripts', () => {
    const { scripts = {} } = json(join(source, 'package.json'));
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) expect(scripts).not.toHaveProperty(name);
  });
});
