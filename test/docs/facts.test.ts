import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './pages.js';

/** Columns of a ledger; a row has exactly these. */
const columns = {
  facts: ['area', 'fact', 'source', 'tests', 'verified', 'we'],
  gaps: ['entity', 'field', 'tests', 'vendor', 'we'],
} as const;

type Row = Readonly<Record<string, string | boolean | readonly string[]>> & { readonly tests: readonly string[] };
type Ledger = Readonly<Record<keyof typeof columns, readonly Row[]>>;

const connectors = readdirSync(join(root, 'connectors'), { withFileTypes: true }).filter((entry) =>
  entry.isDirectory(),
);

describe.each(connectors.map(({ name }) => name))('the facts about %s', (name) => {
  const path = join(root, 'test/connectors', name, 'facts.json');
  const ledger: Ledger = JSON.parse(readFileSync(path, 'utf8'));

  test.each(['facts', 'gaps'] as const)('have every column in every row of %s', (kind) => {
    const isComplete = (row: Row) =>
      Object.keys(row).sort().join() === columns[kind].join() && Object.values(row).every((value) => value !== '');
    expect(ledger[kind].filter((row) => !isComplete(row))).toEqual([]);
    expect(ledger[kind].every(({ verified }) => typeof verified === (kind === 'facts' ? 'boolean' : 'undefined'))).toBe(
      true,
    );
  });

  test('name the files whose tests prove them', () => {
    const rows = [...ledger.facts, ...ledger.gaps];
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([]);
    const isTestFile = (file: string) => /^test\/.+\.test\.ts$/.test(file) && existsSync(join(root, file));
    expect(rows.flatMap(({ tests }) => tests).filter((file) => !isTestFile(file))).toEqual([]);
  });
});
