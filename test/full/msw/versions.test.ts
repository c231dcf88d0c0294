import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder, install, pack, remove, run } from '../../package/installed.js';

let packed: string;
let tarballs: string[];
beforeAll(async () => {
  packed = await emptyFolder();
  tarballs = await Promise.all(['.', 'sandbox'].map(async (source) => (await pack(source, packed)).file));
});
afterAll(() => remove(packed));

describe.each([
  { msw: '2.11.0', node: '20' },
  { msw: '2.15.0', node: '20' },
  { msw: '3', node: '24' },
])('msw $msw on Node $node', ({ msw, node }) => {
  let folder: string;
  beforeAll(async () => {
    folder = await emptyFolder();
    await install(folder, ...tarballs, `msw@${msw}`, 'vitest@4.1.12', 'undici@7.30.2', '@types/node@20');
    const text = await readFile('examples/guides/msw.test.ts', 'utf8');
    const example = msw === '3' ? text.replace('onUnhandledRequest', 'onUnhandledFrame') : text;
    await writeFile(join(folder, 'msw.test.ts'), example);
  });
  afterAll(() => remove(folder));

  const runNode = (...rest: readonly string[]) => run(folder, 'npx', '-y', '-p', `node@${node}`, 'node', ...rest);

  test("the guide's test passes", async () => {
    expect(await runNode('node_modules/vitest/vitest.mjs', 'run')).toMatch(/Tests .*2 passed/);
  });

  test("the guide's test compiles", async () => {
    const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--noEmit', '--skipLibCheck'];
    expect(await run(folder, 'node', resolve('node_modules/typescript/bin/tsc'), ...options, 'msw.test.ts')).toBe('');
  });

  test('the clients named in the guide are intercepted, and no others', async () => {
    await cp(resolve('test/full/msw/clients.mjs'), join(folder, 'clients.mjs'));
    expect(JSON.parse(await runNode('clients.mjs'))).toEqual({
      'undici.request': 'sent',
      'undici.fetch': 'sent',
      'get, imported by name': 'sent',
      'http.get': 'intercepted',
      fetch: 'intercepted',
      'fetch with an Agent': 'intercepted',
    });
  });
});
