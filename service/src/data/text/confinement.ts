import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Packages that readers of file formats import. */
export const readerPackages = [
  '@e965/xlsx',
  '@hyzyla/pdfium',
  '@kenjiuno/decompressrtf',
  '@kenjiuno/msgreader',
  'chardet',
  'dingbat-to-unicode',
  'htmlparser2',
  'numfmt',
  'postal-mime',
  'word-extractor',
] as const;

/**
 * Node's options that let a program read only its own folder and the packages that it imports: no other file, such as a
 * key or another process's memory, no child process, no thread and no native code. Undefined where that is not
 * possible; a thread would escape it, so the parent has to watch the memory, which takes Linux.
 */
export function confinementOf(code: URL): readonly string[] | undefined {
  if (process.platform !== 'linux' || process.versions.bun !== undefined) return undefined;
  const own = dirname(realpathSync(fileURLToPath(code)));
  // Not all of node_modules: Node follows symbolic links, and a linked package, such as that of a workspace, would open
  // the folder around it.
  const readable = [own, ...packageFolders(own)];
  // Node 20 splits a path at commas.
  if (readable.some((folder) => folder.includes(',') || folder.includes('*'))) return undefined;
  const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
  return [flag, ...readable.map((folder) => `--allow-fs-read=${folder}/*`)];
}

/** Folders of the readers' packages and their dependencies. */
function packageFolders(own: string): Set<string> {
  const folders = new Set<string>();
  const add = (name: string, from: string) => {
    const folder = packageFolder(name, from);
    if (folder === undefined || folders.has(folder)) return;
    folders.add(folder);
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const needed = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies };
    for (const dependency of Object.keys(needed)) add(dependency, folder);
  };
  for (const name of readerPackages) add(name, own);
  return folders;
}

type Manifest = Partial<
  Record<'dependencies' | 'optionalDependencies' | 'peerDependencies', Readonly<Record<string, string>>>
>;

/** The real folder of the package that a file in a folder imports. */
function packageFolder(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(join(path, 'package.json'))) return realpathSync(path);
    if (folder === dirname(folder)) return undefined;
  }
}

/** Resident memory of a process in bytes; undefined if it has ended. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Kills a process if this one ends first, even if it is killed: the shell's input then ends. */
export function killWithParent({ pid }: ChildProcess): () => void {
  const shell = spawn('/bin/sh', ['-c', 'read line; kill -9 "$1"', 'sh', String(pid)], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell, a process that is not in an endless loop still ends, because its channel closes.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  (shell.stdin as unknown as { unref?: () => void }).unref?.();
  return () => void shell.kill('SIGKILL');
}
