import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { builtInSqlite } from '../../service/src/data/sqlite.js';

const execute = promisify(execFile);

/** A package as packed by `npm pack`. */
export interface PackedPackage {
  readonly file: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly bundled: readonly string[];
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: number; readonly mode: number }>;
}

/** The names of the files in a package. */
export const pathsOf = ({ files }: PackedPackage): string[] => files.map(({ path }) => path);

/** Runs a command in a folder and returns its output; if it fails, the error contains all of it. */
export async function run(folder: string, command: string, ...rest: string[]): Promise<string> {
  try {
    const { stdout } = await execute(command, rest, { cwd: folder, maxBuffer: 32 * 2 ** 20, env: userEnvironment() });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error([`${command} ${rest.join(' ')} failed`, stdout, stderr].join('\n'), { cause: error });
  }
}

/** The environment without the variables of npm and the test runner, so that only the folder matters. */
const userEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|VITEST|INIT_CWD)/.test(name)));

/** An empty folder outside the repository. */
export const emptyFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'agent-connectors-package-'));

/** Deletes folders created by `emptyFolder`. */
export const remove = (...folders: readonly string[]) =>
  Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));

/** Packs one of the repository's packages. */
export async function pack(source: string, into: string): Promise<PackedPackage> {
  const printed = await run(resolve(source), 'npm', 'pack', '--json', '--pack-destination', into);
  const [{ filename, ...contents }] = JSON.parse(printed) as [PackedPackage & { readonly filename: string }];
  return { ...contents, file: join(into, filename) };
}

/** Installs packages into a folder like a user would, from npm's cache if possible. */
export async function install(folder: string, ...packages: readonly string[]): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...packages);
}

/** What the service needs besides its dependencies, on this version of Node. */
export const sqlitePackage = builtInSqlite() ? [] : ['@photostructure/sqlite'];

/**
 * Copies a package from the repository into a folder and installs it there, with these tarballs as its dependencies.
 */
export async function installCopy(source: string, folder: string, ...packages: readonly string[]): Promise<void> {
  const isSource = (path: string) => !/[/\\](node_modules|dist)$/.test(path);
  await cp(resolve(source), folder, { recursive: true, filter: isSource });
  await run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--save-dev', ...packages);
}

/** Copies a file from `test/package/consumer` into a folder. */
export const copyConsumer = async (name: string, folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await cp(resolve('test/package/consumer', name), join(folder, name));
};

/** Everything below a folder, and its size in bytes. */
export async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Names of the packages installed in a folder. */
export async function installedIn(folder: string): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  return Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ''));
}

/** The entries that a user can import, based on the connectors' folders. */
export async function entries(): Promise<string[]> {
  const folders = (await readdir('connectors', { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const connectors = folders.flatMap(({ name }) => [name, `${name}/schemas`]);
  return ['agent-connectors', 'agent-connectors/tools', ...connectors.map((name) => `agent-connectors/${name}`)];
}
