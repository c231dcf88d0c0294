import type { Key, KeyRing } from '../vault/keys.js';
import { type Database, fromNow, randomText } from './database.js';
import { lacksMaster, reloadKeys } from './sealing.js';

/** The processes that have the database open, each of which says from time to time that it lives. */
export interface Processes {
  /** Id of this one: another at each start. */
  readonly ownId: string;
  isAlive(id: string): Promise<boolean>;
  /** Reads the keys again; throws where they do not open what is there, and goes on with those that it has. */
  reloadKeys(): Promise<void>;
  leave(): Promise<void>;
}

/** How long a process may be silent before it counts as dead, in milliseconds. */
export const processTimeoutMs = 15_000;

/** What a process enters itself with. */
export interface ProcessOptions {
  readonly keys: KeyRing;
  readonly now: () => number;
  /** Told of keys that could not be read again. */
  readonly report: (error: unknown) => void;
}

/** Enters this process among those that have the database open. */
export async function joinProcesses(
  database: Database,
  { keys, now: clock, report }: ProcessOptions,
): Promise<Processes> {
  const { query, now } = database;
  const ownId = randomText(22);
  const reloads = keys.reload ? 1 : 0;
  const reportAlive = async () => {
    const seen = { key_id: keys.all[0]!.id, seen_at: now };
    await query
      .insertInto('processes')
      .values({ id: ownId, reloads, ...seen })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(seen))
      .execute();
    keys.use(await newestOfAll(database, keys));
  };
  const reload = async () => {
    await reloadKeys(database, keys);
    await reportAlive();
  };
  const heartbeat = async () => {
    await reportAlive();
    if (reloads && (await lacksMaster(database, keys, clock()))) await reload().catch(report);
  };
  await database.transaction(async () => {
    await query.deleteFrom('processes').where('seen_at', '<', oldestAlive(database)).execute();
    await reportAlive();
  });
  const timer = setInterval(() => void ignoreErrors(heartbeat()), processTimeoutMs / 3);
  timer.unref();
  return {
    ownId,
    async isAlive(id) {
      if (id === ownId) return true;
      return (await selectAlive(database).select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
    },
    reloadKeys: reload,
    async leave() {
      clearInterval(timer);
      await ignoreErrors(query.deleteFrom('processes').where('id', '=', ownId).execute());
    },
  };
}

/** The newest keys of processes that live, other than this one, and whether those can read theirs again. */
export const otherKeys = (database: Database, keyId: string) =>
  selectAlive(database).select(['key_id', 'reloads']).distinct().where('key_id', '<>', keyId).execute();

/** The newest key that all processes have: what it seals and signs, each of them opens. */
async function newestOfAll(database: Database, { all }: KeyRing): Promise<Key> {
  const others = await otherKeys(database, all[0]!.id);
  return all.find(({ id }) => others.some(({ key_id }) => key_id === id)) ?? all[0]!;
}

const oldestAlive = (database: Database) => fromNow(database, -processTimeoutMs);

/** The processes that have not been silent for too long. */
export const selectAlive = (database: Database) =>
  database.query.selectFrom('processes').where('seen_at', '>=', oldestAlive(database));

// A beat that the database refuses is no reason to end the process: the next may get through.
const ignoreErrors = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
