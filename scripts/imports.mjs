/**
 * The import graph of the three packages: `node scripts/imports.mjs` prints folders, imports, upward imports,
 * cycles, pairs of folders that import each other, and small files that only one file imports.
 *
 * Type imports count too, because a reader also follows them. `test/architecture.test.ts` enforces what is declared
 * here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Layers from top to bottom, as path patterns: a file imports from its own layer and those below. */
export const layers = {
  library: [
    { name: 'programs', files: /^src\/(index\.ts|cli\/)/ },
    { name: 'registry', files: /^connectors\/index\.ts$/ },
    { name: 'mcp', files: /^src\/(mcp|adapters)\// },
    { name: 'tools', files: /^src\/(tools|node)\// },
    { name: 'connectors', files: /^connectors\/[\w-]+\// },
    { name: 'authoring', files: /^src\/authoring\.ts$/ },
    { name: 'setup, replication', files: /^src\/(setup|replication)\// },
    { name: 'connector', files: /^src\/(connector|any-connector|core|internal-calls|select-transport)\.ts$/ },
    { name: 'transports', files: /^src\/(direct|hosted|connect)\// },
    { name: 'wire', files: /^src\/wire\// },
    { name: 'call', files: /^src\/call\// },
    { name: 'manifest', files: /^src\/manifest\// },
    { name: 'search', files: /^src\/search\// },
    { name: 'action', files: /^src\/action\// },
    { name: 'auth', files: /^src\/auth\// },
    { name: 'http', files: /^src\/http\// },
    { name: 'errors', files: /^src\/(errors\/|version\.ts$)/ },
  ],
  service: [
    { name: 'start', files: /^service\/src\/((cli\/.+|index|service|options|context-store)\.ts$|cli\/)/ },
    { name: 'web', files: /^service\/src\/web\// },
    { name: 'domain', files: /^service\/src\/domain\// },
    { name: 'data', files: /^service\/src\/data\// },
    { name: 'common', files: /^service\/src\/(common\/|version\.ts$)/ },
  ],
  sandbox: [
    { name: 'testing', files: /^sandbox\/src\/testing\// },
    { name: 'demo', files: /^sandbox\/src\/demo\// },
    { name: 'programs', files: /^sandbox\/src\/(cli|listing|load-vendors|msw|register|server|index)\.ts$/ },
    { name: 'sandbox', files: /^sandbox\/src\/(sandbox|types|control|vendors)\.ts$/ },
    { name: 'vendors', files: /^sandbox\/src\/(linear|gong|granola|google|google-drive|google-analytics)\// },
    { name: 'common', files: /^sandbox\/src\/[\w-]+\.ts$/ },
  ],
};

const folders = ['src', 'connectors', 'service/src', 'sandbox/src'];

/** Every source file of the packages, as `{ file, text }` with paths from the root. */
export const readSources = () =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => ({ file: `${folder}/${name}`, text: readFileSync(join(root, folder, name), 'utf8') })),
  );

/** Every import, export-from, dynamic import and import type of a module: `{ specifier, to, kind }`. */
export function importsOf(file, text) {
  const found = [];
  const add = (node, kind) => {
    if (!node || !ts.isStringLiteralLike(node)) return;
    const specifier = node.text;
    const resolved = specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
    found.push({ specifier, kind, to: resolved.replace(/(?<=^[^@].*)\.js$/, '.ts') });
  };
  const visit = (node) => {
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

/** Which files each file imports, by path. */
export function graphOf(sources) {
  const known = new Set(sources.map(({ file }) => file));
  return new Map(
    sources.map(({ file, text }) => [
      file,
      [...new Set(importsOf(file, text).map(({ to }) => to))].filter((to) => known.has(to)),
    ]),
  );
}

/** Imports from a layer to one above it, as `from -> to`. */
export function upwardImports(graph) {
  const layerOf = (file) => {
    for (const [name, list] of Object.entries(layers)) {
      const layer = list.findIndex(({ files }) => files.test(file));
      if (layer >= 0) return { name, layer };
    }
    throw new Error(`${file} belongs to no layer: see scripts/imports.mjs.`);
  };
  return [...graph].flatMap(([from, all]) => {
    const at = layerOf(from);
    return all
      .filter((to) => layerOf(to).name === at.name && layerOf(to).layer < at.layer)
      .map((to) => `${from} -> ${to}`);
  });
}

/** Strongly connected components, largest first (Tarjan). */
export function findCycles(graph) {
  const order = new Map();
  const low = new Map();
  const stack = [];
  const cycles = [];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    for (const to of graph.get(file) ?? []) {
      if (!order.has(to)) visit(to);
      if (stack.includes(to)) low.set(file, Math.min(low.get(file), low.get(to)));
    }
    if (low.get(file) !== order.get(file)) return;
    const cycle = stack.splice(stack.indexOf(file));
    if (cycle.length > 1 || graph.get(file)?.includes(file)) cycles.push(cycle.sort());
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return cycles.sort((one, other) => other.length - one.length);
}

/** Pairs of folders that import each other, as `a <-> b`; a folder and one inside it are not a pair. */
export function mutualFolders(graph) {
  const edges = new Set([...graph].flatMap(([from, all]) => all.map((to) => `${dirname(from)} <-> ${dirname(to)}`)));
  return [...edges].filter((edge) => {
    const [from, to] = edge.split(' <-> ');
    return from < to && !to.startsWith(`${from}/`) && edges.has(`${to} <-> ${from}`);
  });
}

/** Files below 40 lines that exactly one file imports: often a part of their importer. */
export function smallParts(sources, graph) {
  const importers = new Map();
  for (const to of [...graph.values()].flat()) importers.set(to, (importers.get(to) ?? 0) + 1);
  return sources.flatMap(({ file, text }) =>
    text.trimEnd().split('\n').length < 40 && importers.get(file) === 1 ? file : [],
  );
}

function print() {
  const sources = readSources();
  const graph = graphOf(sources);
  const cycles = findCycles(graph);
  const upward = upwardImports(graph);
  for (const folder of folders) {
    const files = sources.filter(({ file }) => file.startsWith(`${folder}/`));
    const lines = files.reduce((sum, { text }) => sum + text.split('\n').length, 0);
    console.log(
      `${folder}: ${files.length} files, ${lines} lines, ${new Set(files.map(({ file }) => dirname(file))).size} folders`,
    );
  }
  console.log(`${[...graph.values()].flat().length} imports, ${upward.length} upward, ${cycles.length} cycles`);
  const mutual = mutualFolders(graph);
  const small = smallParts(sources, graph);
  console.log(`${mutual.length} pairs of folders import each other`);
  for (const pair of mutual) console.log(`  ${pair}`);
  const share = ((100 * small.length) / sources.length).toFixed(1);
  console.log(`${small.length} of ${sources.length} files (${share} %) are below 40 lines and have one importer`);
  for (const edge of upward) console.log(`  upward: ${edge}`);
  for (const cycle of cycles) console.log(`  circle of ${cycle.length}: ${cycle.slice(0, 12).join(', ')}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) print();
