import { chmodSync, constants, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyAtOneMoment } from '../backup/snapshot.js';
import { folderOf } from '../options.js';
import { holdsDatabase } from '../state/sqlite.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Copies what the service keeps into a new folder, as it is at one moment, while the service runs. */
export async function backup({ options, to, withKey, json }: Arguments, terminal: Terminal): Promise<void> {
  const folder = folderOf(options);
  if (!holdsDatabase(folder)) throw new Error(`There is no database in ${folder}: name the folder by --data.`);
  if (to === undefined) throw new Error('Name a new folder for the backup by --to.');
  const hasKey = existsSync(join(folder, 'key'));
  if (withKey && !hasKey) throw new Error(`There is no file 'key' in ${folder}: the key is kept elsewhere.`);
  const inPostgres = options.databaseUrl !== undefined;
  const names = ['state.db', 'records.db'].filter((name) => !(name === 'records.db' && inPostgres));
  const present = names.filter((name) => existsSync(join(folder, name)));
  const target = newFolder(to);
  try {
    await copyAtOneMoment(present.map((name) => ({ from: join(folder, name), to: join(target, name) })));
    if (withKey) {
      copyFileSync(join(folder, 'key'), join(target, 'key'), constants.COPYFILE_EXCL);
      chmodSync(join(target, 'key'), 0o600);
    }
  } catch (error) {
    // Half a backup must not be taken for one.
    for (const name of [...present, 'key']) rmSync(join(target, name), { force: true });
    throw error;
  }
  const files = [...present, ...(withKey ? ['key'] : [])];
  if (json) {
    terminal.out(`${JSON.stringify({ folder: target, files, records_elsewhere: inPostgres })}\n`);
    return;
  }
  terminal.out(`${files.join(' and ')} were copied to ${target}.\n`);
  if (inPostgres) terminal.out('The replicated records are in Postgres: back them up now, not before, by pg_dump.\n');
  if (!withKey) terminal.out('The key is not among them: without it no credential in the copy can be opened.\n');
}

function newFolder(path: string): string {
  const folder = resolve(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty: name a new folder.`);
  return folder;
}
