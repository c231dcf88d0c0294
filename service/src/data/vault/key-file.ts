import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** Key file of a data folder. */
export const keyPath = (folder: string): string => join(folder, 'key');

/** The keys of a folder, newest first; undefined if it has none. Rejects a file that others can read. */
export function readKeyFile(folder: string): readonly string[] | undefined {
  const path = keyPath(folder);
  if (!existsSync(path)) return undefined;
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new Error(
      `Other users can read the key file ${path}: run chmod 600 on it, and run rotate-key if someone may have read it.`,
    );
  }
  const keys = readFileSync(path, 'utf8').split(/\s+/).filter(Boolean);
  if (keys.length === 0) throw new Error(`The key file ${path} is empty: restore it from its backup.`);
  return keys;
}

/** Replaces a folder's key file atomically. */
export function writeKeyFile(folder: string, keys: readonly string[]): void {
  const path = keyPath(folder);
  renameSync(writePart(path, keys), path);
  syncFolder(folder);
}

/** Creates a folder's key file; if another process created one first, that key is kept. */
export function createKeyFile(folder: string, key: string): void {
  const path = keyPath(folder);
  const part = writePart(path, [key]);
  try {
    // Unlike a rename, a link never replaces a file.
    linkSync(part, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(part);
  }
  syncFolder(folder);
}

function writePart(path: string, keys: readonly string[]): string {
  const part = `${path}.${randomUUID()}.part`;
  const file = openSync(part, 'wx', 0o600);
  try {
    writeSync(file, `${keys.join('\n')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return part;
}

/** Syncs the folder itself on systems that support it. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
