import { sql } from 'kysely';
import { type Database, fromNow } from './database.js';

/** Maximum requests within any `perMs` milliseconds, at most a day. */
export interface SharedWindow {
  readonly requests: number;
  readonly perMs: number;
}

/** What a window granted. */
export interface Grant {
  /** Requests that may be sent now. */
  readonly granted: number;
  /** Milliseconds until more requests may be sent; at least 1. */
  readonly waitMs: number;
}

/** Rate-limit windows for vendor requests, shared by all processes that use the database. */
export interface VendorLimits {
  /** Takes up to `count` requests from a window. */
  take(name: string, count: number, window: SharedWindow): Promise<Grant>;
  /** Milliseconds until requests may be sent under this name; 0 if allowed now. */
  pausedMs(name: string): Promise<number>;
  /** Stops requests under this name for this many milliseconds; an existing stop that ends later is kept. */
  pause(name: string, ms: number): Promise<void>;
}

/**
 * Number of parts that a window is divided into for counting requests, to keep rows short; a window is one part longer.
 */
const partsOfWindow = 50;

/** Opens the windows in a Postgres database. */
export function openVendorLimits(database: Database): VendorLimits {
  const { query } = database;
  const now = sql<number>`(${database.now})::bigint`;
  return {
    async take(name, count, { requests, perMs }) {
      const partMs = Math.ceil(perMs / partsOfWindow);
      const first = Math.min(count, requests);
      // `sent` contains the parts as `time:count`. The upsert locks the row, so two processes never take the same
      // requests.
      const statement = sql<{ granted: number; oldest: string; paused_until: number; at: number }>`
        insert into vendor_limits as own (name, sent, granted, paused_until)
          values (${name}, (${now} / ${sql.lit(partMs)} * ${sql.lit(partMs)})::text || ':' || ${first}::bigint, ${first}::bigint, ${now})
        on conflict (name) do update set (sent, granted, paused_until) = (
          with parts as (
            select split_part(part, ':', 1)::bigint as at, split_part(part, ':', 2)::bigint as count
              from unnest(string_to_array(own.sent, ',')) part
              where split_part(part, ':', 1)::bigint > ${now} - ${sql.lit(perMs + partMs)}
                -- The database's clock may have been set back.
                and split_part(part, ':', 1)::bigint <= ${now} + ${sql.lit(perMs)}
          ), share as (
            select case when own.paused_until > ${now} then 0
                else greatest(0, least(${count}::bigint, ${sql.lit(requests)} - coalesce(sum(count), 0))) end as granted
              from parts
          ), merged as (
            select at, sum(count) as count from (
              select at, count from parts
              union all select split_part(excluded.sent, ':', 1)::bigint, granted from share where granted > 0
            ) counted group by at
          )
          select coalesce((select string_agg(at::text || ':' || count, ',' order by at) from merged), ''),
            (select granted from share), greatest(own.paused_until, excluded.paused_until))
        returning granted, split_part(sent, ':', 1) as oldest, paused_until, ${now} as at`;
      const { rows } = await database.outsideTransaction(() => statement.execute(query));
      const { granted, oldest, paused_until, at } = rows[0]!;
      const freeAt = paused_until > at ? paused_until : Number(oldest) + perMs + partMs;
      return { granted, waitMs: Math.max(1, freeAt - at) };
    },
    async pausedMs(name) {
      const found = query.selectFrom('vendor_limits').select(({ eb }) => eb('paused_until', '-', now).as('left_ms'));
      const row = await database.outsideTransaction(() => found.where('name', '=', name).executeTakeFirst());
      return Math.max(0, Number(row?.left_ms ?? 0));
    },
    async pause(name, ms) {
      const insertion = query
        .insertInto('vendor_limits')
        .values({ name, paused_until: fromNow(database, Math.ceil(ms)) });
      await database.outsideTransaction(() =>
        insertion
          .onConflict((conflict) =>
            conflict.column('name').doUpdateSet(({ fn, ref }) => ({
              paused_until: fn('greatest', [ref('vendor_limits.paused_until'), ref('excluded.paused_until')]),
            })),
          )
          .execute(),
      );
    },
  };
}
