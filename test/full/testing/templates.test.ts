import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, install, pack, remove, run } from '../../package/installed.js';
import { chromiumBrowser } from '../chromium.js';

const templates = ['examples/testing/github.yaml', 'examples/testing/gitlab.yaml'];

/** The tests that a CI template runs; its other commands install what they need. */
const testsIn = (template: string): string[] =>
  [...template.matchAll(/^ +- (?:run: )?(npx \w+ (?:run|test))$/gm)].map(([, command]) => command!);

test('the tests that the CI templates run pass in an empty project, from the tarballs', async () => {
  // Installs Chromium if it is missing.
  await (await chromiumBrowser()).close();
  const folder = await emptyFolder();
  onTestFinished(async () => void (await remove(folder)));
  const tarballs = await Promise.all(['.', 'sandbox'].map(async (source) => (await pack(source, folder)).file));
  const { devDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const tools = ['msw', 'vitest'].map((name) => `${name}@${devDependencies[name]}`);
  await install(folder, ...tarballs, ...tools, `@playwright/test@${devDependencies['playwright-core']}`);
  const files = (await readdir('examples/testing')).filter((name) => name.endsWith('.mjs'));
  for (const name of files) await cp(join('examples/testing', name), join(folder, name));
  await cp('examples/guides/fixtures.test.ts', join(folder, 'fixtures.test.ts'));
  // Playwright's own Chromium would be downloaded.
  await cp(join(folder, 'playwright.config.mjs'), join(folder, 'guide.config.mjs'));
  await writeFile(
    join(folder, 'playwright.config.mjs'),
    `import config from './guide.config.mjs';
    const launchOptions = { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] };
    export default { ...config, use: { ...config.use, launchOptions } };`,
  );

  const printed = new Map<string, string>();
  const commands = (await Promise.all(templates.map((path) => readFile(path, 'utf8')))).flatMap(testsIn);
  expect(commands).toHaveLength(4);
  for (const command of new Set(commands)) {
    const [program, ...rest] = command.split(' ');
    printed.set(command, await run(folder, program!, ...rest));
  }
  expect(printed.get('npx vitest run')).toMatch(/Tests .*3 passed/);
  expect(printed.get('npx playwright test')).toContain('2 passed');
});
