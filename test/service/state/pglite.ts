import type { PGlite } from '@electric-sql/pglite';
import type { PostgresConnections, QueryResult, RunStatement } from '../../../service/src/data/state/connections.js';
import { accessSettings, type RowAccess } from '../../../service/src/data/state/database.js';
import { migrate } from '../../../service/src/data/state/migrate.js';
import { openPostgres } from '../../../service/src/data/state/postgres.js';
import { startPostgres } from '../postgres.js';

/** A data folder's counterpart in Postgres. */
interface Schema {
  readonly name: string;
  /** Whether it has this release's tables, with or without rows. */
  isMigrated: boolean;
}

let starting: Promise<PGlite> | undefined;
let schemas = 0;
let last: Promise<unknown> = Promise.resolve();
const schemaOf = new Map<string, Promise<Schema>>();
/** Migrated schemas without rows, for reuse: a migration takes longer than most tests. */
const free: Schema[] = [];

/** Statements that change tables or versions, except the one that runs at every start. */
const changesTables =
  /^\s*(create (?!table if not exists "versions")|alter |drop |(insert into|update|delete from) "?versions)/i;

/** Started as a role to which policies apply, as they should to the service's own role. */
async function start(): Promise<PGlite> {
  const database = await startPostgres();
  await database.exec('CREATE ROLE service; GRANT CREATE ON DATABASE postgres TO service; SET ROLE service');
  return database;
}

/** Waits for exclusive use of the only session. */
function inTurn<T>(work: (database: PGlite) => Promise<T>): Promise<T> {
  starting ??= start();
  const turn = Promise.all([starting, last]).then(([database]) => work(database));
  last = turn.catch(() => undefined);
  return turn;
}

function emptySchema(): Schema {
  schemas += 1;
  return { name: `state_${process.pid}_${schemas}`, isMigrated: false };
}

async function migratedSchema(): Promise<Schema> {
  const reused = free.pop();
  if (reused) return reused;
  const schema = emptySchema();
  await migrate(await openPostgres(connect(schema)), Date.now);
  schema.isMigrated = true;
  return schema;
}

/** Deletes the rows of a schema, ignoring policies and references, and keeps it for another test. */
async function recycle(schema: Schema): Promise<void> {
  if (!schema.isMigrated) return;
  await inTurn(async (database) => {
    const { rows } = await database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> 'versions'`,
      [schema.name],
    );
    const deletions = rows.map(({ name }) => `DELETE FROM ${schema.name}.${name};`).join('');
    await database.exec(`RESET ROLE; SET session_replication_role = replica; ${deletions}
      RESET session_replication_role; SET ROLE service`);
  });
  free.push(schema);
}

/** Releases the schemas of a folder and of its subfolders. */
export async function releaseSchemas(folder: string): Promise<void> {
  for (const [path, schema] of schemaOf) {
    if (path !== folder && !path.startsWith(`${folder}/`)) continue;
    schemaOf.delete(path);
    await recycle(await schema);
  }
}

/** Connections to an in-process Postgres, which has a single session: each user has it exclusively. */
function connect(schema: Schema, close = async () => {}): PostgresConnections {
  const queryOn =
    (database: PGlite): RunStatement =>
    async (sql, values): Promise<QueryResult> => {
      if (changesTables.test(sql)) schema.isMigrated = false;
      if (!values) return { rows: [], changes: (await database.exec(sql)).length };
      const { rows, affectedRows = 0 } = await database.query(sql, [...values]);
      return { rows, changes: affectedRows };
    };
  const inTransaction = <T>(access: RowAccess, work: (query: RunStatement) => Promise<T>): Promise<T> =>
    inTurn(async (database) => {
      await database.exec(`BEGIN; SELECT ${accessSettings(access)}, set_config('search_path', '${schema.name}', true)`);
      try {
        const result = await work(queryOn(database));
        await database.exec('COMMIT');
        return result;
      } catch (error) {
        await database.exec('ROLLBACK');
        throw error;
      }
    });
  return {
    schema: schema.name,
    query: (access, sql, values) => inTransaction(access, (query) => query(sql, values)),
    transaction: inTransaction,
    close,
  };
}

/** Connections for a data folder, which has its own schema; in memory, a new one each time. */
export async function connectionsFor(folder: string, { migrated = false } = {}): Promise<PostgresConnections> {
  const existing = schemaOf.get(folder);
  if (existing) return connect(await existing);
  const schema = migrated ? migratedSchema() : Promise.resolve(emptySchema());
  if (folder !== ':memory:') schemaOf.set(folder, schema);
  const connected = await schema;
  return connect(connected, folder === ':memory:' ? () => recycle(connected) : undefined);
}
