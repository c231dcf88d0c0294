import { appendFileSync, statSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../../service/src/data/state/database.js';
import { openDatabase } from '../../../service/src/data/state/location.js';
import { migrate, releasedMigrations } from '../../../service/src/data/state/migrate.js';
import { primaryKey } from '../../../service/src/data/state/migrations/types.js';
import { openState } from '../../../service/src/data/state/open.js';
import { rotate } from '../../../service/src/data/state/rotate.js';
import { openSqlite } from '../../../service/src/data/state/sqlite.js';
import type { State } from '../../../service/src/data/state/types.js';
import { keyRing } from '../../../service/src/data/vault/keys.js';

// Runs a scenario in its own process, which a test can kill. Arguments: <scenario> <folder> <keys> <connector> <more>.
const [what, folder = '', keyTexts = '', connectorId = '', more = ''] = process.argv.slice(2);
const keys = keyRing(keyTexts.split(','));
// Written synchronously, so that the output is complete even if the process is killed.
const say = (text: string) => writeSync(1, `${text}\n`);

/** The folder's database; at the n-th change to a table it prints `middle` and stops the process. */
function stopAtChange(count: number, table: string): Database {
  const database = openSqlite(folder);
  let left = count;
  const query = database.query.withPlugin({
    transformQuery({ node }) {
      const changes = node.kind === 'InsertQueryNode' || node.kind === 'UpdateQueryNode';
      if (changes && JSON.stringify(node).includes(`"name":"${table}"`)) left -= 1;
      if (left === 0) {
        say('middle');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
      }
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return new Proxy(database, {
    get(target, name) {
      if (name === 'query') return query;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Saves pairs of tokens in a loop, and reports each one. */
async function save(state: State): Promise<never> {
  for (let number = 1; ; number += 1) {
    await state.credentials.save(connectorId, {
      access_token: `access ${number}`,
      refresh_token: `refresh ${number}`,
    });
    say(String(number));
  }
}

const scenarios: Record<string, () => unknown> = {
  /** Takes turns with other processes, and logs to a file when it enters and leaves. */
  async turns() {
    const state = await openState({ folder, keys });
    const here = `${more}.here`;
    appendFileSync(here, '.');
    while (statSync(here).size < 2) await wait(1);
    for (let turn = 0; turn < 15; turn += 1) {
      // Long enough for the other process to get a turn, since waiting processes only retry from time to time.
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
  /** Holds a connector's lock until the process is killed. */
  async hold() {
    const state = await openState({ folder, keys });
    const key = { clientId: 'cli_1', connectorId, entity: 'issues', action: 'create', key: 'once' };
    const entry = await state.ledger.begin(key, 'hash');
    if (entry.state === 'begun') await state.ledger.hold(entry.write);
    await state.credentials.alone(connectorId, async () => {
      say('held');
      await wait(60_000);
    });
  },
  /** Saves until it is killed. */
  async save() {
    return save(await openState({ folder, keys, databaseUrl: more || undefined }));
  },
  /** Is of a later release, with a migration, and saves until it is killed; without a connector, it stops halfway. */
  async upgrade() {
    const database = await openDatabase({ folder, databaseUrl: more });
    const state = await openState({ folder, keys, database });
    const up: (typeof releasedMigrations)[number]['up'] = async ({ alterTable, createTable, text }) => {
      await createTable('additions').addColumn('id', text, primaryKey).execute();
      await alterTable('credentials').addColumn('note', text).execute();
      if (connectorId !== '') return;
      say('middle');
      await wait(60_000);
    };
    await migrate(database, Date.now, [...releasedMigrations, { version: 99, name: 'later', up }]);
    return save(state);
  },
  /** Stops between the two values being saved. */
  async halfway() {
    const state = await openState({ folder, keys, database: stopAtChange(2, 'credentials') });
    await state.credentials.save(connectorId, { access_token: 'new', refresh_token: 'new' });
  },
  /** Stops in the middle of the second batch; the first change stores the new key itself. */
  async rotate() {
    await rotate({ folder, keys, database: stopAtChange(1 + 150, 'keys') });
  },
};

await scenarios[what ?? '']!();
