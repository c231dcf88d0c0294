import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder, install, pack, remove, run } from '../../package/installed.js';
import { installProgram } from './binaries.js';

let folder: string;
let scratch: string;

beforeAll(async () => {
  [folder, scratch] = [await emptyFolder(), await emptyFolder()];
  // A peer dependency of one entry, and types required by another.
  const more = ['@modelcontextprotocol/server@2.4.0', '@types/node@20.19.43'];
  await install(folder, (await pack('.', scratch)).file, (await pack('sandbox', scratch)).file, ...more);
  await cp(resolve('test/package/consumer/consumer.ts'), join(folder, 'consumer.ts'));
  await cp(resolve('test/full/runtimes/programs/entries.ts'), join(folder, 'entries.ts'));
  for (const [name, text] of Object.entries(common)) await writeFile(join(folder, name), text);
});

afterAll(() => remove(folder, scratch));

/** CommonJS programs. */
const common = {
  'required.cts': `import { ConnectorError } from 'agent-connectors';
import linear = require('agent-connectors/linear');
const made = new linear.LinearConnector({ credentials: { api_key: 'k' } });
export const issues: Promise<linear.Issue[]> = made.issues.list({ first: 1 }).then(({ data }) => data);
// @ts-expect-error A parameter of the wrong type.
export const wrong = () => made.issues.list({ first: 'ten' });
export const code = (error: unknown): string | undefined => (ConnectorError.is(error) ? error.code : undefined);
`,
  'imported.cts': `import type { Issue } from 'agent-connectors/linear' with { 'resolution-mode': 'import' };
export async function issues(): Promise<Issue[]> {
  const { LinearConnector } = await import('agent-connectors/linear');
  const made = new LinearConnector({ credentials: { api_key: 'k' } });
  // @ts-expect-error A parameter of the wrong type.
  const wrong = () => made.issues.list({ first: 'ten' });
  return (await made.issues.list({ first: 1 })).data ?? wrong;
}
`,
};

const versions = ['5.6.3', '5.7.3', '5.8.3', '5.9.3', '6.0.3', '7.0.2'] as const;

describe.each(versions)('under TypeScript %s', (version) => {
  let tsc: string;
  beforeAll(async () => {
    const place = join(scratch, `typescript-${version}`);
    await mkdir(place);
    await install(place, '--ignore-scripts', `typescript@${version}`);
    tsc = join(place, 'node_modules/typescript/bin/tsc');
  });

  /** Compiler errors for some files. */
  async function complaints(files: readonly string[], more: object = {}): Promise<string> {
    const lib = ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'];
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true };
    const compilerOptions = {
      module: 'nodenext',
      lib,
      target: 'es2023',
      noEmit: true,
      types: ['node'],
      ...strict,
      ...more,
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    return run(folder, process.execPath, tsc, '-p', '.').catch(({ message }: Error) => message);
  }

  test('the types of every entry point are correct', async () => {
    expect(await run(folder, process.execPath, tsc, '--version')).toBe(`Version ${version}\n`);
    expect(await complaints(['entries.ts'], { skipLibCheck: false })).toBe('');
    expect(await complaints(['entries.ts'], { skipLibCheck: false, lib: ['es2023'] })).toBe('');
    expect(await complaints(['entries.ts'], { module: 'esnext', moduleResolution: 'bundler' })).toBe('');
  });

  test("the sandbox's types are also correct without Node's types", async () => {
    expect(await complaints(['consumer.ts'], { types: [], skipLibCheck: false })).toBe('');
  });

  test('a CommonJS program gets the same types with import()', async () => {
    expect(await complaints(['imported.cts'])).toBe('');
    expect(await complaints(['imported.cts'], { module: 'node16' })).toBe('');
  });

  test('a CommonJS program gets the same types with require, if the compiler supports it', async () => {
    const knows = Number.parseFloat(version) >= 5.8;
    const said = await complaints(['required.cts']);
    if (knows) expect(said).toBe('');
    else expect(said).toMatch(/TS1479[\s\S]*TS1471/);
  });
});

describe.each(['Node 20', 'Node 22', 'Node 24', 'Node 26'] as const)('on %s', (program) => {
  test('every entry point can be required, with the same exports as an import', async ({ skip }) => {
    const found = await installProgram(program, scratch);
    if ('missing' in found) return skip(found.missing);
    const names = JSON.stringify(await entriesOf(folder));
    const each = (load: string) => `(async () => {
      const found = {};
      for (const name of ${names}) found[name] = Object.keys(${load}).sort();
      console.log(JSON.stringify(found));
    })()`;
    const told = async (type: string, load: string) =>
      JSON.parse(await run(folder, found.path, `--input-type=${type}`, '-e', each(load))) as Record<string, string[]>;
    const imported = await told('module', 'await import(name)');
    expect(Object.entries(imported).filter(([, exported]) => exported.length === 0)).toEqual([]);
    expect(await told('commonjs', 'require(name)')).toEqual(imported);
  });
});

/** Everything that can be imported: the named entries and the connectors. */
async function entriesOf(installed: string): Promise<string[]> {
  const { exports } = JSON.parse(await readFile(join(installed, 'node_modules/agent-connectors/package.json'), 'utf8'));
  const named = Object.keys(exports).filter((key) => exports[key]?.default !== undefined && !key.includes('*'));
  const connectors = (await readdir('connectors', { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return [
    ...named.map((key) => join('agent-connectors', key)),
    ...connectors.map(({ name }) => `agent-connectors/${name}`),
  ];
}
