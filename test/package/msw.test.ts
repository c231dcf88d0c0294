import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { emptyFolder, install, remove, run } from './installed.js';

const { library, sandbox } = inject('packed');
let folder: string;

beforeAll(async () => {
  folder = await emptyFolder();
});
afterAll(() => remove(folder));

test("the guide's tests with msw pass in an empty project, from the tarballs", async () => {
  const { devDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const tools = ['msw', 'vitest'].map((name) => `${name}@${devDependencies[name]}`);
  await install(folder, library.file, sandbox.file, ...tools);
  for (const name of ['msw.test.ts', 'fixtures.test.ts']) await cp(`examples/guides/${name}`, join(folder, name));
  expect(await run(folder, 'npx', '--no', 'vitest', 'run')).toMatch(/Tests .*5 passed/);
});
