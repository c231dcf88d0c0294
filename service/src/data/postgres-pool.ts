import type { Pool, PoolClient, PoolConfig } from 'pg';
import type { PoolUsage } from '../common/gauges.js';

/** Opens a connection pool; broken connections are replaced. */
export async function openPool(databaseUrl: string, settings: PoolConfig): Promise<Pool> {
  const { default: pg } = await import('pg');
  // Without keep-alive, a server that has vanished would go unnoticed.
  const pool = new pg.Pool({ connectionString: databaseUrl, keepAlive: true, ...settings });
  // A broken idle connection is replaced; without a listener, the error would crash the process.
  pool.on('error', () => undefined);
  openPools().set(pool, settings.application_name ?? '');
  return pool;
}

const pools = new Map<Pool, string>();

/** Usage of this process's connection pools. */
export function poolUsage(): PoolUsage[] {
  return [...openPools()].map(([{ totalCount, idleCount, waitingCount }, pool]) => ({
    ...{ pool, active: totalCount - idleCount, idle: idleCount, waiting: waitingCount },
  }));
}

function openPools(): Map<Pool, string> {
  for (const pool of pools.keys()) if (pool.ended) pools.delete(pool);
  return pools;
}

/** Lends a connection to `work`, which calls `drop` if it must not be reused. */
export async function withConnection<T>(
  pool: Pool,
  work: (client: PoolClient, drop: (error: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let connectionError: Error | undefined;
  // The pool handles errors only on idle connections; an error on one in use would crash the process.
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
