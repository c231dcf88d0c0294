import { join } from 'node:path';
import ts from 'typescript';

/** Compiles each piece of code as a module of its own, in the page's folder, and names what does not compile. */
export function errorsIn(pieces) {
  const root = process.cwd();
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: ['src/index.ts'] }, ts.sys, root);
  // Blank lines before the code, so that the compiler counts lines as the page does.
  const files = new Map(
    pieces.map(({ page, line, language, code }) => [
      join(root, `${page}.${line}.${language}`),
      { page, text: '\n'.repeat(line - 1) + code },
    ]),
  );
  const settings = { ...options, allowJs: true, checkJs: true, moduleDetection: ts.ModuleDetectionKind.Force };
  const host = ts.createCompilerHost(settings);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path)?.text ?? readFile(path);
  host.getSourceFile = (path, target, ...rest) =>
    files.has(path)
      ? ts.createSourceFile(path, files.get(path).text, target, true)
      : getSourceFile(path, target, ...rest);
  const program = ts.createProgram([...files.keys()], settings, host);
  return [...files].flatMap(([path, { page }]) => {
    const source = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ start = 0, code, messageText }) => {
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      return `${page}:${line} TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}
