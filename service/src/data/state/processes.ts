import type { Key, KeyRing } from '../vault/keys.js';
import { type Database, fromNow, randomText } from './database.js';
import { lacksMaster, reloadKeys } from './sealing.js';

/** The processes that have the database open; each sends heartbeats. */
export interface Processes {
  /** Id of this process, new on each start. */
  readonly ownId: string;
  isAlive(id: string): Promise<boolean>;
  /**
   * Since when all others have considered this process alive without interruption, by the clock of `performance.now()`;
   * `Infinity` if some may consider it dead.
   */
  aliveSince(): number;
  /** Sends a heartbeat. */
  reportAlive(): Promise<void>;
  /** Reloads the keys; if they do not decrypt the data, throws and keeps the current ones. */
  reloadKeys(): Promise<void>;
  leave(): Promise<void>;
}

/** How long a process may go without a heartbeat before it is considered dead, in milliseconds. */
export const processTimeoutMs = 15_000;

/** How long after a heartbeat a process relies on being considered alive: leaves time to send a request. */
const safeMs = (processTimeoutMs * 2) / 3;

/** Options for a process. */
export interface ProcessOptions {
  readonly keys: KeyRing;
  readonly now: () => number;
  /** Receives errors from reloading keys. */
  readonly report: (error: unknown) => void;
}

/** Registers this process as using the database. */
export async function joinProcesses(
  database: Database,
  { keys, now: clock, report }: ProcessOptions,
): Promise<Processes> {
  const { query, now } = database;
  const ownId = randomText(22);
  const reloads = keys.reload ? 1 : 0;
  let lastSeen = Number.NEGATIVE_INFINITY;
  let since = 0;
  const mayBeDead = () => performance.now() - lastSeen > safeMs;
  const reportAlive = async () => {
    const sentAt = performance.now();
    const seen = { key_id: keys.all[0]!.id, seen_at: now };
    await query
      .insertInto('processes')
      .values({ id: ownId, reloads, ...seen })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(seen))
      .execute();
    // Others may have considered it dead until this heartbeat arrived.
    if (mayBeDead()) since = performance.now();
    lastSeen = Math.max(lastSeen, sentAt);
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
    aliveSince: () => (mayBeDead() ? Number.POSITIVE_INFINITY : since),
    reportAlive,
    reloadKeys: reload,
    async leave() {
      clearInterval(timer);
      await ignoreErrors(query.deleteFrom('processes').where('id', '=', ownId).execute());
    },
  };
}

/** Newest keys of the other live processes, and whether those processes can reload keys. */
export const otherKeys = (database: Database, keyId: string) =>
  selectAlive(database).select(['key_id', 'reloads']).distinct().where('key_id', '<>', keyId).execute();

/**
 * The newest key that all processes have, so that each can decrypt and verify whatever is encrypted or signed with it.
 */
async function newestOfAll(database: Database, { all }: KeyRing): Promise<Key> {
  const others = await otherKeys(database, all[0]!.id);
  return all.find(({ id }) => others.some(({ key_id }) => key_id === id)) ?? all[0]!;
}

const oldestAlive = (database: Database) => fromNow(database, -processTimeoutMs);

/** Processes with a recent heartbeat. */
export const selectAlive = (database: Database) =>
  database.query.selectFrom('processes').where('seen_at', '>=', oldestAlive(database));

// A failed heartbeat must not end the process: the next one may succeed.
const ignoreErrors = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
