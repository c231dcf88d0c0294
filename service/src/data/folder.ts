import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const fileName = 'state.db';

/** Makes the data folder, for the service's own user alone, and refuses one that others may write to. */
export function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return;
  if ((statSync(folder).mode & 0o022) !== 0) {
    throw new Error(`Other users can write to the data folder ${folder}: run chmod 700 on it, or use a subfolder.`);
  }
}

/** Whether a folder has a database of the service already. */
export const hasDatabase = (folder: string): boolean => existsSync(join(folder, fileName));
