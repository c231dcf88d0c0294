import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { countingBegan } from './activity.js';
import { acrossOrganizations, type Database, type Value } from './database.js';
import { hasOrganizations, openDatabase, requireState, type StateLocation } from './location.js';
import { migrate } from './migrate.js';
import { activity } from './migrations/0016-activity.js';
import { processTimeoutMs, selectAlive } from './processes.js';
import type { Tables } from './tables.js';

/** Tables of any kind. */
type AnyTables = Readonly<Record<string, Readonly<Record<string, Value>>>>;
type Key = ReadonlyArray<RawBuilder<Value>>;

const columns = (...names: string[]): Key => names.map((name) => sql.ref<Value>(name));

/**
 * Tables with their keys, ordered after the tables they reference; tables that describe running processes are not
 * copied.
 */
const tables: ReadonlyArray<readonly [table: keyof Tables, key: Key]> = [
  ['organizations', columns('id')],
  ['workspaces', columns('id')],
  ['clients', columns('id')],
  ['client_organizations', columns('client_id', 'position')],
  ['connectors', columns('id')],
  ['keys', columns('id')],
  ['credentials', columns('connector_id', 'field')],
  ['ledger', columns('id')],
  ['replicas', columns('connector_id', 'entity')],
  ['written_records', columns('connector_id', 'entity', 'record_id')],
  ['unread_records', columns('connector_id', 'entity', 'record_id')],
  ['jobs', columns('id')],
  ['audit', columns('organization_id', 'seq')],
  ['audit_checkpoints', columns('organization_id')],
  ['call_hours', columns('organization_id', 'connector_id', 'hour', 'duration_ms')],
  ['sync_hours', columns('organization_id', 'connector_id', 'hour', 'entity')],
  ['counted_calls', columns('organization_id')],
  // Nulls sort last.
  ['policies', [...columns('workspace_id'), sql`coalesce(connector_id, '')`]],
  ['setups', columns('id')],
  ['plans', columns('id')],
  ['oauth_apps', columns('id')],
  ['oauth_grants', columns('id')],
  ['connect_clients', columns('organization_id', 'client_id')],
  ['webhooks', columns('id')],
  ['webhook_deliveries', columns('id')],
  ['record_positions', columns('webhook_id', 'connector_id', 'entity')],
  ['console_sessions', columns('digest')],
  ['console_links', columns('digest')],
  ['access_tokens', columns('id')],
];
const pageSize = 200;

/** Copies the state of a data folder to Postgres in one transaction; returns the number of rows. */
export async function moveState(location: StateLocation, now: () => number = Date.now): Promise<number> {
  if (location.databaseUrl === undefined) throw new Error('Set DATABASE_URL to the target database.');
  requireState({ folder: location.folder });
  const source = await openDatabase({ folder: location.folder }, now);
  try {
    const target = await openDatabase(location);
    try {
      return await moveDatabase(source, target, now);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Renames a folder's database so that it is not used by mistake. */
export function moveAside(folder: string): string {
  const aside = join(folder, 'state.moved.db');
  renameSync(join(folder, 'state.db'), aside);
  return aside;
}

/** Copies an entire database into an empty one, without concurrent writes to either; returns the number of rows. */
export async function moveDatabase(source: Database, target: Database, now: () => number): Promise<number> {
  await migrate(source, now);
  await migrate(target, now);
  const copyAll = async () => {
    if (await selectAlive(source).select('id').executeTakeFirst()) {
      throw new Error(
        `A service is using this data folder: stop it. (A killed process counts as running for ${processTimeoutMs / 1000} seconds.)`,
      );
    }
    return target.transaction(async () => {
      await target.lock('first start');
      if (await hasOrganizations(target)) {
        throw new Error('The database in DATABASE_URL already contains state, which was not changed.');
      }
      let count = 0;
      for (const [table, key] of tables) count += await copyTable(table, key, source, target);
      // Calls and syncs have been counted since then.
      const { applied_at } = await countingBegan(source).executeTakeFirstOrThrow();
      await target.query.updateTable('versions').set({ applied_at }).where('version', '=', activity.version).execute();
      return count;
    });
  };
  return acrossOrganizations(() => source.transaction(copyAll));
}

async function copyTable(table: string, key: Key, source: Database, target: Database): Promise<number> {
  const from = source.query as unknown as Kysely<AnyTables>;
  const to = target.query as unknown as Kysely<AnyTables>;
  const keyNames = key.map((_, place) => `key_${place}`);
  let page = from
    .selectFrom(table)
    .selectAll()
    .select(key.map((part, place) => part.as(keyNames[place]!)))
    .limit(pageSize);
  for (const part of key) page = page.orderBy(part);
  let count = 0;
  for (let rest = page; ; ) {
    const rows = await rest.execute();
    const end = rows.at(-1);
    if (!end) return count;
    const last = keyNames.map((name) => end[name]);
    rest = page.where(sql`(${sql.join(key)})`, '>', sql`(${sql.join(last)})`);
    const isOwn = ([name]: [string, unknown]) => !keyNames.includes(name);
    const copies = rows.map((row) => Object.fromEntries(Object.entries(row).filter(isOwn)));
    await to.insertInto(table).values(copies).execute();
    count += rows.length;
  }
}
