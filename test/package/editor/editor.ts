import { relative, resolve } from 'node:path';
import ts from 'typescript';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

/** The part of TypeScript's source mapper that editors use but its types omit. */
interface SourceMapper {
  tryGetSourcePosition(place: {
    fileName: string;
    pos: number;
  }): { readonly fileName: string; readonly pos: number } | undefined;
}

/** A completion, and the details an editor shows next to it. */
export interface Completion {
  readonly name: string;
  readonly text: string;
  readonly documentation: string;
}

/** What an editor shows at the cursor in a program. */
export interface View {
  hover(): { readonly text: string; readonly documentation: string; readonly tags: string };
  completions(): Completion[];
  /** Only the names, which an editor requests first. */
  names(): string[];
  signatures(): string[];
  /** File and line of the definition; for a declaration with a source map, the file and line in its source. */
  definition(): { readonly file: string; readonly line: string };
  errors(): string[];
}

const plain = ts.displayPartsToString;

/**
 * The language service that editors run, over programs that import the built packages; `¦` marks the cursor in each.
 */
export function openEditor(programs: Readonly<Record<string, string>>): (name: string) => View {
  // Inside the package folder, so that the package's own name resolves to its exports.
  const fileOf = (name: string) => resolve('test/package/editor', `virtual-${name}.ts`);
  const files = new Map(Object.entries(programs).map(([name, text]) => [fileOf(name), text.replace('¦', '')]));
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...files.keys()],
    getScriptVersion: () => '1',
    getScriptSnapshot: (file) => {
      const text = files.get(file) ?? ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (file) => files.has(file) || ts.sys.fileExists(file),
    readFile: (file) => files.get(file) ?? ts.sys.readFile(file),
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const mapper = (service as unknown as { getSourceMapper(): SourceMapper }).getSourceMapper();

  return (name) => {
    const file = fileOf(name);
    const at = programs[name]!.indexOf('¦');
    const entries = () => service.getCompletionsAtPosition(file, at, {})?.entries ?? [];
    return {
      hover: () => {
        const info = service.getQuickInfoAtPosition(file, at);
        const tags = (info?.tags ?? []).map((tag) => plain(tag.text)).join('\n');
        return { text: plain(info?.displayParts), documentation: plain(info?.documentation), tags };
      },
      names: () => entries().map(({ name: entry }) => entry),
      completions: () =>
        entries().map(({ name: entry }) => {
          const details = service.getCompletionEntryDetails(
            file,
            at,
            entry,
            undefined,
            undefined,
            undefined,
            undefined,
          );
          return { name: entry, text: plain(details?.displayParts), documentation: plain(details?.documentation) };
        }),
      signatures: () =>
        (service.getSignatureHelpItems(file, at, undefined)?.items ?? []).map(
          ({ prefixDisplayParts, parameters, separatorDisplayParts, suffixDisplayParts }) =>
            plain(prefixDisplayParts) +
            parameters.map(({ displayParts }) => plain(displayParts)).join(plain(separatorDisplayParts)) +
            plain(suffixDisplayParts),
        ),
      definition: () => {
        const found = service.getDefinitionAtPosition(file, at)?.[0];
        if (!found) return { file: '', line: '' };
        const declared = { fileName: found.fileName, pos: found.textSpan.start };
        const { fileName, pos } = mapper.tryGetSourcePosition(declared) ?? declared;
        const text = files.get(fileName) ?? ts.sys.readFile(fileName) ?? '';
        const end = text.indexOf('\n', pos);
        const line = text.slice(text.lastIndexOf('\n', pos - 1) + 1, end < 0 ? undefined : end).trim();
        return { file: relative(process.cwd(), fileName), line };
      },
      errors: () =>
        service
          .getSemanticDiagnostics(file)
          .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
    };
  };
}
