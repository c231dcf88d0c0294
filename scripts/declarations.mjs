/**
 * Emits the library's declarations, like `tsc -p tsconfig.build.json`. Connectors' declarations get JSDoc from their
 * manifests for entities, actions, parameters and fields, and map to the source of each. Requires tsup's output.
 * Those that no export leads to are left out.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { annotate } from './declarations/annotate.mjs';
import { descriptionsAsComments } from './declarations/descriptions.mjs';
import { replicationType } from './declarations/replication-type.mjs';
import { root } from './run.mjs';

const host = {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
  },
};
const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(`${root}tsconfig.build.json`, {}, host);
const program = ts.createProgram(fileNames, options);
const emitted = new Map();
const write = (file, text) => emitted.set(file, text);
const { diagnostics } = program.emit(undefined, write, undefined, false, {
  afterDeclarations: [descriptionsAsComments(program)],
});
const found = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
if (found.length > 0) {
  const formatHost = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' };
  process.stderr.write(ts.formatDiagnostics(found, formatHost));
  process.exit(1);
}

const { connectors } = await import(pathToFileURL(`${root}dist/index.js`).href);
const checker = program.getTypeChecker();
for (const [name, load] of Object.entries(connectors)) {
  const declaration = `${options.outDir}/connectors/${name}/index.d.ts`;
  const source = program.getSourceFile(`${root}connectors/${name}/index.ts`);
  const description = (await load()).describe();
  const fields = `${root}docs/fields/${name}.json`;
  const meanings = existsSync(fields) ? JSON.parse(readFileSync(fields, 'utf8')) : {};
  const { text, map } = annotate({ declaration, source, description, meanings, emitted, checker });
  emitted.set(declaration, text).set(`${declaration}.map`, map);
}

// Connector types of this version, which the service client does not know.
const wire = `${options.outDir}/src/wire/connectors.d.ts`;
const names = await Promise.all(
  Object.entries(connectors).map(async ([name, load]) => `    '${name}': ${await replicationType(await load())};`),
);
emitted.set(wire, emitted.get(wire).replace(/(interface KnownTypes \{)\s*(?=\})/, `$1\n${names.join('\n')}\n`));

/** Declarations that can be reached from the package's exports; programs see no others. */
function reachable() {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const entries = Object.values(exports).flatMap((target) => target?.types ?? []);
  const patterns = entries.map((types) => types.replace('./dist/types', options.outDir).split('*'));
  const isEntry = (file) => patterns.some(([start, end]) => file === start || (end && isBetween(file, start, end)));
  const files = new Set([...emitted.keys()].filter(isEntry));
  for (const file of files) {
    for (const [, path] of emitted.get(file).matchAll(/(?:from |import\()["'](\.[^"']+)\.js["']/g)) {
      files.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  return files;
}

const isBetween = (file, start, end) => file.startsWith(start) && file.endsWith(end);

const published = reachable();
const isPublished = (file) => published.has(file.replace(/\.map$/, ''));
await Promise.all(
  [...emitted]
    .filter(([file]) => isPublished(file))
    .map(async ([file, text]) => {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }),
);
