import { hasDatabase, prepareFolder } from '../folder.js';
import { createKeyFile, keyPath, readKeyFile } from './key-file.js';
import { type KeyRing, keyRing, randomKey } from './keys.js';

/** Where the keys of a service may come from. */
export interface KeySource {
  /** The data folder, or `:memory:`, which needs no key that lasts. */
  readonly folder: string;
  /** 32 bytes in base64 or hex; goes before a key file. */
  readonly key?: string | undefined;
  /** Keys that opened what was sealed before. */
  readonly previousKeys?: readonly string[] | undefined;
  /** Makes a key file in a folder that has none. */
  readonly createKey?: boolean | undefined;
  /** As good as `createKey`. */
  readonly dev?: boolean | undefined;
}

/** Finds the keys: those given, else the folder's key file, else a new one where that was asked for. */
export function chooseKeys({ folder, key, previousKeys = [], createKey, dev }: KeySource): KeyRing {
  if (key !== undefined) {
    return keyRing([key, ...previousKeys], 'Each of AGENT_CONNECTORS_KEY and AGENT_CONNECTORS_KEY_PREVIOUS');
  }
  if (previousKeys.length > 0) {
    throw new Error('AGENT_CONNECTORS_KEY_PREVIOUS is set without AGENT_CONNECTORS_KEY, the newest key.');
  }
  if (folder === ':memory:') return keyRing([randomKey()]);
  const stored = readKeyFile(folder) ?? (createKey || dev ? newKeyFile(folder) : undefined);
  if (stored) return keyRing(stored, `Each line of the key file ${keyPath(folder)}`);
  throw new Error(
    'There is no key to seal credentials with: set AGENT_CONNECTORS_KEY (openssl rand -base64 32), ' +
      'or start with --create-key to have one made in the data folder.',
  );
}

function newKeyFile(folder: string): readonly string[] {
  // A new key would open nothing of what is there, and be in the way of the right one.
  if (hasDatabase(folder)) {
    throw new Error(
      `The data folder ${folder} has a database but no key: give the key that it was made with, ` +
        'as AGENT_CONNECTORS_KEY or as the file key restored from its backup.',
    );
  }
  prepareFolder(folder);
  createKeyFile(folder, randomKey());
  return readKeyFile(folder)!;
}
