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

/** Where a data folder keeps the keys that were made for it. */
export const keyPath = (folder: string): string => join(folder, 'key');

/** The keys of a folder, the newest first, or nothing where it has none; a file that others can read is refused. */
export function readKeyFile(folder: string): readonly string[] | undefined {
  const path = keyPath(folder);
  if (!existsSync(path)) return undefined;
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new Error(
      `Other users can read the key file ${path}: run chmod 600 on it, and rotate-key if it may have been read.`,
    );
  }
  const keys = readFileSync(path, 'utf8').split(/\s+/).filter(Boolean);
  if (keys.length === 0) throw new Error(`The key file ${path} is empty: restore it from its backup.`);
  return keys;
}

/** Replaces the keys of a folder: all of them or, should the machine stop, none. */
export function writeKeyFile(folder: string, keys: readonly string[]): void {
  const path = keyPath(folder);
  renameSync(writePart(path, keys), path);
  syncFolder(folder);
}

/** Makes the key file of a folder that has none yet; where another process was faster, its key stays. */
export function createKeyFile(folder: string, key: string): void {
  const path = keyPath(folder);
  const part = writePart(path, [key]);
  try {
    // A link, unlike a rename, never replaces.
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

/** Puts the folder's entries on disk too, where the system lets a folder be opened. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
