import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, Value } from './database.js';
import { openDatabase, requireState, type StateLocation } from './location.js';
import { migrate } from './migrate.js';
import { processTimeoutMs } from './processes.js';

/** Each with its key, behind those that it refers to; what only tells of running processes stays behind. */
const tables = {
  organizations: ['id'],
  workspaces: ['id'],
  clients: ['id'],
  client_organizations: ['client_id', 'position'],
  connectors: ['id'],
  keys: ['id'],
  credentials: ['connector_id', 'field'],
  ledger: ['id'],
  replicas: ['connector_id', 'entity'],
  jobs: ['id'],
  audit: ['organization_id', 'seq'],
  // Nothing comes behind what is not known.
  policies: ['workspace_id', "coalesce(connector_id, '')"],
  setups: ['id'],
  console_sessions: ['digest'],
  console_links: ['digest'],
} as const;
const pageSize = 200;

/** Copies the state of a data folder into Postgres, all or nothing, and counts the rows. */
export async function moveState(location: StateLocation, now: () => number = Date.now): Promise<number> {
  if (location.databaseUrl === undefined)
    throw new Error('Set DATABASE_URL to the database that the state is to move to.');
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

/** Puts the database of a folder aside, so that nothing goes on with it by mistake. */
export function moveAside(folder: string): string {
  const aside = join(folder, 'state.moved.db');
  renameSync(join(folder, 'state.db'), aside);
  return aside;
}

/** Copies everything from one database to another that is empty, while nothing else writes to either; counts the rows. */
export async function moveDatabase(source: Database, target: Database, now: () => number): Promise<number> {
  await migrate(source, now);
  await migrate(target, now);
  return source.transaction(async () => {
    if (await source.get(`SELECT 1 FROM processes WHERE seen_at >= :now - ${processTimeoutMs}`)) {
      throw new Error(
        `A service runs on this data folder: stop it. (One that was killed counts for ${processTimeoutMs / 1000} seconds.)`,
      );
    }
    return target.transaction(async () => {
      await target.lock('first start');
      if (await target.get('SELECT 1 FROM organizations LIMIT 1')) {
        throw new Error('The database that DATABASE_URL names has a state already, which is left as it is.');
      }
      let count = 0;
      for (const [table, key] of Object.entries(tables)) count += await copyTable(table, key, source, target);
      return count;
    });
  });
}

async function copyTable(table: string, key: readonly string[], source: Database, target: Database): Promise<number> {
  const keyColumns = key.map((part, at) => `${part} AS key_${at}`).join(', ');
  const afterLastKey = `WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  let count = 0;
  for (let last: readonly Value[] = []; ; ) {
    const rows = await source.all<Record<string, Value>>(
      `SELECT *, ${keyColumns} FROM ${table} ${last.length > 0 ? afterLastKey : ''} ORDER BY ${key.join(', ')} LIMIT ${pageSize}`,
      ...last,
    );
    const end = rows.at(-1);
    if (!end) return count;
    const names = Object.keys(end).slice(0, -key.length);
    const placeholders = rows.map(() => `(${names.map(() => '?').join(', ')})`).join(', ');
    const values = rows.flatMap((row) => names.map((name) => row[name]!));
    await target.run(`INSERT INTO ${table} (${names.join(', ')}) VALUES ${placeholders}`, ...values);
    count += rows.length;
    last = key.map((_, at) => end[`key_${at}`]!);
  }
}
