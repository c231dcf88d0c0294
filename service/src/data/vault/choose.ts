import { hasDatabase, prepareFolder } from '../folder.js';
import { readKeyCommand, wordsOf } from './key-command.js';
import { createKeyFile, keyPath, readKeyFile } from './key-file.js';
import { type KeyRing, keyRing, randomKey } from './keys.js';

/** Sources of a service's keys. */
export interface KeySource {
  /** The data folder, or `:memory:`, which needs no persistent key. */
  readonly folder: string;
  /** 32 bytes in base64 or hex; takes precedence over a key file. */
  readonly key?: string | undefined;
  /** Keys that decrypt older values. */
  readonly previousKeys?: readonly string[] | undefined;
  /** A command that prints the keys, newest first; takes precedence over a key file. */
  readonly keyCommand?: string | undefined;
  /** Creates a key file in the folder if it has none. */
  readonly createKey?: boolean | undefined;
  /** Implies `createKey`. */
  readonly dev?: boolean | undefined;
}

/** Finds the keys: those passed in, otherwise the folder's key file, otherwise a new one if requested. */
export async function chooseKeys(source: KeySource): Promise<KeyRing> {
  const { folder, key, previousKeys = [], keyCommand, createKey, dev } = source;
  if (key !== undefined && keyCommand !== undefined) {
    throw new Error('Both AGENT_CONNECTORS_KEY and a key command are set: remove one.');
  }
  if (key !== undefined) {
    return keyRing([key, ...previousKeys], 'Each of AGENT_CONNECTORS_KEY and AGENT_CONNECTORS_KEY_PREVIOUS');
  }
  if (previousKeys.length > 0) {
    throw new Error('AGENT_CONNECTORS_KEY_PREVIOUS is set, but AGENT_CONNECTORS_KEY is not: set it to the newest key.');
  }
  if (keyCommand !== undefined) {
    const command = wordsOf(keyCommand);
    const read = () => readKeyCommand(command);
    return keyRing(await read(), 'Each key printed by the key command', read);
  }
  if (folder === ':memory:') return keyRing([randomKey()]);
  const stored = readKeyFile(folder) ?? (createKey || dev ? newKeyFile(folder) : undefined);
  if (stored)
    return keyRing(stored, `Each line of the key file ${keyPath(folder)}`, async () => requireKeyFile(folder));
  if (hasDatabase(folder)) throw missingKeyError(folder);
  throw new Error(
    'No encryption key: set AGENT_CONNECTORS_KEY (openssl rand -base64 32), ' +
      'pass --key-command with a program that prints it, or start with --create-key to create one in the data folder. To evaluate the service in memory, pass --dev.',
  );
}

function requireKeyFile(folder: string): readonly string[] {
  const stored = readKeyFile(folder);
  if (stored) return stored;
  throw new Error(`The key file ${keyPath(folder)} is missing: restore it from its backup.`);
}

function newKeyFile(folder: string): readonly string[] {
  // A new key could not decrypt the existing data and would conflict with the correct one.
  if (hasDatabase(folder)) throw missingKeyError(folder);
  prepareFolder(folder);
  createKeyFile(folder, randomKey());
  return requireKeyFile(folder);
}

const missingKeyError = (folder: string) =>
  new Error(
    `The data folder ${folder} has a database but no key: provide its original key, ` +
      "either as AGENT_CONNECTORS_KEY or by restoring the 'key' file from its backup.",
  );
