/**
 * How many of our files a reader follows: `node scripts/walks.mjs [--list] [--check]` runs a call, a semantic search
 * and a replication job in memory, and counts the source files in which a function ran, based on V8's call counts.
 * `--list` names them; `--check` fails above the limit.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from './run.mjs';

/** Below `node_modules`, so that imported packages are found. */
const copy = await mkdtemp(join(root, 'node_modules/.walks-'));

/** The sources as JavaScript, one file each, so that a function's file is its source file. */
async function transpile(folder) {
  for (const name of await readdir(join(root, folder), { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const { outputText } = ts.transpileModule(await readFile(join(root, folder, name), 'utf8'), {
      compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
    });
    const to = join(copy, folder, name.replace(/\.ts$/, '.js'));
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, outputText);
  }
}

async function asPackage(name, folder, exports) {
  const to = join(copy, 'node_modules', name);
  await mkdir(to, { recursive: true });
  await writeFile(join(to, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
  for (const part of folder) await symlink(join(copy, part), join(to, part.split('/').at(-1)));
}

const imports = { '#default-fetch': './src/node/default-fetch.js' };

try {
  for (const folder of ['src', 'connectors', 'service/src', 'sandbox/src']) await transpile(folder);
  await writeFile(join(copy, 'package.json'), JSON.stringify({ type: 'module', imports }));
  await cp(join(root, 'service/package.json'), join(copy, 'service/package.json'));
  await asPackage('agent-connectors', ['src', 'connectors'], {
    '.': './src/index.js',
    ...Object.fromEntries(
      ['hosted', 'wire', 'node', 'tools', 'setup', 'replication', 'search', 'mcp'].map((room) => [
        `./${room}`,
        `./src/${room}/index.js`,
      ]),
    ),
    './*': './connectors/*/index.js',
  });
  for (const name of await readdir(join(root, 'service')).catch(() => [])) {
    if (name === 'node_modules') await symlink(join(root, 'service/node_modules'), join(copy, 'service/node_modules'));
  }
  await cp(join(root, 'scripts/walks/walk.mjs'), join(copy, 'walk.mjs'));
  const { status } = spawnSync(process.execPath, [join(copy, 'walk.mjs'), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  await rm(copy, { recursive: true, force: true });
}
