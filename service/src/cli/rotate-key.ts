import { requireState, type StateLocation } from '../data/state/location.js';
import { type Rotated, rotate } from '../data/state/rotate.js';
import { chooseKeys } from '../data/vault/choose.js';
import { readKeyFile, writeKeyFile } from '../data/vault/key-file.js';
import { keyRing, randomKey } from '../data/vault/keys.js';
import { stateLocation } from '../options.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Switches to the newest master key; for a key file, generates that key first. */
export async function rotateKey({ options, json, renewDataKeys }: Arguments, terminal: Terminal): Promise<void> {
  const location = stateLocation(options);
  requireState(location);
  const { key, previousKeys, keyCommand } = options;
  const stored = key === undefined && !previousKeys && !keyCommand ? readKeyFile(location.folder) : undefined;
  const keys = stored ? undefined : await chooseKeys({ ...options, ...location });
  const rotated = keys
    ? await rotate({ ...location, keys, renewDataKeys })
    : await rotateFile(location, stored!, renewDataKeys);
  if (json) {
    terminal.out(`${JSON.stringify(rotated)}\n`);
    return;
  }
  const { rewrapped, resealed } = rotated;
  terminal.out(
    `${counted(rewrapped, 'data key')} and ${counted(resealed, 'value')} re-encrypted; the newest key decrypts everything.\n`,
  );
  if (keys?.all.length === 1) {
    terminal.out(
      keyCommand
        ? 'To change the key, make the key command print a new key before the current one.\n'
        : 'To change the key, set AGENT_CONNECTORS_KEY to a new key and AGENT_CONNECTORS_KEY_PREVIOUS to the current one.\n',
    );
  } else if (keys) {
    terminal.out(
      keyCommand
        ? 'The key command no longer needs to print the old keys.\n'
        : 'AGENT_CONNECTORS_KEY_PREVIOUS can be removed.\n',
    );
  }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Both keys are in the file until the rotation is complete, so an interrupted rotation can resume. */
async function rotateFile(
  location: StateLocation,
  stored: readonly string[],
  renewDataKeys: boolean,
): Promise<Rotated> {
  // A second key was left by an interrupted rotation; resume with it.
  const keys = stored.length > 1 ? stored : [randomKey(), ...stored];
  const onReady = () => writeKeyFile(location.folder, keys);
  const rotated = await rotate({ ...location, keys: keyRing(keys), renewDataKeys, onReady });
  writeKeyFile(location.folder, keys.slice(0, 1));
  return rotated;
}
