import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const fileName = 'state.db';

/** Creates the data folder, accessible only to the service's user; rejects a folder that others can write to. */
export function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return;
  if ((statSync(folder).mode & 0o022) !== 0) {
    throw new Error(`Other users can write to the data folder ${folder}: run chmod 700 on it, or use a subfolder.`);
  }
}

/** Whether the folder already contains a service database. */
export const hasDatabase = (folder: string): boolean => existsSync(join(folder, fileName));
