import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Where framework packages for documentation and adapter tests are installed. */
const folder = 'test/adapters';

/**
 * The result of `npm init` with a strict `tsconfig.json`, and the declarations of the lowest supported Node version.
 */
const settings = {
  strict: true,
  target: ts.ScriptTarget.ES2023,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
  module: ts.ModuleKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  allowJs: true,
  checkJs: true,
};

/** Compiles each snippet as a module in an empty project, against the built packages, and reports errors. */
export function errorsIn(pieces) {
  const project = join(process.cwd(), folder, 'pasted');
  const { devDependencies } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const foreign = new RegExp(`from '(?:${Object.keys(devDependencies).join('|')})['/]`);
  const isInstalled = existsSync(`${folder}/node_modules`);
  const files = new Map();
  let skipped = 0;
  for (const piece of pieces) {
    const above = textAbove(piece);
    if (!isInstalled && foreign.test(above + piece.code)) {
      skipped++;
      continue;
    }
    const name = piece.file ?? `${piece.page.replaceAll('/', '-')}-${piece.line}.${piece.language}`;
    files.set(join(project, name), { ...piece, above });
  }
  if (skipped > 0)
    console.log(`${skipped} not compiled: npm run test:adapters installs the frameworks that they import`);

  const folders = new Set([project, ...[...files.keys()].map(dirname)]);
  const host = ts.createCompilerHost(settings);
  const { fileExists, readFile, getSourceFile, directoryExists } = host;
  const textOf = ({ above, code }) => above + code;
  host.directoryExists = (path) => folders.has(path) || directoryExists(path);
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => (files.has(path) ? textOf(files.get(path)) : readFile(path));
  host.getSourceFile = (path, target, ...rest) =>
    files.has(path)
      ? ts.createSourceFile(path, textOf(files.get(path)), target, true)
      : getSourceFile(path, target, ...rest);
  const program = ts.createProgram([...files.keys()], settings, host);
  return [...files].flatMap(([path, { page, line, above }]) => {
    const source = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.flatMap(({ start = 0, code, messageText }) => {
      const at = source.getLineAndCharacterOfPosition(start).line - above.split('\n').length + 1;
      // Errors in the preceding snippet are reported there.
      return at < 0 ? [] : `${page}:${line + at} TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}

/** The code that a reader has already pasted. */
const textAbove = ({ before }) => (before ? textAbove(before) + before.code : '');
