/** Carries out one statement; values stand at `$1`, `$2` and so on. */
export type Query = <Row = Record<string, unknown>>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Connections to Postgres. */
export interface ConnectionPool {
  /** Several statements that read one moment. */
  reading<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** All of `work` or nothing of it. */
  writing<T>(work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Connects to a database by its address. */
export async function connectTo(databaseUrl: string): Promise<ConnectionPool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: databaseUrl, application_name: 'agent-connectors-service' });
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on('error', () => undefined);
  const transaction = async <T>(begin: string, work: (query: Query) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let broken: Error | undefined;
    const query: Query = async (sql, values = []) => (await client.query(sql, values as unknown[])).rows;
    try {
      await client.query(begin);
      const result = await work(query);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  };
  return {
    reading: (work) => transaction('begin isolation level repeatable read, read only', work),
    writing: (work) => transaction('begin', work),
    close: () => pool.end(),
  };
}
