import ts from 'typescript';
import { expect, test } from 'vitest';
import { connectorsOn } from '../setup.js';
import { shelf } from '../shelf.js';
import { codeTools } from './setup.js';

/** Compiler errors in code that uses the declarations provided by the tools. */
function errorsOf(declarations: string, code: string): string[] {
  const files: Record<string, string> = {
    'types.d.ts': declarations,
    'code.ts': `async () => {${code}\n}; export {};`,
  };
  const host = ts.createCompilerHost({});
  const { getSourceFile } = host;
  host.getSourceFile = (name, target) =>
    name in files ? ts.createSourceFile(name, files[name]!, target) : getSourceFile(name, target);
  const program = ts.createProgram(Object.keys(files), { lib: ['lib.es2023.d.ts'], types: [], noEmit: true }, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

test('declarations are TypeScript that detects mistakes in code', async () => {
  const { linear, granola, drive } = connectorsOn();
  const { docs } = codeTools({ linear, granola, drive });
  const declared = (await docs.run({ connector: 'linear', section: 'code.issues,comments' })).text;
  const right = `
    let count: number = 0;
    for await (const { assignee } of linear.issues.list.all({ first: 50 }, { select_fields: ['assignee.name'] })) if (assignee.name) count++;
    const { data, next } = await linear.comments.list({ issueId: 'x' });
    return data.map(({ body }) => body.length);`;
  expect(errorsOf(declared, right)).toEqual([]);
  expect(errorsOf(declared, 'await linear.issues.list({ frist: 1 })')).toEqual([expect.stringContaining("'frist'")]);
  expect(errorsOf(declared, '(await linear.issues.get({ id: "x" })).data.stat')).toEqual([
    expect.stringContaining("'stat'"),
  ]);
  const files = (await docs.run({ connector: 'drive', section: 'code.files' })).text;
  expect(errorsOf(files, 'return (await drive.files.download({ fileId: "x" })).data.content.length')).toEqual([]);
});

test("an entity's declarations take at most 1,200 tokens, for every entity of every connector", async () => {
  const { linear, granola, drive } = connectorsOn();
  const { docs } = codeTools({ linear, granola, drive });
  for (const [connector, { entities }] of Object.entries({ linear, granola, drive }).map(
    ([key, given]) => [key, given.describe()] as const,
  )) {
    for (const { name } of entities) {
      const { text } = await docs.run({ connector, section: `code.${name}` });
      expect(errorsOf(text, '')).toEqual([]);
      expect(text.length / 4).toBeLessThan(1_200);
    }
  }
});

test('declarations omit denied actions, and searches without a service', async () => {
  const { connector } = shelf(() => null);
  const { docs } = codeTools(connector, { readOnly: true, allow: ['things.list', 'things.create'] });
  const { text } = await docs.run({ section: 'code.things' });
  expect(text).toContain('list: List<');
  expect(text).not.toMatch(/create|delete/);
});

test('the code section lists what can be declared, even for an unknown entity', async () => {
  const { connector } = shelf(() => null);
  const { docs } = codeTools(connector);
  expect((await docs.run({ section: 'code' })).text).toContain('Entities of shelf: things.');
  expect((await docs.run({ section: 'code.thing' })).text).toMatch(
    /There is no thing\.[\s\S]+Entities of shelf: things\./,
  );
  expect((await docs.run({ section: 'errors' })).text).toMatch(/^# errors/);
});
