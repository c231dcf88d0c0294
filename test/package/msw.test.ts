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

test("the guide's test with msw passes in an empty project, from the tarballs", async () => {
  const { devDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const tools = ['msw', 'vitest'].map((name) => `${name}@${devDependencies[name]}`);
  await install(folder, library.file, sandbox.file, ...tools);
  await cp('examples/guides/msw.test.ts', join(folder, 'msw.test.ts'));
  expect(await run(folder, 'npx', '--no', 'vitest', 'run')).toMatch(/Tests .*2 passed/);
});
