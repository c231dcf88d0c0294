import { requireState, type StateLocation } from '../data/state/location.js';
import { rotate } from '../data/state/rotate.js';
import { chooseKeys } from '../data/vault/choose.js';
import { readKeyFile, writeKeyFile } from '../data/vault/key-file.js';
import { keyRing, randomKey } from '../data/vault/keys.js';
import { stateLocation } from '../options.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Seals everything with the newest key, which for a key file is made on the way. */
export async function rotateKey({ options, json }: Arguments, terminal: Terminal): Promise<void> {
  const location = stateLocation(options);
  requireState(location);
  const stored = options.key === undefined && !options.previousKeys ? readKeyFile(location.folder) : undefined;
  const count = stored
    ? await rotateFile(location, stored)
    : await rotate({ ...location, keys: chooseKeys({ ...options, ...location }) });
  if (json) {
    terminal.out(`${JSON.stringify({ resealed: count })}\n`);
    return;
  }
  terminal.out(`${count} values were sealed anew; everything is sealed with the newest key.\n`);
  if (!stored && !options.previousKeys) {
    terminal.out(
      'To change the key, set AGENT_CONNECTORS_KEY to a new one and AGENT_CONNECTORS_KEY_PREVIOUS to this.\n',
    );
  } else if (!stored) terminal.out('AGENT_CONNECTORS_KEY_PREVIOUS can be removed.\n');
}

/** Both keys stand in the file from before the first value is sealed until after the last, so that it can break off. */
async function rotateFile(location: StateLocation, stored: readonly string[]): Promise<number> {
  // More than one is what a rotation leaves that broke off: its key is the one to go on with.
  const keys = stored.length > 1 ? stored : [randomKey(), ...stored];
  const count = await rotate({ ...location, keys: keyRing(keys), onReady: () => writeKeyFile(location.folder, keys) });
  writeKeyFile(location.folder, keys.slice(0, 1));
  return count;
}
