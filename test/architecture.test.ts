import { readdirSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { vendorsNamed } from './vendor-names.js';

interface Import {
  readonly to: string;
  readonly specifier: string;
  readonly kind: 'static' | 'dynamic' | 'type';
}
type Graph = ReadonlyMap<string, readonly string[]>;

const {
  importsOf,
  readSources,
  graphOf,
  findCycles,
  upwardImports,
}: {
  importsOf(file: string, text: string): Import[];
  readSources(): ReadonlyArray<{ readonly file: string; readonly text: string }>;
  graphOf(sources: ReadonlyArray<{ readonly file: string; readonly text: string }>): Graph;
  findCycles(graph: Graph): string[][];
  upwardImports(graph: Graph): string[];
} = await import(new URL('../scripts/imports.mjs', import.meta.url).href);

interface Rule {
  readonly from: RegExp;
  /** What can be imported besides what the layers allow; `$1` is what `from` captured. */
  readonly may: readonly string[];
  readonly only?: Import['kind'];
}

const library = ['src/.+'];
const engine = ['zod', 'src/(?!index).+'];
/**
 * The first rule whose `from` matches a file applies, and imports that it does not list are rejected. Layers are
 * enforced as well.
 */
const rules: readonly Rule[] = [
  { from: /^connectors\/index\.ts$/, may: ['connectors/[a-z-]+/index.ts'], only: 'dynamic' },
  { from: /^connectors\/([\w-]+)\//, may: ['zod', 'src/authoring.ts', 'connectors/$1/.+'] },
  { from: /^src\/index\.ts$/, may: ['connectors/index.ts', 'src/core.ts'] },
  { from: /^src\/http\/exchange\.ts$/, may: ['ky', ...engine] },
  { from: /^src\/http\/retry\.ts$/, may: ['p-retry', ...engine] },
  {
    from: /^src\/node\//,
    may: ['node:.+', 'src/node/.+', 'src/call/.+', 'src/http/private-address\\.ts', 'src/manifest/.+'],
  },
  { from: /^src\/cli\//, may: ['zod', 'node:.+', 'connectors/index.ts', ...library] },
  { from: /^src\/tools\/code\/isolate\.ts$/, may: ['node:.+', ...engine] },
  { from: /^src\/mcp\//, may: ['zod', 'node:.+', '@modelcontextprotocol/.+', 'connectors/index.ts', ...library] },
  { from: /^src\/adapters\//, may: ['src/adapters/.+', 'src/tools/.+', 'src/call/.+', 'src/manifest/.+'] },
  { from: /^src\//, may: engine },
  // Nothing else needs the package, which is installed only where traces are wanted.
  {
    from: /^service\/src\/common\/telemetry\.ts$/,
    may: ['agent-connectors', '@opentelemetry/api', 'prom-client', 'service/src/.+'],
  },
  { from: /^service\/src\/common\/gauges\.ts$/, may: ['prom-client'] },
  // The only place that may know about the query builder.
  {
    from: /^service\/src\/data\/state\//,
    may: ['node:.+', 'agent-connectors(/.+)?', 'kysely', 'pg', 'service/src/.+'],
  },
  { from: /^service\/src\/data\/objects\/s3\.ts$/, may: ['node:.+', 'aws4fetch', 'service/src/.+'] },
  {
    from: /^service\/src\//,
    may: [
      'node:.+',
      'zod',
      'agent-connectors(/.+)?',
      '(hono|@hono|jose|pino|undici|pg|p-retry|@photostructure|unpdf|dingbat-to-unicode|fflate|htmlparser2|standardwebhooks|stemmer)(/.+)?',
      'service/src/.+',
    ],
  },
  // The conformance suite is the only code that needs Vitest and the library.
  {
    from: /^sandbox\/src\/testing\//,
    may: ['node:.+', 'vitest', 'zod', 'agent-connectors', 'sandbox/src/(testing/.+|faults.ts|requests.ts|types.ts)'],
  },
  { from: /^sandbox\/src\/demo\//, may: ['node:.+', 'agent-connectors(/.+|-service)?', 'sandbox/src/.+'] },
  { from: /^sandbox\/src\//, may: ['node:.+', 'graphql(/.+)?', 'sandbox/src/.+'] },
];

/** Imports that the file's rule does not allow. */
function strayImports(file: string, text: string): string[] {
  const rule = rules.find(({ from }) => from.test(file));
  if (!rule) return ['no rule covers this file'];
  const own = rule.from.exec(file)?.[1] ?? '';
  const may = rule.may.map((pattern) => new RegExp(`^${pattern.replace('$1', own)}$`));
  return importsOf(file, text)
    .filter(({ to, kind }) => !may.some((allowed) => allowed.test(to)) || (rule.only && kind !== rule.only))
    .map(({ specifier, kind }) => `${specifier} (${kind})`);
}

const withoutExtension = (file: string, text: string): string[] =>
  importsOf(file, text).flatMap(({ specifier }) =>
    specifier.startsWith('.') && !/\.(js|json|md)$/.test(specifier) ? specifier : [],
  );

const longest = 300;
const tooLong = (text: string): boolean => text.trimEnd().split('\n').length > longest;

/** Comparisons with a connector's name, and its name as a literal, outside its own folder. */
function detections(text: string, connectors: readonly string[]): string[] {
  const found: string[] = [];
  const asks = (node: ts.Node) => /^(.*\.)?(connector|vendor|manifest)(\.(name|title))?$/i.test(node.getText());
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && connectors.includes(node.text)) found.push(node.getText());
    if (ts.isBinaryExpression(node) && /^[!=]==?$/.test(node.operatorToken.getText())) {
      const literal = [node.left, node.right].some(ts.isStringLiteralLike);
      if (literal && (asks(node.left) || asks(node.right))) found.push(node.getText());
    }
    if (ts.isSwitchStatement(node) && asks(node.expression)) found.push(`switch (${node.expression.getText()})`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('text.ts', text, ts.ScriptTarget.Latest, true));
  return found;
}

/** Parts of a connector that combine calls, and therefore await them. */
const composing = /^connectors\/[\w-]+\/(replication\/.+|setup\.ts)$/;

/** Names that do I/O, which connectors leave to the engine. */
function effects(file: string, text: string): string[] {
  const io = new Set(['fetch', 'XMLHttpRequest', 'WebSocket', 'setTimeout', 'setInterval', 'console', 'localStorage']);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const property = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
    if (ts.isIdentifier(node) && io.has(node.text) && !property && !ts.isPropertyAssignment(node.parent))
      found.push(node.text);
    if (ts.isAwaitExpression(node) && !composing.test(file)) found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(ts.createSourceFile('text.ts', text, ts.ScriptTarget.Latest, true), visit);
  return found;
}

const sources = readSources();
const graph = graphOf(sources);
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

  test(`has no file longer than ${longest} lines`, () => {
    expect(sources.filter(({ text }) => tooLong(text)).map(({ file }) => file)).toEqual([]);
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

describe('the rules themselves', () => {
  test.each([
    ['connectors/gong/index.ts', "import ky from 'ky';"],
    ['connectors/gong/index.ts', "import { readFileSync } from 'node:fs';"],
    ['connectors/gong/index.ts', "import { id } from '../linear/operations.js';"],
    ['connectors/gong/index.ts', "import { local } from '../../src/http/local.js';"],
    ['connectors/gong/index.ts', "export { createSandbox } from 'agent-connectors-sandbox';"],
    ['connectors/gong/index.ts', "const sandbox = () => import('../../sandbox/src/index.js');"],
    ['connectors/index.ts', "import { LinearConnector } from './linear/index.js';"],
    ['connectors/index.ts', "export type { Issue } from './linear/index.js';"],
    ['src/call/shape.ts', "import { join } from 'node:path';"],
    ['src/call/shape.ts', "import { join } from 'path';"],
    ['src/call/shape.ts', "import ky from 'ky';"],
    ['src/call/shape.ts', "import { ConnectorError } from '../index.js';"],
    ['src/index.ts', "export { shape } from './call/shape.js';"],
    ['src/connector.ts', "import { connectors } from '../connectors/index.js';"],
    ['src/http/local.ts', "import type { KyInstance } from 'ky';"],
    ['src/http/local.ts', "const load = () => import('p-retry');"],
    ['src/http/exchange.ts', "let retry: import('p-retry').Options;"],
    ['src/tools/execute.ts', "import { argv } from 'node:process';"],
    ['sandbox/src/index.ts', "import { parseJson } from '../../src/http/json.js';"],
    ['sandbox/src/index.ts', "import type { Issue } from 'agent-connectors/linear';"],
    ['sandbox/src/index.ts', "import { describe } from 'vitest';"],
    ['sandbox/src/testing/index.ts', "import { LinearConnector } from 'agent-connectors/linear';"],
    ['sandbox/src/index.ts', "import { selections } from '../../connectors/linear/records.js';"],
    ['elsewhere/index.ts', ''],
  ])('reject, in %s: %s', (file, text) => {
    expect(strayImports(file, text)).toHaveLength(1);
  });

  test.each([
    [
      'connectors/gong/index.ts',
      "import * as z from 'zod'; import { get } from '../../src/authoring.js'; import './records.js';",
    ],
    ['connectors/index.ts', "const gong = () => import('./gong/index.js');"],
    ['src/http/exchange.ts', "import ky from 'ky';"],
    ['src/cli/main.ts', "import { argv } from 'node:process';"],
    [
      'sandbox/src/testing/index.ts',
      "import { test } from 'vitest'; import { ConnectorError } from 'agent-connectors';",
    ],
    ['sandbox/src/server.ts', "import { createServer } from 'node:http'; import { parse } from 'graphql';"],
  ])('allow, in %s: %s', (file, text) => {
    expect(strayImports(file, text)).toEqual([]);
  });

  test('reject an import without its extension', () => {
    expect(withoutExtension('src/a.ts', "import './b'; import { c } from './c.ts'; import './d.js';")).toEqual([
      './b',
      './c.ts',
    ]);
  });

  test('reject the 301st line', () => {
    expect([tooLong('x\n'.repeat(300)), tooLong('x\n'.repeat(301))]).toEqual([false, true]);
  });

  test.each([
    ["if (connector === 'acme') go();"],
    ["const odd = 'acme' !== manifest.name;"],
    ['switch (this.manifest.name) { default: }'],
    ["const special = new Set(['linear']);"],
  ])('reject the connector check: %s', (text) => {
    expect(detections(text, ['linear', 'gong'])).toHaveLength(1);
  });

  test.each([
    ["const probes = { 'google-analytics': 1 };"],
    ['const probes = { gong: 1 };'],
    ['const x = env.GOOGLE_ANALYTICS_PROPERTY_ID;'],
    ['const isGranola = true;'],
    ['const text = `Linear is down.`;'],
  ])('reject the vendor in: %s', (text) => {
    expect(vendorsNamed('service/src/domain/a.ts', text)).toHaveLength(1);
  });

  test('allow a vendor in a comment, and a word that only starts like one', () => {
    expect(vendorsNamed('src/a.ts', '// such as linear\nconst linearly = 1;')).toEqual([]);
  });

  test.each([["load(fetch('/'))"], ['const body = await reply;'], ['console.log(1)'], ['setTimeout(go)']])(
    'reject the I/O in: %s',
    (text) => {
      expect(effects('connectors/gong/calls.ts', text)).toHaveLength(1);
    },
  );

  test('allow a name that only looks like I/O', () => {
    expect(effects('connectors/gong/calls.ts', "// fetch('/')\nconst a = { fetch: 1, b: calls.fetch };")).toEqual([]);
  });

  test('find a cycle of three, and none in a chain', () => {
    const chain = new Map([
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', []],
      ['d', []],
    ]);
    expect(findCycles(chain)).toEqual([]);
    expect(findCycles(new Map([...chain, ['c', ['a']]]))).toEqual([['a', 'b', 'c']]);
    expect(findCycles(new Map([['a', ['a']]]))).toEqual([['a']]);
  });

  test.each([
    ['service/src/data/state/database.ts', 'service/src/domain/http-error.ts'],
    ['service/src/domain/http-error.ts', 'service/src/web/app.ts'],
    ['connectors/gong/index.ts', 'src/cli/commands.ts'],
    ['src/http/local.ts', 'src/authoring.ts'],
    ['sandbox/src/vendor.ts', 'sandbox/src/linear/vendor.ts'],
    ['sandbox/src/server.ts', 'sandbox/src/testing/index.ts'],
  ])('find the upward import from %s to %s', (from, to) => {
    expect(upwardImports(new Map([[from, [to]]]))).toEqual([`${from} -> ${to}`]);
    expect(upwardImports(new Map([[to, [from]]]))).toEqual([]);
  });

  test('reject a file that belongs to no layer', () => {
    expect(() => upwardImports(new Map([['service/src/elsewhere/a.ts', []]]))).toThrow('belongs to no layer');
  });
});
