import ts from 'typescript';

interface Import {
  readonly to: string;
  readonly specifier: string;
  readonly kind: 'static' | 'dynamic' | 'type';
}
type Graph = ReadonlyMap<string, readonly string[]>;

const imports: {
  importsOf(file: string, text: string): Import[];
  readSources(): ReadonlyArray<{ readonly file: string; readonly text: string }>;
  graphOf(sources: ReadonlyArray<{ readonly file: string; readonly text: string }>): Graph;
  findCycles(graph: Graph): string[][];
  upwardImports(graph: Graph): string[];
  mutualFolders(graph: Graph): string[];
  smallParts(sources: ReadonlyArray<{ readonly file: string; readonly text: string }>, graph: Graph): string[];
} = await import(new URL('../scripts/imports.mjs', import.meta.url).href);
const { importsOf } = imports;
export const { readSources, graphOf, findCycles, upwardImports, mutualFolders, smallParts } = imports;

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
  { from: /^src\/http\/exchange\.ts$/, may: ['ky', '#default-fetch', ...engine] },
  { from: /^src\/http\/retry\.ts$/, may: ['p-retry', ...engine] },
  {
    from: /^src\/node\//,
    may: [
      'node:.+',
      'src/node/.+',
      'src/any-connector\\.ts',
      'src/(action|errors|manifest)/.+',
      'src/http/private-address\\.ts',
    ],
  },
  { from: /^src\/cli\//, may: ['zod', 'node:.+', 'connectors/index.ts', ...library] },
  { from: /^src\/tools\/code\/isolate\.ts$/, may: ['node:.+', ...engine] },
  { from: /^src\/mcp\//, may: ['zod', 'node:.+', '@modelcontextprotocol/.+', 'connectors/index.ts', ...library] },
  { from: /^src\/adapters\/telemetry\.ts$/, may: ['@opentelemetry/api', ...engine] },
  { from: /^src\/adapters\//, may: ['src/adapters/.+', 'src/tools/.+'] },
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
  // The readers, which run in child processes.
  {
    from: /^service\/src\/data\/text\//,
    may: [
      'node:.+',
      'agent-connectors(/.+)?',
      '(@e965/xlsx|@hyzyla/pdfium|@kenjiuno/(decompressrtf|msgreader)|chardet|dingbat-to-unicode|htmlparser2|numfmt|postal-mime|word-extractor)',
      'service/src/.+',
    ],
  },
  {
    from: /^service\/src\//,
    may: [
      'node:.+',
      'zod',
      'agent-connectors(/.+)?',
      '(hono|@hono|jose|openid-client|pino|undici|pg|p-retry|@photostructure|fflate|standardwebhooks|stemmer)(/.+)?',
      'service/src/.+',
    ],
  },
  // The conformance suite is the only code that needs Vitest and the library.
  {
    from: /^sandbox\/src\/testing\//,
    may: ['node:.+', 'vitest', 'zod', 'agent-connectors', 'sandbox/src/(testing/.+|faults.ts|requests.ts|types.ts)'],
  },
  { from: /^sandbox\/src\/demo\//, may: ['node:.+', 'agent-connectors(/.+|-service)?', 'sandbox/src/.+'] },
  { from: /^sandbox\/src\/msw\.ts$/, may: ['msw', 'graphql', 'sandbox/src/.+'] },
  { from: /^sandbox\/src\//, may: ['node:.+', 'graphql(/.+)?', 'sandbox/src/.+'] },
];

/** Imports that the file's rule does not allow. */
export function strayImports(file: string, text: string): string[] {
  const rule = rules.find(({ from }) => from.test(file));
  if (!rule) return ['no rule covers this file'];
  const own = rule.from.exec(file)?.[1] ?? '';
  const may = rule.may.map((pattern) => new RegExp(`^${pattern.replace('$1', own)}$`));
  return importsOf(file, text)
    .filter(({ to, kind }) => !may.some((allowed) => allowed.test(to)) || (rule.only && kind !== rule.only))
    .map(({ specifier, kind }) => `${specifier} (${kind})`);
}

/** Relative imports that do not end in an extension. */
export const withoutExtension = (file: string, text: string): string[] =>
  importsOf(file, text).flatMap(({ specifier }) =>
    specifier.startsWith('.') && !/\.(js|json|md)$/.test(specifier) ? specifier : [],
  );

/** Above this many lines, a file probably contains more than one idea. */
export const maxLines = 500;

/** Files that are longer, each with the reason why it is still one idea. */
const longFiles: Readonly<Record<string, string>> = {};

/** Whether a file exceeds the line limit without being listed, or is listed without exceeding it. */
export const hasWrongLength = (file: string, text: string): boolean =>
  text.trimEnd().split('\n').length > maxLines !== file in longFiles;

/** Comparisons with a connector's name, and its name as a literal, outside its own folder. */
export function detections(text: string, connectors: readonly string[]): string[] {
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
export function effects(file: string, text: string): string[] {
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
