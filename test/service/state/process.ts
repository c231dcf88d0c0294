import { appendFileSync, statSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { openState } from '../../../service/src/data/state/open.js';
import { rotate } from '../../../service/src/data/state/rotate.js';
import { type KeyRing, keyRing } from '../../../service/src/data/vault/keys.js';

// Carried out by a process of its own, which a test may kill: <what> <folder> <keys> <connector> <more>.
const [what, folder = '', keyTexts = '', connectorId = '', more = ''] = process.argv.slice(2);
const keys = keyRing(keyTexts.split(','));
// Not through a stream: what has been said must be out before the process is killed.
const say = (text: string) => writeSync(1, `${text}\n`);

/** The same keys, which say `middle` and stop the process when the newest is used for the so-manieth time. */
function stopAtUse(count: number): KeyRing {
  const { newest } = keys;
  let left = count;
  const derive = (purpose: Parameters<typeof newest.derive>[0]) => {
    left -= 1;
    if (left === 0) {
      say('middle');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
    }
    return newest.derive(purpose);
  };
  const stoppingKey = { id: newest.id, derive };
  const all = keys.all.map((key) => (key === newest ? stoppingKey : key));
  return { newest: stoppingKey, all, find: (id) => all.find((key) => key.id === id) };
}

const scenarios: Record<string, () => unknown> = {
  /** Takes turns with other processes, and notes in a file when it was inside. */
  async turns() {
    const state = await openState({ folder, keys });
    const here = `${more}.here`;
    appendFileSync(here, '.');
    while (statSync(here).size < 2) await wait(1);
    for (let turn = 0; turn < 15; turn += 1) {
      // Long enough for the other one to come in between: whoever waits looks again only now and then.
      await wait(Math.random() * 60);
      await state.credentials.alone(connectorId, async () => {
        const { count = '0' } = (await state.credentials.load(connectorId))!;
        appendFileSync(more, `in ${process.pid}\n`);
        await wait(Math.random() * 4);
        appendFileSync(more, `out ${process.pid}\n`);
        await state.credentials.save(connectorId, { count: String(Number(count) + 1) });
      });
    }
    await state.close();
  },
  /** Holds a connector until it is killed. */
  async hold() {
    const state = await openState({ folder, keys });
    const key = { clientId: 'cli_1', connectorId, entity: 'issues', action: 'create', key: 'once' };
    await state.ledger.begin(key, 'hash');
    await state.credentials.alone(connectorId, async () => {
      say('held');
      await wait(60_000);
    });
  },
  /** Saves a pair of tokens over and over, and says so after each. */
  async save() {
    const state = await openState({ folder, keys });
    for (let number = 1; ; number += 1) {
      await state.credentials.save(connectorId, {
        access_token: `access ${number}`,
        refresh_token: `refresh ${number}`,
      });
      say(String(number));
    }
  },
  /** Stops between the two values that it saves: the start uses the key once. */
  async halfway() {
    const state = await openState({ folder, keys: stopAtUse(3) });
    await state.credentials.save(connectorId, { access_token: 'new', refresh_token: 'new' });
  },
  /** Stops in the middle of the second batch: the key's own check value is sealed first. */
  async rotate() {
    await rotate({ folder, keys: stopAtUse(1 + 150) });
  },
};

await scenarios[what ?? '']!();
