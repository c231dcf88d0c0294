import { sql } from 'kysely';
import type { Database } from './database.js';

/** A bucket that fills steadily. */
export interface BucketSize {
  /** Tokens that it holds when it is full. */
  readonly burst: number;
  /** Milliseconds until one token more is in it. */
  readonly intervalMs: number;
}

/** What a bucket gave. */
export interface Reservation {
  readonly granted: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number;
}

/** Buckets that all processes on the database take from. */
export interface RateLimits {
  /** Takes up to `count` tokens of a bucket; a name that is new has a full one. */
  reserve(name: string, count: number, size: BucketSize): Promise<Reservation>;
  /** Forgets buckets that are full. */
  sweep(): Promise<void>;
}

/** Microseconds of 30 years: no bucket takes longer to fill. */
const maxCapacity = 1e15;

/** Opens the buckets in a database of Postgres. */
export function openRateLimits(database: Database): RateLimits {
  const { query } = database;
  // By microseconds, which divide a second by the highest rate.
  const now = sql<number>`((${database.now})::bigint * 1000)`;
  return {
    async reserve(name, count, { burst, intervalMs }) {
      const interval = Math.max(1, Math.round(intervalMs * 1000));
      const capacity = Math.min(maxCapacity, burst * interval);
      const first = Math.min(count, Math.floor(capacity / interval));
      // The row is locked by the conflict, so that two processes never take the same tokens.
      const statement = sql<{ granted: number; ahead: number }>`
        insert into rate_limits as own (name, full_at, granted)
          values (${name}, ${now} + ${first}::bigint * ${interval}::bigint, ${first}::bigint)
        on conflict (name) do update set (full_at, granted) = (
          select greatest(own.full_at, at) + granted * ${interval}::bigint, granted from (
            select at, greatest(0, least(${count}::bigint,
                (${capacity}::bigint - greatest(own.full_at - at, 0)) / ${interval}::bigint)) as granted
              from (select excluded.full_at - ${first}::bigint * ${interval}::bigint as at) clock
          ) share)
        returning granted, full_at - ${now} as ahead`;
      const { rows } = await database.outsideTransaction(() => statement.execute(query));
      const { granted, ahead } = rows[0]!;
      return { granted, fullInMs: Math.max(0, ahead) / 1000 };
    },
    async sweep() {
      await query.deleteFrom('rate_limits').where('full_at', '<', now).execute();
    },
  };
}
