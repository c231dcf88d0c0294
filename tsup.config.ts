import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { defineConfig, type Options } from 'tsup';
import ts from 'typescript';
import { textFiles } from './scripts/text-files.mjs';

/** A folder under `connectors/` is an entry point of the package: a new connector needs no line here. */
const connectors = readdirSync('connectors', { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** Frameworks for which the package has an entry point: agent frameworks, and OpenTelemetry. */
const adapters = ['ai-sdk', 'openai', 'anthropic', 'langchain', 'telemetry'];

/** Code of a module; in connectors, bundlers can drop the constants that a program does not use. */
const marked = (path: string, code: string): string => (/\/connectors\//.test(path) ? withPureConstants(code) : code);

/** Wraps the values of constants that are computed by calls: `const a = b()` → `const a = (() => b())()`, marked pure. */
function withPureConstants(code: string): string {
  const { statements } = ts.createSourceFile('module.js', code, ts.ScriptTarget.ESNext);
  const isComputed = (node: ts.Node): boolean =>
    ts.isCallExpression(node) ||
    ts.isNewExpression(node) ||
    (!ts.isFunctionLike(node) && ts.forEachChild(node, isComputed) === true);
  const values = statements
    .filter((statement) => ts.isVariableStatement(statement))
    .flatMap(({ declarationList }) =>
      declarationList.flags & ts.NodeFlags.Const ? [...declarationList.declarations] : [],
    )
    .flatMap(({ initializer }) => (initializer && isComputed(initializer) ? [initializer] : []));
  return values.reduceRight(
    (text, { pos, end }) =>
      `${text.slice(0, pos)} /* @__PURE__ */ (() => (${text.slice(pos, end)}))()${text.slice(end)}`,
    code,
  );
}

/**
 * Removes comments from what is bundled, since esbuild keeps the ones inside classes and functions, and marks our own
 * constants as free of side effects, so that bundlers drop the schemas that a program does not use.
 */
const withoutComments: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'without-comments',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$|@modelcontextprotocol.*\.m?js$/ }, async ({ path }) => ({
      contents: marked(path, ts.transpileModule(await readFile(path, 'utf8'), { compilerOptions }).outputText),
      loader: 'ts',
    })),
};

/** Pages for MCP clients are included as text, minified since clients download them. */
const pages: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'pages',
  setup: ({ onLoad, esbuild }) =>
    onLoad({ filter: /\.page\.js$/ }, async ({ path }) => ({
      contents: (await esbuild.transform(await readFile(path, 'utf8'), { minify: true })).code,
      loader: 'text',
    })),
};

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  removeComments: true,
};

const common = {
  format: 'esm',
  target: 'es2023',
  loader: textFiles,
  external: ['zod', 'ky', 'p-retry', '#default-fetch', /^node:/],
  splitting: true,
  dts: false,
  silent: true,
  esbuildPlugins: [withoutComments, pages],
  esbuildOptions: (options) => {
    options.chunkNames = 'chunks/[name]-[hash]';
  },
} satisfies Options;

const library = {
  entry: {
    index: 'src/index.ts',
    node: 'src/node/index.ts',
    tools: 'src/tools/index.ts',
    code: 'src/tools/code/index.ts',
    replication: 'src/replication/index.ts',
    search: 'src/search/index.ts',
    setup: 'src/setup/index.ts',
    hosted: 'src/hosted/index.ts',
    connect: 'src/connect/index.ts',
    wire: 'src/wire/index.ts',
    // The two targets of `#default-fetch` in package.json.
    'chunks/default-fetch': 'src/http/default-fetch.ts',
    'chunks/default-fetch-node': 'src/node/default-fetch.ts',
    mcp: 'src/mcp/index.ts',
    ...Object.fromEntries(adapters.map((name) => [name, `src/adapters/${name}.ts`])),
    ...Object.fromEntries(connectors.map(({ name }) => [name, `connectors/${name}/index.ts`])),
    ...Object.fromEntries(
      connectors
        .filter(({ name }) => existsSync(`connectors/${name}/schemas.ts`))
        .map(({ name }) => [`${name}/schemas`, `connectors/${name}/schemas.ts`]),
    ),
  },
  ...common,
  platform: 'neutral',
  // The command line's folder is cleaned by its own build, which runs at the same time.
  clean: ['!cli/**'],
} satisfies Options;

/** The command line, bundled with everything it needs that is not a dependency of the package. */
const commandLine = {
  ...common,
  entry: { index: 'src/cli/cli.ts' },
  noExternal: [/^@modelcontextprotocol\//],
  outDir: 'dist/cli',
  platform: 'node',
  clean: true,
} satisfies Options;

export default defineConfig([library, commandLine]);
