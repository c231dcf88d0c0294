import { chmodSync, constants, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copySnapshot } from '../data/snapshot.js';
import { requireState } from '../data/state/location.js';
import { stateLocation } from '../options.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Writes a consistent snapshot of the service's data to a new folder while the service runs. */
export async function backup({ options, to, withKey, json }: Arguments, terminal: Terminal): Promise<void> {
  const location = stateLocation(options);
  if (location.databaseUrl !== undefined) {
    throw new Error(
      'The state and records are in Postgres: back them up together with pg_dump. Store the key elsewhere.',
    );
  }
  requireState(location);
  const { folder } = location;
  const hasKey = existsSync(join(folder, 'key'));
  if (withKey && !hasKey) throw new Error(`No key file in ${folder}: the key is stored elsewhere.`);
  const present = ['state.db', 'records.db'].filter((name) => existsSync(join(folder, name)));
  const target = newFolder(to!);
  try {
    await copySnapshot(present.map((name) => ({ from: join(folder, name), to: join(target, name) })));
    if (withKey) {
      copyFileSync(join(folder, 'key'), join(target, 'key'), constants.COPYFILE_EXCL);
      chmodSync(join(target, 'key'), 0o600);
    }
  } catch (error) {
    // A partial backup must not be mistaken for a complete one.
    for (const name of [...present, 'key']) rmSync(join(target, name), { force: true });
    throw error;
  }
  const files = [...present, ...(withKey ? ['key'] : [])];
  if (json) {
    terminal.out(`${JSON.stringify({ folder: target, files })}\n`);
    return;
  }
  terminal.out(`Copied ${files.join(' and ')} to ${target}.\n`);
  if (options.objects)
    terminal.out(
      'Long texts are in the object store and not in this backup. Copy the objects now, as the hosting guide describes.\n',
    );
  if (!withKey)
    terminal.out('The backup does not contain the key. Without the key, credentials cannot be decrypted.\n');
}

function newFolder(path: string): string {
  const folder = resolve(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty: pass a new folder.`);
  return folder;
}
