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
import type { Quotas } from '../../../service/src/data/state/types.js';
import { keyRing } from '../../../service/src/data/vault/keys.js';
import { newKey } from '../keys.js';
import { connectionsFor, releaseSchemas } from './pglite.js';

/** A moment for tests that move the clock themselves. */
export const noon = Date.UTC(2026, 4, 4, 12);

type Engine = 'SQLite' | 'Postgres';
let engine: Engine = 'SQLite';

/** Has the tests that are defined in it run on both engines; of Postgres, a folder is a schema. */
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

/** The database of a folder, by the engine that the test is for. */
export const openTestDatabase = async (
  folder: string,
  now?: () => number,
  options?: { readonly migrated: boolean },
): Promise<Database> =>
  engine === 'SQLite' ? openSqlite(folder, now) : openPostgres(await connectionsFor(folder, options), now);

/** Carries out statements with semicolons between them, and none in a text, on the rows of all organizations. */
export async function executeAll(database: Database, statements: string): Promise<void> {
  for (const statement of statements.split(';')) {
    if (statement.trim() !== '') await acrossOrganizations(() => sql.raw(statement).execute(database.query));
  }
}

/** The tables of a database in Postgres whose rows a policy keeps apart. */
export async function policiesIn(database: Database): Promise<ReadonlyArray<{ readonly table: string }>> {
  const policies = sql<{ table: string }>`select distinct tablename as "table" from pg_policies
    where schemaname = current_schema() order by 1`;
  return (await policies.execute(database.query)).rows;
}

/** A folder that is gone after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'service-state-'));
  onTestFinished(async () => {
    rmSync(folder, { recursive: true, force: true });
    await releaseSchemas(folder);
  });
  return folder;
}

/** What a state in a test differs in from the usual one: in memory, with a key of its own. */
interface StateOptions {
  readonly folder?: string;
  /** The newest first; a function is asked again at each reload. */
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

/** Takes the first of the keys into use in a folder, as `rotate-key` does. */
export const rotateKeys = async (
  folder: string,
  keys: readonly string[],
  options: Partial<Rotation> = {},
): Promise<Rotated> => rotate({ folder, database: await openTestDatabase(folder), keys: keyRing(keys), ...options });

/** An organisation with a workspace, and a way to make connectors in it. */
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

/** Every byte in a folder, as text that a secret would be found in. */
export const bytesIn = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');
