import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewConnector, State } from 'agent-connectors-service';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { acrossOrganizations, type Database } from '../../../service/src/data/state/database.js';
import { openState } from '../../../service/src/data/state/open.js';
import { openPostgres } from '../../../service/src/data/state/postgres.js';
import { type Rotated, type Rotation, rotate } from '../../../service/src/data/state/rotate.js';
import { openSqlite } from '../../../service/src/data/state/sqlite.js';
import type { LedgerKey, Quotas, StartedWrite } from '../../../service/src/data/state/types.js';
import { keyRing } from '../../../service/src/data/vault/keys.js';
import { newKey } from '../keys.js';
import { connectionsFor, releaseSchemas } from './pglite.js';

/** Start time for tests that control the clock. */
export const noon = Date.UTC(2026, 4, 4, 12);

type Engine = 'SQLite' | 'Postgres';
let engine: Engine = 'SQLite';

/** Defines the tests for both engines; in Postgres, each folder is a schema. */
export function describeOnBothEngines(define: () => void): void {
  describe.each<Engine>(['SQLite', 'Postgres'])('on %s', (name) => {
    beforeAll(() => {
      engine = name;
    });
    afterAll(() => {
      engine = 'SQLite';
    });
    define();
  });
}

/** The database for a folder, in the current test's engine. */
export const openTestDatabase = async (
  folder: string,
  now?: () => number,
  options?: { readonly migrated: boolean },
): Promise<Database> =>
  engine === 'SQLite' ? openSqlite(folder, now) : openPostgres(await connectionsFor(folder, options), now);

/** Executes semicolon-separated statements on the rows of all organizations; texts must not contain semicolons. */
export async function executeAll(database: Database, statements: string): Promise<void> {
  for (const statement of statements.split(';')) {
    if (statement.trim() !== '') await acrossOrganizations(() => sql.raw(statement).execute(database.query));
  }
}

/** Tables in Postgres that have a row-level security policy. */
export async function policiesIn(database: Database): Promise<ReadonlyArray<{ readonly table: string }>> {
  const policies = sql<{ table: string }>`select distinct tablename as "table" from pg_policies
    where schemaname = current_schema() order by 1`;
  return (await policies.execute(database.query)).rows;
}

/** A temporary folder, deleted after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'service-state-'));
  onTestFinished(async () => {
    rmSync(folder, { recursive: true, force: true });
    await releaseSchemas(folder);
  });
  return folder;
}

/** Options that differ from the defaults: in memory, with a new key. */
interface StateOptions {
  readonly folder?: string;
  /** Newest first; a function is called again on each reload. */
  readonly keys?: readonly string[] | (() => readonly string[]);
  readonly now?: () => number;
  readonly quotas?: Quotas;
  readonly auditFile?: string;
  readonly report?: (error: unknown) => void;
}

/** A state that is closed after the test. */
export async function newState({
  folder = ':memory:',
  keys = [newKey()],
  now,
  quotas,
  ...options
}: StateOptions = {}): Promise<State> {
  const database = await openTestDatabase(folder, now, { migrated: true });
  const ring = typeof keys === 'function' ? keyRing(keys(), 'The key', async () => keys()) : keyRing(keys);
  const state = await openState({ folder, database, keys: ring, now, quotas, ...options });
  onTestFinished(() => state.close());
  return state;
}

/** Starts using the first of the keys in a folder, as `rotate-key` does. */
export const rotateKeys = async (
  folder: string,
  keys: readonly string[],
  options: Partial<Rotation> = {},
): Promise<Rotated> => rotate({ folder, database: await openTestDatabase(folder), keys: keyRing(keys), ...options });

/** An organization with a workspace, and a function that creates connectors in it. */
export async function createTenant(state: State, name = 'acme') {
  const organization = await state.organizations.create(name);
  const workspace = await state.workspaces.create(organization.id, 'default');
  const scope = { organizationId: organization.id };
  const connect = (overrides: Partial<NewConnector> = {}) =>
    state.connectors.create(scope, {
      workspaceId: workspace.id,
      name: 'Linear',
      type: 'linear',
      replicationConfig: null,
      settings: {},
      credentials: { api_key: 'lin_api_1' },
      ...overrides,
    });
  return { organization, workspace, scope, connect };
}

/** Begins a write with a key and stores it; fails unless the caller is the one to execute it. */
export async function beginWrite({ ledger }: State, key: LedgerKey, bodyHash = 'hash'): Promise<StartedWrite> {
  const entry = await ledger.begin(key, bodyHash);
  if (entry.state !== 'begun') throw new Error(`The write is ${entry.state}.`);
  await ledger.hold(entry.write);
  return entry.write;
}

/** Every byte in a folder, as text in which a leaked secret would be found. */
export const bytesIn = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');
