import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { docxOf } from '../../../sandbox/src/google-drive/formats/office.js';
import { readerPackages } from '../../../service/src/data/text/confinement.js';
import { types } from './documents.js';
import { openTextReader } from './open-reader.js';

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'confinement-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Reads a file with a program in place of the worker, as code that has escaped a parser would run. */
async function escaped(script: string, folder = newFolder()): Promise<string | null> {
  mkdirSync(join(folder, 'dist'));
  const path = join(folder, 'dist', 'worker.mjs');
  writeFileSync(
    path,
    `import fs from 'node:fs'; import { spawnSync } from 'node:child_process'; import { Worker } from 'node:worker_threads';
     const attempt = (work) => { try { return work() ?? 'done'; } catch (error) { return error.code ?? error.message; } };
     process.on('message', () => process.send({ state: 'read', text: JSON.stringify(${script}) }));`,
  );
  const { textOf, close } = openTextReader({ worker: pathToFileURL(path) });
  onTestFinished(close);
  return textOf(docxOf(['any']), types.docx, 'a.docx');
}

test.skipIf(process.platform !== 'linux')('code that escaped a parser cannot reach the key', async () => {
  const key = join(newFolder(), 'key');
  writeFileSync(key, 'the master key');
  const outcome = await escaped(`{
    key: attempt(() => fs.readFileSync(${JSON.stringify(key)}, 'utf8')),
    environment: attempt(() => fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8')),
    memory: attempt(() => fs.openSync('/proc/' + process.ppid + '/mem')),
    write: attempt(() => fs.writeFileSync(${JSON.stringify(`${key}.new`)}, '')),
    child: attempt(() => spawnSync('cat', [${JSON.stringify(key)}]).stdout.toString()),
    thread: attempt(() => { new Worker('', { eval: true, execArgv: [] }); }),
    own: process.env,
  }`);
  const denied = 'ERR_ACCESS_DENIED';
  expect(JSON.parse(outcome!)).toMatchObject({
    key: denied,
    environment: denied,
    memory: denied,
    write: denied,
    child: denied,
    thread: denied,
  });
  expect(outcome).not.toContain('AGENT_CONNECTORS');
});

test.skipIf(process.platform !== 'linux')('nor through a linked package, as in a workspace', async () => {
  const root = newFolder();
  writeFileSync(join(root, 'key'), 'the master key');
  mkdirSync(join(root, 'node_modules', '@scope'), { recursive: true });
  const links = ['product', '@scope/product', 'numfmt'].map((name) => join(root, 'node_modules', name));
  for (const link of links) symlinkSync(root, link);
  const paths = JSON.stringify(links.map((link) => join(link, 'key')));
  const outcome = await escaped(`${paths}.map((path) => attempt(() => fs.readFileSync(path, 'utf8')))`, root);
  expect(JSON.parse(outcome!)).toEqual(links.map(() => 'ERR_ACCESS_DENIED'));
});

test('the packages that it may read are those that readers import', () => {
  const folder = fileURLToPath(new URL('../../../service/src/data/text/', import.meta.url));
  const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const imports = sources.flatMap((source) =>
    [...source.matchAll(/^(?!import type ).*?(?: from |\bimport\()'((?:@[\w-]+\/)?[\w-]+)/gm)].map(([, name]) => name!),
  );
  const packages = new Set(imports.filter((name) => !['node', 'agent-connectors'].includes(name)));
  expect([...packages].sort()).toEqual([...readerPackages]);
});

test.skipIf(process.platform === 'win32')('a process that is busy ends with its parent', async () => {
  const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  onTestFinished(() => void busy.kill('SIGKILL'));
  const ended = once(busy, 'exit');
  const built = join(newFolder(), 'confinement.mjs');
  const source = fileURLToPath(new URL('../../../service/src/data/text/confinement.ts', import.meta.url));
  await build({ entryPoints: [source], outfile: built, platform: 'node', format: 'esm' });
  const program = `import { killWithParent } from ${JSON.stringify(pathToFileURL(built).href)};
    killWithParent({ pid: ${busy.pid} });
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 200);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
  await once(parent, 'exit');
  const [, signal] = await ended;
  expect(signal).toBe('SIGKILL');
});
