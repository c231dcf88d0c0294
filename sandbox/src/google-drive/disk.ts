import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, extname, join, sep } from 'node:path';
import type { Blob, Checksums } from '../byte-array.js';
import type { FolderDrive, FolderEntry } from '../folder-drive.js';

/** Serves a folder on disk as My Drive: nothing outside it is read or written, and links are not followed. */
export function driveFromFolder(path: string): FolderDrive {
  const root = realpathSync(path);
  if (!lstatSync(root).isDirectory()) throw new TypeError(`'${path}' is not a folder`);
  const resolveInRoot = (relativePath: string) => resolvePath(root, relativePath);

  const drive: FolderDrive = {
    list: () => [...entriesOf(root, '')],
    open: (relativePath) => new DiskBlob(() => resolveInRoot(relativePath)),
    create(parent, name, content) {
      const relativePath = freePath(root, parent, name);
      if (content) writeFileSync(resolveInRoot(relativePath), content, { flag: 'wx' });
      else mkdirSync(resolveInRoot(relativePath));
      return relativePath;
    },
    write(relativePath, content) {
      const file = openSync(resolveInRoot(relativePath), constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW);
      try {
        writeFileSync(file, content);
      } finally {
        closeSync(file);
      }
    },
    move(relativePath, parent, name) {
      const to = freePath(root, parent, name, relativePath);
      renameSync(resolveInRoot(relativePath), resolveInRoot(to));
      return to;
    },
    remove: (relativePath) => rmSync(resolveInRoot(relativePath), { recursive: true, force: true }),
  };
  return drive;
}

/** Resolves a relative path to an absolute path; the parent folder must exist and must not be a link. */
function resolvePath(root: string, relativePath: string): string {
  const names = relativePath.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || /[\0\\]/.test(name))) {
    throw new RangeError(`'${relativePath}' is not a path inside the served folder`);
  }
  const resolved = join(root, ...names);
  const real = realpathSync(dirname(resolved));
  if (real !== dirname(resolved) || !(real === root || real.startsWith(root + sep))) {
    throw new RangeError(`'${relativePath}' is outside the served folder`);
  }
  return resolved;
}

function* entriesOf(root: string, folder: string): Generator<FolderEntry> {
  const found = readdirSync(join(root, folder), { withFileTypes: true });
  found.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of found) {
    if ((!entry.isFile() && !entry.isDirectory()) || entry.name.includes('\\')) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const { size, birthtimeMs, mtimeMs } = lstatSync(join(root, path));
    const times = { createdTime: Math.floor(birthtimeMs), modifiedTime: Math.floor(mtimeMs) };
    yield { path, isFolder: entry.isDirectory(), size, ...times };
    if (entry.isDirectory()) yield* entriesOf(root, path);
  }
}

const maxNameLength = 120;

/** Drive allows any name, even duplicates; the file system does not. */
function freePath(root: string, parent: string, name: string, own?: string): string {
  const safe = Array.from(name.replace(/[/\\\0]/g, '_'))
    .slice(0, maxNameLength)
    .join('');
  const plain = /^\.{0,2}$/.test(safe) ? `_${safe}` : safe;
  const extension = extname(plain);
  const stem = plain.slice(0, plain.length - extension.length);
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? plain : `${stem} (${count})${extension}`;
    const path = parent === '' ? candidate : `${parent}/${candidate}`;
    if (path === own || !exists(resolvePath(root, path))) return path;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

const chunkSize = 256 * 1024;
const flags = constants.O_RDONLY | constants.O_NOFOLLOW;

/** A file on disk, read while it is being sent. */
class DiskBlob implements Blob {
  readonly length: number;
  /** Resolved on every use, since a parent folder may have become a link. */
  private readonly locate: () => string;
  private cachedChecksums: Checksums | undefined;

  constructor(locate: () => string) {
    this.locate = locate;
    this.length = lstatSync(locate()).size;
  }

  async *read(from: number, to: number): AsyncGenerator<Uint8Array> {
    const file = await open(this.locate(), flags);
    try {
      for (let at = from; at < to; ) {
        const { bytesRead, buffer } = await file.read(new Uint8Array(Math.min(chunkSize, to - at)), 0, null, at);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
  }

  checksums(): Checksums {
    this.cachedChecksums ??= this.digest();
    return this.cachedChecksums;
  }

  private digest(): Checksums {
    const hashes = (['md5', 'sha1', 'sha256'] as const).map((name) => [name, createHash(name)] as const);
    const file = openSync(this.locate(), flags);
    try {
      const buffer = new Uint8Array(chunkSize);
      for (let left = fstatSync(file).size; left > 0; ) {
        const read = readSync(file, buffer);
        if (read === 0) break;
        for (const [, hash] of hashes) hash.update(buffer.subarray(0, read));
        left -= read;
      }
    } finally {
      closeSync(file);
    }
    return Object.fromEntries(hashes.map(([name, hash]) => [name, hash.digest('hex')])) as unknown as Checksums;
  }
}
