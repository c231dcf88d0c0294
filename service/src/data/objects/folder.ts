import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { prepareFolder } from '../folder.js';
import { notAvailable, type ObjectStore } from './types.js';

/** Stores objects as files in a folder, which several processes can share. */
export function folderStore(folder: string): ObjectStore {
  const pathOf = (key: string) => join(folder, ...key.split('/'));
  return {
    info: (key) =>
      unlessMissing(async () => {
        const { size, mtimeMs } = await stat(pathOf(key));
        return { size, modifiedAt: mtimeMs };
      }),
    get: (key, maxBytes) =>
      unlessMissing(async () =>
        (await stat(pathOf(key))).size > maxBytes ? new Uint8Array() : await readFile(pathOf(key)),
      ),
    async put(key, bytes) {
      const path = pathOf(key);
      await unlessMissing(async () => {
        prepareFolder(folder);
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        // A rename is atomic: a crash leaves no partial file under the key.
        const draft = `${path}.${randomUUID()}`;
        const file = await open(draft, 'wx', 0o600);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, path);
        await syncFolder(dirname(path));
      });
    },
    remove: async (key) => void (await unlessMissing(() => rm(pathOf(key), { force: true }))),
    async *list(prefix) {
      const pending = [''];
      for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
        const entries = (await unlessMissing(() => readdir(pathOf(at!), { withFileTypes: true }))) ?? [];
        for (const entry of entries) {
          const key = at === '' ? entry.name : `${at}/${entry.name}`;
          if (entry.isDirectory()) {
            if (prefix.startsWith(`${key}/`) || `${key}/`.startsWith(prefix)) pending.push(key);
            continue;
          }
          const info = key.startsWith(prefix) ? await this.info(key) : undefined;
          if (info) yield { key, ...info };
        }
      }
    },
  };
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw notAvailable(code ?? 'failed');
  }
}
