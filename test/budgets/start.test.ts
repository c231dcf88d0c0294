import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const importing = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

test('importing a connector loads few files besides those of zod', async () => {
  const hooks = importing(`
    import { writeSync } from 'node:fs';
    export const load = (url, context, next) => (writeSync(1, url + '\\n'), next(url, context));`);
  const code = `import { register } from 'node:module'; register(${JSON.stringify(hooks)}); await import('agent-connectors/linear');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  const files = stdout.split('\n').filter((line) => line.startsWith('file:'));
  const [ofZod, others] = [true, false].map((is) => files.filter((url) => url.includes('/node_modules/zod/') === is));
  expect(others).toContainEqual(expect.stringMatching(/\/dist\/linear\.js$/));
  expect(others!.filter((url) => !/\/dist\/(linear|chunks\/[\w-]+)\.js$/.test(url))).toEqual([]);
  expect(others!.length).toBeLessThanOrEqual(30);
  // All entry points of zod 4.6 load its 64 locales.
  expect(ofZod!.filter((url) => !url.includes('/locales/')).length).toBeLessThanOrEqual(31);
});

test('a service that has started keeps little memory for new objects', async () => {
  const report = importing(`
    import { getHeapSpaceStatistics } from 'node:v8';
    import { isMainThread } from 'node:worker_threads';
    const sizeOf = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
    if (isMainThread) process.on('exit', () => process.stderr.write('new space: ' + sizeOf() + '\\n'));`);
  const binary = resolve('service/bin/agent-connectors-service.js');
  const child = spawn(process.execPath, ['--import', report, binary, '--dev', '--port', '0', '--json']);
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  for (let output = ''; !output.includes('listening'); ) output += (await once(child.stdout, 'data'))[0];
  child.kill('SIGTERM');
  await once(child, 'close');
  // V8 lets it grow to 32 MiB or more otherwise.
  expect(Number(/new space: (\d+)/.exec(errors)?.[1])).toBeLessThanOrEqual(8 * 2 ** 20);
});
