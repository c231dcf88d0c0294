/** Carries out one statement; values stand at `$1`, `$2` and so on. */
export type Query = <Row = Record<string, unknown>>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Connections to Postgres. */
export interface ConnectionPool {
  /** Several statements that read one moment. */
  reading<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** All of `work` or nothing of it. */
  writing<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Statements on one connection that are kept one by one; left out where there is but one connection for all. */
  alone?<T>(work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Connects to a database by its address. */
export async function connectTo(databaseUrl: string): Promise<ConnectionPool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'agent-connectors-service',
    // Without it a server that is gone for good would never be missed.
    keepAlive: true,
  });
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on('error', () => undefined);
  const connected = async <T>(work: (query: Query) => Promise<T>, undo?: string): Promise<T> => {
    const client = await pool.connect();
    let broken: Error | undefined;
    // The pool listens to idle connections alone, and one that breaks in use would end the process.
    const noted = (error: Error): void => {
      broken = error;
    };
    client.on('error', noted);
    try {
      return await work(async (sql, values = []) => (await client.query(sql, values as unknown[])).rows);
    } catch (error) {
      if (undo !== undefined && !broken) await client.query(undo).catch(noted);
      throw error;
    } finally {
      client.off('error', noted);
      client.release(broken);
    }
  };
  const transaction = <T>(begin: string, work: (query: Query) => Promise<T>): Promise<T> =>
    connected(async (query) => {
      await query(begin);
      const result = await work(query);
      await query('commit');
      return result;
    }, 'rollback');
  let closing: Promise<void> | undefined;
  return {
    reading: (work) => transaction('begin isolation level repeatable read, read only', work),
    writing: (work) => transaction('begin', work),
    alone: (work) => connected(work),
    close() {
      closing ??= pool.end();
      return closing;
    },
  };
}
