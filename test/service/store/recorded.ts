import type { ConnectionPool, RunStatement } from '../../../service/src/data/records/drivers/postgres/connection.js';

/** Passes each statement to `note` before executing it. */
export function recordStatements(
  pool: ConnectionPool,
  note: (sql: string, values: readonly unknown[], query: RunStatement) => void | Promise<void>,
): ConnectionPool {
  const recorded =
    (query: RunStatement): RunStatement =>
    async (sql, values = []) => {
      await note(sql, values, query);
      return query(sql, values);
    };
  return {
    ...pool,
    readTransaction: (work, timeoutMs) => pool.readTransaction((query) => work(recorded(query)), timeoutMs),
    writeTransaction: (work) => pool.writeTransaction((query) => work(recorded(query))),
  };
}
