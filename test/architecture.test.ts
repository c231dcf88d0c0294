import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import {
  detections,
  effects,
  findCycles,
  graphOf,
  hasWrongLength,
  maxLines,
  mutualFolders,
  readSources,
  smallParts,
  strayImports,
  upwardImports,
  withoutExtension,
} from './architecture-rules.js';
import { vendorsNamed } from './vendor-names.js';

const sources = readSources();
const graph = graphOf(sources);
/** All code in the repository, with tests, scripts and styles, but without what is built, installed or recorded. */
const handWritten = ts.sys.readDirectory(
  '.',
  ['.ts', '.cts', '.tsx', '.js', '.mjs', '.css'],
  ['**/node_modules', '**/dist', '**/dist-demo', 'test/fixtures'],
  ['bench', 'bin', 'connectors', 'embedder', 'examples', 'sandbox', 'scripts', 'service', 'src', 'test'],
);
const connectorNames = readdirSync('connectors', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);
const under = (...folders: string[]) =>
  sources.filter(({ file }) => folders.some((folder) => file.startsWith(`${folder}/`)));

const failing = (files: ReturnType<typeof readSources>, problem: (file: string, text: string) => readonly string[]) =>
  Object.fromEntries(
    files.flatMap(({ file, text }) => (problem(file, text).length > 0 ? [[file, problem(file, text)]] : [])),
  );

describe('the source tree', () => {
  test('imports only what its layer allows', () => {
    expect(failing(sources, strayImports)).toEqual({});
  });

  test('ends relative imports with .js', () => {
    expect(failing(sources, withoutExtension)).toEqual({});
  });

  test('has no circular imports, including type imports', () => {
    expect(findCycles(graph)).toEqual([]);
  });

  test('imports only from the same layer or one below', () => {
    expect(upwardImports(graph)).toEqual([]);
  });

  test('has no two folders that import each other', () => {
    expect(mutualFolders(graph)).toEqual([]);
  });

  test('has few files below 40 lines that a single file imports', () => {
    expect(smallParts(sources, graph).length).toBeLessThanOrEqual(0.05 * sources.length);
  });

  test(`has no file longer than ${maxLines} lines that is not listed with a reason`, () => {
    expect(handWritten.length).toBeGreaterThan(sources.length);
    expect(handWritten.filter((file) => hasWrongLength(file, readFileSync(file, 'utf8')))).toEqual([]);
  });

  test('never checks which connector it serves', () => {
    expect(failing(under('src'), (_, text) => detections(text, connectorNames))).toEqual({});
  });

  test('names no vendor outside the connectors', () => {
    expect(failing(under('src', 'service/src'), vendorsNamed)).toEqual({});
  });

  test('issues permits for connector data only in the gate', () => {
    const issuing = under('service/src').filter(({ text }) => /\bnew Permit\b/.test(text));
    expect(issuing.map(({ file }) => file)).toEqual(['service/src/domain/connectors/gate.ts']);
  });

  test('does no I/O in a connector', () => {
    const folders = connectorNames.map((name) => `connectors/${name}`);
    expect(failing(under(...folders), effects)).toEqual({});
  });
});
