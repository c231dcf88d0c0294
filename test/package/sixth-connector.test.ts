import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = fileURLToPath(new URL('../sixth-connector/connectors/larder/', import.meta.url));
const registry = 'connectors/index.ts';
const line = "  larder: async () => (await import('./larder/index.js')).LarderConnector,";
const run = promisify(execFile);

let copy: string;
let changes: string[];

/** The package with one more connector folder, and that connector's line in the list. */
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'agent-connectors-sixth-'));
  const settings = ['package.json', 'tsup.config.ts', 'scripts/text-files.mjs', 'tsconfig.json', 'tsconfig.build.json'];
  for (const part of ['src', 'connectors', ...settings]) {
    await cp(join(root, part), join(copy, part), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await cp(folder, join(copy, 'connectors/larder'), { recursive: true });
  const before = (await readFile(join(root, registry), 'utf8')).split('\n');
  const at = before.findIndex((text) => text.includes("import('./linear/index.js')"));
  const after = before.toSpliced(at, 0, line);
  changes = after.filter((text) => !before.includes(text));
  await writeFile(join(copy, registry), after.join('\n'));
});

afterAll(() => rm(copy, { recursive: true, force: true }));

const program = `
  import { connectors } from './dist/index.js';
  import { LarderConnector } from './dist/larder.js';
  const Larder = await connectors.larder();
  const asked = [];
  const fetch = async (url, { headers }) => {
    asked.push(url, headers.authorization);
    return Response.json({ id: 'jar_1', label: 'Plum jam' });
  };
  const larder = new Larder({ credentials: { api_key: 'k3y' }, fetch });
  const { data } = await larder.jars.get({ id: 'jar_1' });
  console.log(JSON.stringify({ same: Larder === LarderConnector, known: Object.keys(connectors), asked, data }));
`;

test('a connector only needs its folder and one line to be built, listed and used', async () => {
  expect(changes).toEqual([line]);
  await run(process.execPath, [join(root, 'node_modules/tsup/dist/cli-default.js')], { cwd: copy });
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: copy });
  const { same, known, asked, data } = JSON.parse(stdout);
  expect(same).toBe(true);
  expect(known).toContain('larder');
  expect(asked).toEqual(['https://api.larder.example/v1/jars/jar_1', 'Bearer k3y']);
  expect(data).toEqual({ id: 'jar_1', label: 'Plum jam', grams: null, keeper: null, filled_at: null });
});
