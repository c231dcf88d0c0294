import type { Pool, PoolClient, PoolConfig, QueryResult } from 'pg';
import type { PoolUsage } from '../common/gauges.js';
import type { LossLimits } from './loss-limits.js';
import { LostConnections } from './lost-connections.js';

/** How long a connection may be idle before TCP checks whether the server still exists, in milliseconds. */
const keepAliveMs = 10_000;

/** Opens a connection pool; broken connections are replaced. */
export async function openPool(databaseUrl: string, settings: PoolConfig, losses?: LossLimits): Promise<Pool> {
  const { default: pg } = await import('pg');
  const config = { connectionString: databaseUrl, application_name: settings.application_name };
  const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: keepAliveMs };
  const pool = new pg.Pool({ ...config, ...keepAlive, ...settings });
  // A broken idle connection is replaced; without a listener, the error would crash the process.
  pool.on('error', () => undefined);
  // A new connection that the server ends in the same packet as it accepts it has not been lent yet, and is not idle.
  pool.on('connect', (client) => client.on('error', () => undefined));
  openPools().set(pool, { name: settings.application_name ?? '', lost: new LostConnections(config, losses) });
  return pool;
}

interface OpenPool {
  readonly name: string;
  readonly lost: LostConnections;
}

const pools = new Map<Pool, OpenPool>();

/** Usage of this process's connection pools. */
export function poolUsage(): PoolUsage[] {
  return [...openPools()].map(([{ totalCount, idleCount, waitingCount }, { name }]) => ({
    pool: name,
    active: totalCount - idleCount,
    idle: idleCount,
    waiting: waitingCount,
  }));
}

function openPools(): Map<Pool, OpenPool> {
  for (const [pool, { lost }] of pools) {
    if (!pool.ended) continue;
    lost.stop();
    pools.delete(pool);
  }
  return pools;
}

/** Runs a statement, or several without values. */
type Run = (sql: string, values?: readonly unknown[]) => Promise<QueryResult>;

/** Lends a connection to `work`, which calls `drop` if it must not be reused. */
export async function withConnection<T>(
  pool: Pool,
  work: (run: Run, drop: (error: Error) => void, client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const { lost } = pools.get(pool)!;
  let connectionError: Error | undefined;
  // The pool handles errors only on idle connections; an error on one in use would crash the process.
  const drop = (error: Error): void => {
    connectionError = error;
  };
  client.on('error', drop);
  try {
    return await work((sql, values) => lost.watch(client, client.query(sql, values as unknown[])), drop, client);
  } finally {
    client.off('error', drop);
    client.release(connectionError);
  }
}
