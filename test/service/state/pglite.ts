import type { PGlite } from '@electric-sql/pglite';
import type { Connections, Query, QueryResult } from '../../../service/src/data/state/connections.js';
import { type Access, accessSettings } from '../../../service/src/data/state/database.js';
import { startPostgres } from '../postgres.js';

let starting: Promise<PGlite> | undefined;
let schemas = 0;
let last: Promise<unknown> = Promise.resolve();
const schemaOf = new Map<string, string>();

/** The schema that stands for a data folder; in memory, each is another. */
function schemaFor(folder: string): string {
  const existing = schemaOf.get(folder);
  if (existing !== undefined) return existing;
  schemas += 1;
  const made = `state_${process.pid}_${schemas}`;
  if (folder !== ':memory:') schemaOf.set(folder, made);
  return made;
}

/** Begun as a role that policies apply to, as the service's own should be. */
async function start(): Promise<PGlite> {
  const database = await startPostgres();
  await database.exec('CREATE ROLE service; GRANT CREATE ON DATABASE postgres TO service; SET ROLE service');
  return database;
}

/** Connections to a Postgres in this process: there is one in all, so that whoever uses it has it alone. */
export async function connectionsFor(folder: string): Promise<Connections> {
  starting ??= start();
  const database = await starting;
  const schema = schemaFor(folder);
  const query: Query = async (sql, values): Promise<QueryResult> => {
    if (!values) return { rows: [], changes: (await database.exec(sql)).length };
    const { rows, affectedRows = 0 } = await database.query(sql, [...values]);
    return { rows, changes: affectedRows };
  };
  const inTransaction = <T>(access: Access, work: () => Promise<T>): Promise<T> => {
    const turn = last.then(async () => {
      await database.exec(`BEGIN; SELECT ${accessSettings(access)}, set_config('search_path', '${schema}', true)`);
      try {
        const result = await work();
        await database.exec('COMMIT');
        return result;
      } catch (error) {
        await database.exec('ROLLBACK');
        throw error;
      }
    });
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    schema,
    query: (access, sql, values) => inTransaction(access, () => query(sql, values)),
    transaction: (access, work) => inTransaction(access, () => work(query)),
    close: async () => undefined,
  };
}
