import type { Pool, PoolClient, PoolConfig } from 'pg';

/** Opens a connection pool; broken connections are replaced. */
export async function openPool(databaseUrl: string, settings: PoolConfig): Promise<Pool> {
  const { default: pg } = await import('pg');
  // Without keep-alive, a server that has vanished would go unnoticed.
  const pool = new pg.Pool({ connectionString: databaseUrl, keepAlive: true, ...settings });
  // A broken idle connection is replaced; without a listener, the error would end the process.
  pool.on('error', () => undefined);
  return pool;
}

/** Lends a connection to `work`; after `drop` it is not reused. */
export async function withConnection<T>(
  pool: Pool,
  work: (client: PoolClient, drop: (error: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let connectionError: Error | undefined;
  // The pool listens only to idle connections; an error on one in use would end the process.
  const drop = (error: Error): void => {
    connectionError = error;
  };
  client.on('error', drop);
  try {
    return await work(client, drop);
  } finally {
    client.off('error', drop);
    client.release(connectionError);
  }
}
