import type { PGlite } from '@electric-sql/pglite';
import type { Connections, Query, QueryResult } from '../../../service/src/data/state/connections.js';
import { startPostgres } from '../postgres.js';

let starting: Promise<PGlite> | undefined;
let schemas = 0;
let last: Promise<unknown> = Promise.resolve();
let path = '';
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

/** Connections to a Postgres in this process: there is one in all, so that whoever uses it has it alone. */
export async function connectionsFor(folder: string): Promise<Connections> {
  starting ??= startPostgres();
  const database = await starting;
  const schema = schemaFor(folder);
  const query: Query = async (sql, values): Promise<QueryResult> => {
    if (!values) return { rows: [], changes: (await database.exec(sql)).length };
    const { rows, affectedRows = 0 } = await database.query(sql, [...values]);
    return { rows, changes: affectedRows };
  };
  const serialize = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(async () => {
      if (path !== schema) await database.exec(`SET search_path TO ${schema}`);
      path = schema;
      return work();
    });
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    schema,
    query: (sql, values) => serialize(() => query(sql, values)),
    transaction: (work) =>
      serialize(async () => {
        await query('BEGIN');
        try {
          const result = await work(query);
          await query('COMMIT');
          return result;
        } catch (error) {
          await query('ROLLBACK');
          throw error;
        }
      }),
    close: async () => undefined,
  };
}
