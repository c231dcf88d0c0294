import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Locked {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly license?: string;
}

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const locked = Object.entries(json('package-lock.json').packages as Record<string, Locked>);

/** Licences that ask for no more than to be named with the code. */
const allowed = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  // A choice, of which the first is taken; and two that both ask for no more.
  '(MIT OR GPL-3.0-or-later)',
  '(MIT AND Zlib)',
]);

/** Whose package.json is less exact than the text of its licence. */
const told: Readonly<Record<string, string>> = { 'node_modules/duck': 'BSD-2-Clause' };

test('whatever is installed along with the packages may be used by anybody', () => {
  const installed = locked.filter(([place, { dev, link }]) => place.includes('node_modules/') && !dev && !link);
  expect(installed.length).toBeGreaterThan(50);
  const others = installed.filter(([place, { license }]) => !allowed.has(told[place] ?? license ?? 'none'));
  expect(others.map(([place, { license }]) => `${place}: ${license}`)).toEqual([]);
});

test('so may whatever is bundled into them', () => {
  for (const name of ['@modelcontextprotocol/core', '@modelcontextprotocol/server', 'commander', 'preact']) {
    expect([...allowed], name).toContain(json(join('node_modules', name, 'package.json')).license);
  }
});

test('a licence that a package names too shortly is what its text says', () => {
  for (const [place, license] of Object.entries(told)) {
    expect(license).toBe('BSD-2-Clause');
    const text = readFileSync(join(place, 'LICENSE'), 'utf8');
    expect(text).toContain('Redistribution and use in source and binary forms');
    expect(text).not.toContain('endorse or promote');
  }
});

test('the packages themselves are under the MIT licence, and carry its text', () => {
  for (const source of ['.', 'sandbox', 'service']) {
    expect(json(join(source, 'package.json')).license).toBe('MIT');
    expect(readFileSync(join(source, 'LICENSE'), 'utf8')).toContain('Permission is hereby granted, free of charge');
  }
});
