import { type Database, fromNow, randomText } from './database.js';

/** The processes that have the database open, each of which says from time to time that it lives. */
export interface Processes {
  /** Id of this one: another at each start. */
  readonly ownId: string;
  isAlive(id: string): Promise<boolean>;
  leave(): Promise<void>;
}

/** How long a process may be silent before it counts as dead, in milliseconds. */
export const processTimeoutMs = 15_000;

/** Enters this process among those that have the database open. */
export async function joinProcesses(database: Database, keyId: string): Promise<Processes> {
  const { query, now } = database;
  const ownId = randomText(22);
  const heartbeat = () =>
    query
      .insertInto('processes')
      .values({ id: ownId, key_id: keyId, seen_at: now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
      .execute();
  await database.transaction(async () => {
    await query.deleteFrom('processes').where('seen_at', '<', oldestAlive(database)).execute();
    await heartbeat();
  });
  const timer = setInterval(() => void ignoreErrors(heartbeat()), processTimeoutMs / 3);
  timer.unref();
  return {
    ownId,
    async isAlive(id) {
      if (id === ownId) return true;
      return (await selectAlive(database).select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
    },
    async leave() {
      clearInterval(timer);
      await ignoreErrors(query.deleteFrom('processes').where('id', '=', ownId).execute());
    },
  };
}

/** Processes that live and seal with another key than this. */
export async function countOtherKeyProcesses(database: Database, keyId: string): Promise<number> {
  const others = selectAlive(database)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('key_id', '<>', keyId);
  return (await others.executeTakeFirstOrThrow()).count;
}

const oldestAlive = (database: Database) => fromNow(database, -processTimeoutMs);

/** The processes that have not been silent for too long. */
export const selectAlive = (database: Database) =>
  database.query.selectFrom('processes').where('seen_at', '>=', oldestAlive(database));

// A beat that the database refuses is no reason to end the process: the next may get through.
const ignoreErrors = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
