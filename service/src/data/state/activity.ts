import { expressionBuilder, sql } from 'kysely';
import type { Activity, ActivityFilter } from './activity-types.js';
import { acrossOrganizations, type Database, withinOrganization } from './database.js';
import { activity } from './migrations/0016-activity.js';
import type { Scope } from './rows.js';
import { connectorsIn, type Tables } from './tables.js';

/** How long hours are kept. */
export const keptDays = 90;
/** Entries of the audit log that are counted at a time. */
const entriesPerCount = 20_000;

/** Lower bounds of the histogram's buckets in milliseconds; each is at most a fifth above the one before it. */
export const durationBounds: readonly number[] = [0];
for (let bound = 1; bound <= 3_600_000; bound = Math.max(bound + 1, Math.round(bound * 1.2))) {
  (durationBounds as number[]).push(bound);
}

/** `YYYY-MM-DDTHH` in UTC. */
export const hourOf = (ms: number): string => new Date(ms).toISOString().slice(0, 13);

/** What the activity needs. */
export interface ActivityDependencies {
  /** Stores pending audit entries. */
  readonly flush: (organizationId?: string) => Promise<void>;
  readonly now: () => number;
}

/**
 * Opens the activity. Calls are counted from the audit log when they are needed: each entry once, in one statement, so
 * that a call costs nothing more.
 */
export function openActivity(database: Database, { flush, now }: ActivityDependencies): Activity {
  const { query } = database;
  const since = async (): Promise<number> => {
    const { applied_at } = await countingBegan(database).executeTakeFirstOrThrow();
    return Math.max(Date.parse(applied_at), now() - keptDays * 86_400_000);
  };
  /** Counts the next entries of an organization's log; true if there are more. */
  const countSome = (organizationId: string, from: string): Promise<boolean> =>
    database.transaction(async () => {
      const log = query.selectFrom('audit').where('organization_id', '=', organizationId);
      const head = await log.select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirst();
      const counted = await selectCounted(database, organizationId).executeTakeFirst();
      if (!head || counted?.seq === head.seq) return false;
      // Only now, because reading what has been counted needs no lock.
      await database.lock(`activity ${organizationId}`);
      const after = await selectCounted(database, organizationId).executeTakeFirst();
      const first = after?.seq ?? (await seqBefore(database, organizationId, from));
      const last = Math.min(head.seq, first + entriesPerCount);
      if (last <= first) return false;
      await addCalls(database, organizationId, first, last);
      await query
        .insertInto('counted_calls')
        .values({ organization_id: organizationId, seq: last })
        .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ seq: last }))
        .execute();
      return last < head.seq;
    });
  const countCalls = async (organizationId: string): Promise<void> => {
    await flush(organizationId);
    const from = new Date(await since()).toISOString();
    await withinOrganization(organizationId, async () => {
      while (await countSome(organizationId, from));
    });
  };
  return {
    since,
    async calls(scope, filter) {
      await countCalls(scope.organizationId);
      return withinOrganization(scope.organizationId, () =>
        query
          .selectFrom('call_hours')
          .innerJoin('connectors', 'connectors.id', 'call_hours.connector_id')
          .select(['connector_id', 'hour', 'duration_ms', 'calls', 'errors'])
          .where(inHours('call_hours', scope, filter))
          .execute(),
      );
    },
    syncs: (scope, filter) =>
      withinOrganization(scope.organizationId, () =>
        query
          .selectFrom('sync_hours')
          .innerJoin('connectors', 'connectors.id', 'sync_hours.connector_id')
          .select(['connector_id', 'entity', 'hour', 'syncs', 'failed_syncs', 'read', 'changed', 'failed', 'records'])
          .where(inHours('sync_hours', scope, filter))
          .orderBy('hour')
          .execute(),
      ),
    async sweep() {
      const organizations = query.selectFrom('organizations').select('id');
      const oldest = hourOf(now() - keptDays * 86_400_000);
      for (const { id } of await acrossOrganizations(() => organizations.execute())) {
        await countCalls(id);
        await withinOrganization(id, async () => {
          for (const table of ['call_hours', 'sync_hours'] as const) {
            await query.deleteFrom(table).where('organization_id', '=', id).where('hour', '<', oldest).execute();
          }
        });
      }
    },
  };
}

/** When the database began to count. */
export const countingBegan = ({ query }: Database) =>
  query.selectFrom('versions').select('applied_at').where('version', '=', activity.version);

const selectCounted = ({ query }: Database, organizationId: string) =>
  query.selectFrom('counted_calls').select('seq').where('organization_id', '=', organizationId);

/** The last entry before a time; 0 if there is none. */
async function seqBefore({ query }: Database, organizationId: string, at: string): Promise<number> {
  const older = query.selectFrom('audit').select('seq').where('organization_id', '=', organizationId);
  const newest = await older.where('at', '<', at).orderBy('at', 'desc').orderBy('seq', 'desc').limit(1).execute();
  return newest[0]?.seq ?? 0;
}

const inHours = (table: 'call_hours' | 'sync_hours', scope: Scope, { connectorId, from }: ActivityFilter) => {
  const eb = expressionBuilder<Tables, 'call_hours' | 'sync_hours' | 'connectors'>();
  return eb.and([
    eb(`${table}.organization_id`, '=', scope.organizationId),
    eb(`${table}.hour`, '>=', from),
    ...(connectorId === undefined ? [] : [eb(`${table}.connector_id`, '=', connectorId)]),
    connectorsIn(scope),
  ]);
};

const bucketOf = sql<number>`case ${sql.join(
  durationBounds
    .slice(1)
    .map(
      (bound, index) => sql`when coalesce(duration_ms, 0) < ${sql.lit(bound)} then ${sql.lit(durationBounds[index]!)}`,
    ),
  sql` `,
)} else ${sql.lit(durationBounds.at(-1)!)} end`;

/** Adds the calls of a range of an organization's audit log to its hours. */
async function addCalls({ query }: Database, organizationId: string, after: number, last: number): Promise<void> {
  const hour = sql<string>`substr(at, 1, 13)`;
  const calls = query
    .selectFrom('audit')
    .select(({ fn, eb }) => [
      'organization_id',
      'connector_id',
      hour.as('hour'),
      bucketOf.as('duration_ms'),
      fn.countAll<number>().as('calls'),
      fn.sum<number>(eb.case().when('outcome', '=', 'success').then(0).else(1).end()).as('errors'),
    ])
    .where('organization_id', '=', organizationId)
    .where('seq', '>', after)
    .where('seq', '<=', last)
    .where('event', '=', 'execute')
    .where('outcome', '<>', 'begun')
    .where('connector_id', 'is not', null)
    .groupBy(['organization_id', 'connector_id', hour, bucketOf]);
  await query
    .insertInto('call_hours')
    .columns(['organization_id', 'connector_id', 'hour', 'duration_ms', 'calls', 'errors'])
    .expression(calls as never)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'connector_id', 'hour', 'duration_ms']).doUpdateSet((eb) => ({
        calls: eb('call_hours.calls', '+', eb.ref('excluded.calls')),
        errors: eb('call_hours.errors', '+', eb.ref('excluded.errors')),
      })),
    )
    .execute();
}
