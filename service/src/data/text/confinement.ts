import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Node's options that let a program read only its own folder and the packages that it can import: no other file, such
 * as a key or another process's memory, no child process, no thread and no native code. Undefined where that is not
 * possible; a thread would escape it, so the parent has to watch the memory, which takes Linux.
 */
export function confinementOf(code: URL): readonly string[] | undefined {
  if (process.platform !== 'linux' || process.versions.bun !== undefined) return undefined;
  const own = dirname(realpathSync(fileURLToPath(code)));
  const readable = [own];
  for (let folder = own; ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules');
    if (existsSync(packages)) readable.push(realpathSync(packages));
    if (folder === dirname(folder)) break;
  }
  // Node 20 splits a path at commas.
  if (readable.some((folder) => folder.includes(',') || folder.includes('*'))) return undefined;
  const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
  return [flag, ...readable.map((folder) => `--allow-fs-read=${folder}/*`)];
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
