import { sql } from 'kysely';
import type { Database } from './database.js';

/** A token bucket that refills at a constant rate. */
export interface BucketSize {
  /** Capacity in tokens. */
  readonly burst: number;
  /** Milliseconds per token. */
  readonly intervalMs: number;
}

/** Tokens taken from a bucket. */
export interface Reservation {
  readonly granted: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number;
}

/** Token buckets shared by all processes that use the database. */
export interface RateLimits {
  /** Takes up to `count` tokens from a bucket; a new bucket starts full. */
  reserve(name: string, count: number, size: BucketSize): Promise<Reservation>;
  /** Deletes full buckets. */
  sweep(): Promise<void>;
}

/** 30 years in microseconds: no bucket takes longer to refill. */
const maxCapacity = 1e15;

/** Opens the buckets in a Postgres database. */
export function openRateLimits(database: Database): RateLimits {
  const { query } = database;
  // Microseconds are precise enough for the highest rate.
  const now = sql<number>`((${database.now})::bigint * 1000)`;
  return {
    async reserve(name, count, { burst, intervalMs }) {
      const interval = Math.max(1, Math.round(intervalMs * 1000));
      const capacity = Math.min(maxCapacity, burst * interval);
      const first = Math.min(count, Math.floor(capacity / interval));
      // The upsert locks the row, so that two processes never take the same tokens.
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
