import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyConsumer, emptyFolder, install, pack, remove, run } from '../installed.js';

let folder: string;

beforeAll(async () => {
  folder = await emptyFolder();
  const [library, sandbox] = [await pack('.', folder), await pack('sandbox', folder)];
  await install(folder, library.file, sandbox.file);
  await copyConsumer('smoke.mjs', folder);
  await copyConsumer('consumer.ts', folder);
});

afterAll(() => remove(folder));

test.each([22, 24, 26])('the packages run on Node %s', async (major) => {
  const node = ['-y', '-p', `node@${major}`, 'node'];
  expect(await run(folder, 'npx', ...node, '--version')).toMatch(`v${major}.`);
  expect(await run(folder, 'npx', ...node, 'smoke.mjs')).toBe('works\n');
});

test.each(['5.6', '6', '7'])('the types are right under TypeScript %s', async (version) => {
  const lib = ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'];
  const options = { module: 'nodenext', lib, target: 'es2023', strict: true, noEmit: true, types: [] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['consumer.ts'] }));
  const compiler = ['-y', '-p', `typescript@${version}`, 'tsc'];
  expect(await run(folder, 'npx', ...compiler, '--version')).toContain(`Version ${version}.`);
  expect(await run(folder, 'npx', ...compiler, '-p', '.')).toBe('');
});
