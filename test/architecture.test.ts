import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

interface Import {
  readonly to: string;
  readonly specifier: string;
  readonly kind: 'static' | 'dynamic' | 'type';
}

interface Rule {
  readonly from: RegExp;
  /** What may be imported; `$1` is what `from` captured. */
  readonly may: readonly string[];
  readonly only?: Import['kind'];
}

const registry = 'connectors/index.ts';
/** The first rule whose `from` matches a file decides; what it does not name is refused. */
const rules: readonly Rule[] = [
  { from: /^connectors\/index\.ts$/, may: ['connectors/[a-z-]+/index.ts'], only: 'dynamic' },
  {
    from: /^connectors\/([\w-]+)\//,
    may: ['zod', 'src/index.ts', 'src/(replication/index|setup/types).ts', 'connectors/$1/.+'],
  },
  { from: /^src\/index\.ts$/, may: [registry, 'src/.+'] },
  {
    from: /^src\/auth\//,
    may: ['zod', 'src/auth/.+', 'src/(errors|nearest).ts', 'src/http/(exchange|fate|fault|json|request|url).ts'],
  },
  { from: /^src\/http\/exchange\.ts$/, may: ['ky', 'src/errors.ts', 'src/http/.+'] },
  { from: /^src\/http\/retry\.ts$/, may: ['p-retry', 'src/errors.ts', 'src/http/.+'] },
  {
    from: /^src\/http\//,
    may: [
      'zod',
      'src/http/.+',
      'src/(errors|manifest|options|plan|policy|redact|result|transport|version).ts',
      'src/auth/.+',
    ],
  },
  { from: /^src\/hosted\/options\.ts$/, may: ['src/errors.ts'] },
  {
    from: /^src\/hosted\//,
    may: ['src/hosted/.+', 'src/http/.+', 'src/(errors|manifest|options|plan|redact|result|transport|version).ts'],
  },
  { from: /^src\/(?:connector|line)\.ts$/, may: ['zod', 'src/(?!index|cli|mcp|tools).+'] },
  { from: /^src\/node\//, may: ['node:.+', 'src/node/.+', 'src/(errors|result).ts'] },
  { from: /^src\/cli\//, may: ['zod', 'node:.+', 'commander', registry, 'src/.+'] },
  { from: /^src\/mcp\//, may: ['zod', 'node:.+', '@modelcontextprotocol/.+', registry, 'src/.+'] },
  { from: /^src\/adapters\//, may: ['src/adapters/.+', 'src/tools/.+', 'src/(errors|describe).ts'] },
  { from: /^src\/tools\//, may: ['zod', 'src/tools/.+', 'src/[a-z-]+.ts'] },
  { from: /^src\/own-calls\.ts$/, may: ['src/(connector|manifest|options|result).ts'] },
  { from: /^src\/replication\//, may: ['src/replication/.+', 'src/(manifest|options|own-calls|result).ts'] },
  {
    from: /^src\/setup\//,
    may: [
      'src/setup/.+',
      'src/auth/(scheme|token-reply).ts',
      'src/http/(address|exchange|request).ts',
      'src/(errors|manifest|options|own-calls|result).ts',
    ],
  },
  {
    from: /^src\//,
    may: [
      'zod',
      'src/(?!index|connector)[a-z-]+.ts',
      'src/auth/scheme.ts',
      'src/hosted/(options|wire).ts',
      'src/http/(fault|request).ts',
      'src/(replication|setup)/types.ts',
    ],
  },
  {
    // Nothing else needs the package, which is there only where somebody wants traces.
    from: /^service\/src\/telemetry\//,
    may: ['node:.+', 'agent-connectors', '@opentelemetry/api', 'service/src/.+'],
  },
  {
    from: /^service\/src\//,
    may: [
      'node:.+',
      'zod',
      'agent-connectors(/.+)?',
      '(hono|@hono|jose|pino|undici|pg|p-retry|@photostructure|unpdf|mammoth|fflate|htmlparser2)(/.+)?',
      'service/src/.+',
    ],
  },
  { from: /^sandbox\/src\//, may: ['node:.+', 'graphql(/.+)?', 'sandbox/src/.+'] },
];

/** Every import, export-from, dynamic import and import type of a module. */
function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node | undefined, kind: Import['kind']) => {
    if (!node || !ts.isStringLiteralLike(node)) return;
    const specifier = node.text;
    const resolved = specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
    found.push({ specifier, kind, to: resolved.replace(/(?<=^[^@].*)\.js$/, '.ts') });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const { isTypeOnly, namedBindings } = node.importClause ?? {};
      const names = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : [];
      const types =
        isTypeOnly || (names.length > 0 && !node.importClause?.name && names.every((name) => name.isTypeOnly));
      add(node.moduleSpecifier, types ? 'type' : 'static');
    }
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'static');
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], 'dynamic');
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, 'type');
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

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

/** Parts of a connector that put calls together, and so wait for them. */
const composing = /^connectors\/[\w-]+\/(replication\/.+|setup\.ts)$/;

/** Names in a connector's code that do I/O, which only the engine may. */
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

/** A cycle of static imports, as the files on it; types and dynamic imports cost nothing at load. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const walk = (file: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const cycle = walk(next, [...trail, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = walk(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}

const sources = ['src', 'connectors', 'sandbox/src', 'service/src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ file: `${folder}/${name}`, text: readFileSync(`${folder}/${name}`, 'utf8') })),
);
const connectorNames = readdirSync('connectors', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);
const under = (...folders: string[]) =>
  sources.filter(({ file }) => folders.some((folder) => file.startsWith(`${folder}/`)));

const failing = (files: typeof sources, problem: (file: string, text: string) => readonly string[]) =>
  Object.fromEntries(
    files.flatMap(({ file, text }) => (problem(file, text).length > 0 ? [[file, problem(file, text)]] : [])),
  );

describe('the source tree', () => {
  test('imports only what its place allows', () => {
    expect(failing(sources, strayImports)).toEqual({});
  });

  test('ends relative imports in .js', () => {
    expect(failing(sources, withoutExtension)).toEqual({});
  });

  test('has no cycle of imports', () => {
    const graph = new Map(
      sources.map(({ file, text }) => [
        file,
        importsOf(file, text).flatMap(({ to, kind }) => (kind === 'static' && to.endsWith('.ts') ? to : [])),
      ]),
    );
    expect(cycleIn(graph)).toBeUndefined();
  });

  test(`has no file of more than ${longest} lines`, () => {
    expect(sources.filter(({ text }) => tooLong(text)).map(({ file }) => file)).toEqual([]);
  });

  test('never asks which connector it serves', () => {
    expect(failing(under('src'), (_, text) => detections(text, connectorNames))).toEqual({});
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
    ['src/shape.ts', "import { join } from 'node:path';"],
    ['src/shape.ts', "import { join } from 'path';"],
    ['src/shape.ts', "import ky from 'ky';"],
    ['src/manifest.ts', "import { local } from './http/local.js';"],
    ['src/shape.ts', "import { ConnectorError } from './index.js';"],
    ['src/connector.ts', "import { connectors } from '../connectors/index.js';"],
    ['src/http/local.ts', "import type { KyInstance } from 'ky';"],
    ['src/http/local.ts', "const load = () => import('p-retry');"],
    ['src/http/exchange.ts', "let retry: import('p-retry').Options;"],
    ['src/auth/bearer.ts', "import { local } from '../http/local.js';"],
    ['src/tools/execute.ts', "import { argv } from 'node:process';"],
    ['sandbox/src/index.ts', "import { parseJson } from '../../src/http/json.js';"],
    ['sandbox/src/index.ts', "import type { Issue } from 'agent-connectors/linear';"],
    ['sandbox/src/index.ts', "import { selections } from '../../connectors/linear/records.js';"],
    ['elsewhere/index.ts', ''],
  ])('refuse, in %s: %s', (file, text) => {
    expect(strayImports(file, text)).toHaveLength(1);
  });

  test.each([
    [
      'connectors/gong/index.ts',
      "import * as z from 'zod'; import { get } from '../../src/index.js'; import './records.js';",
    ],
    ['connectors/index.ts', "const gong = () => import('./gong/index.js');"],
    ['src/http/exchange.ts', "import ky from 'ky';"],
    ['src/cli/main.ts', "import { argv } from 'node:process';"],
    ['sandbox/src/server.ts', "import { createServer } from 'node:http'; import { parse } from 'graphql';"],
  ])('allow, in %s: %s', (file, text) => {
    expect(strayImports(file, text)).toEqual([]);
  });

  test('refuse an import without its extension', () => {
    expect(withoutExtension('src/a.ts', "import './b'; import { c } from './c.ts'; import './d.js';")).toEqual([
      './b',
      './c.ts',
    ]);
  });

  test('refuse the 301st line', () => {
    expect([tooLong('x\n'.repeat(300)), tooLong('x\n'.repeat(301))]).toEqual([false, true]);
  });

  test.each([
    ["if (connector === 'acme') go();"],
    ["const odd = 'acme' !== manifest.name;"],
    ['switch (this.manifest.name) { default: }'],
    ["const special = new Set(['linear']);"],
  ])('refuse the detection: %s', (text) => {
    expect(detections(text, ['linear', 'gong'])).toHaveLength(1);
  });

  test.each([["load(fetch('/'))"], ['const body = await reply;'], ['console.log(1)'], ['setTimeout(go)']])(
    'refuse the I/O in: %s',
    (text) => {
      expect(effects('connectors/gong/calls.ts', text)).toHaveLength(1);
    },
  );

  test('allow a name that only looks like I/O', () => {
    expect(effects('connectors/gong/calls.ts', "// fetch('/')\nconst a = { fetch: 1, b: calls.fetch };")).toEqual([]);
  });

  test('find a cycle of three', () => {
    const graph = new Map([
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', ['a']],
      ['d', []],
    ]);
    expect(cycleIn(graph)).toEqual(['a', 'b', 'c', 'a']);
    expect(cycleIn(new Map([...graph, ['c', []]]))).toBeUndefined();
  });
});
