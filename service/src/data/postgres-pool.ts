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
  // Broken connections are replaced; without listeners, an error would crash the process. The pool's own listener covers
  // idle connections, but none that is lent, nor one that the server ends in the packet in which it accepts it.
  pool.on('error', () => undefined);
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
  let reason: Error | undefined;
  const drop = (error: Error): void => {
    reason = error;
  };
  try {
    return await work((sql, values) => lost.watch(client, client.query(sql, values as unknown[])), drop, client);
  } finally {
    // The pool drops a broken connection by itself.
    client.release(reason);
  }
}
