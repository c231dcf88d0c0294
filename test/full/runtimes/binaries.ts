import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../package/installed.js';

/** npm packages that contain the executable of a runtime or depend on one that does. */
const packages = {
  'Node 20': `node-${process.platform}-${process.arch}@20.19.0`,
  'Node 22': `node-${process.platform}-${process.arch}@22.23.3`,
  'Node 24': `node-${process.platform}-${process.arch}@24.21.0`,
  'Node 26': `node-${process.platform}-${process.arch}@26.10.0`,
  Bun: 'bun@1.4.5',
  Deno: 'deno@2.9.5',
  workerd: 'miniflare@4.20260426.0',
  esbuild: 'esbuild@0.27.7',
} as const;

/** A runtime or bundler. */
export type Program = keyof typeof packages;

/** Where a program was installed, or why it was not. */
export type Installed = { readonly folder: string; readonly path: string } | { readonly missing: string };

/** Installs a program below a folder without running install scripts. */
export async function installProgram(program: Program, below: string): Promise<Installed> {
  const folder = join(below, program.replace(' ', '-').toLowerCase());
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  try {
    await run(folder, 'npm', 'install', ...flags, packages[program]);
  } catch (error) {
    return { missing: `${packages[program]} cannot be installed: ${(error as Error).message.slice(0, 200)}` };
  }
  const path = await programIn(join(folder, 'node_modules'), program);
  return path === undefined ? { missing: `${packages[program]} has no program for this machine` } : { folder, path };
}

/** The executable itself; some runtimes have one package per platform. */
async function programIn(modules: string, program: Program): Promise<string | undefined> {
  const scoped = async (scope: string, name: string) => {
    const found = existsSync(join(modules, scope)) ? await readdir(join(modules, scope)) : [];
    return found.map((each) => join(modules, scope, each, name)).find(existsSync);
  };
  if (program === 'Bun') return scoped('@oven', 'bin/bun');
  if (program === 'Deno') return scoped('@deno', 'deno');
  if (program === 'workerd') return scoped('@cloudflare', 'bin/workerd');
  if (program === 'esbuild') return scoped('@esbuild', 'bin/esbuild');
  const [name = ''] = packages[program].split('@');
  return [join(modules, name, 'bin/node')].find(existsSync);
}
