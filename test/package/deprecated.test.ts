import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { GongConnector } from 'agent-connectors/gong';
import { createAgentTools } from 'agent-connectors/tools';
import ts from 'typescript';
import { expect, test } from 'vitest';

const program = `import { GongConnector } from 'agent-connectors/gong';
const gong = new GongConnector({ credentials: { access_key: 'k', access_key_secret: 's' } });
const content = { highlights: true, pointsOfInterest: true };
gong.calls_extensive.list({ filter: {}, contentSelector: { exposedFields: { content: { highlights: true, pointsOfInterest: true } } } });
`;

/** What an editor shows at the last occurrence of a name in the program, based on the published declarations. */
function shown(name: string) {
  const file = resolve('program.ts');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    types: [],
    paths: { 'agent-connectors/*': [resolve('dist/types/connectors/*/index.d.ts')] },
  };
  const read = (path: string) => (path === file ? program : existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = read(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: read,
    directoryExists: ts.sys.directoryExists,
  });
  return service.getQuickInfoAtPosition(file, program.lastIndexOf(name));
}

test('an editor strikes through fields that a vendor no longer sends', () => {
  expect(shown('pointsOfInterest')?.tags).toMatchObject([{ name: 'deprecated' }]);
  expect(shown('highlights')?.displayParts).toBeDefined();
  expect(shown('highlights')?.tags).toBeUndefined();
});

test('descriptions and agent tools also reflect the deprecation', async () => {
  const text = JSON.stringify(GongConnector.describe());
  expect(text).toMatch(/"pointsOfInterest":\{[^}]*"deprecated":true/);
  const gong = new GongConnector({ credentials: { access_key: 'k', access_key_secret: 's' } });
  const [, docs] = createAgentTools([gong]);
  const read = async (section?: string) => (await docs.run({ connector: 'gong', ...(section && { section }) })).text;
  const action = await read('actions.calls_extensive.list');
  expect(action).toContain('highlights, keyPoints');
  expect(action).not.toContain('pointsOfInterest');
  expect(await read('what-to-know')).toContain("`pointsOfInterest` in a call's content is deprecated");
});
