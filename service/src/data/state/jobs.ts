import { type Insertable, type Selectable, sql } from 'kysely';
import { connectorById } from './connectors.js';
import {
  clockToleranceMs,
  type Database,
  eachAcrossOrganizations,
  eachWithinOrganization,
  fromNow,
  newId,
  randomText,
  withinOrganization,
} from './database.js';
import { failReplicas, storeReplica } from './replicas.js';
import type { Claim, EntityProgress, JobEnd, JobRow, Jobs } from './replication-types.js';
import { readTimeCursor, type Scope, writeCursor } from './rows.js';
import { connectorsIn, isOpenJob, type Tables } from './tables.js';
import { changeHealth, emitEvent } from './webhooks/outbox.js';

/** How long a process keeps its job without sending heartbeats, in milliseconds. */
export const jobLeaseMs = 15_000;
/** Longest time for which a job is put off, in milliseconds: vendors' daily quotas are back by then. */
export const maxDeferralMs = 24 * 3_600_000;
/** Maximum jobs kept per connector. */
const maxJobsKept = 100;

// Every tenant query is built on this, so none can omit it.
const visibleJobs = ({ query }: Database, scope: Scope, connectorId: string) =>
  query
    .selectFrom('jobs')
    .innerJoin('connectors', 'connectors.id', 'jobs.connector_id')
    .selectAll('jobs')
    .where(connectorsIn(scope))
    .where('jobs.connector_id', '=', connectorId);

/** Connectors whose next job is due to be created. */
export const dueConnectors = (database: Database, types: readonly string[]) =>
  database.query
    .selectFrom('connectors')
    .select(['connectors.id', 'connectors.sync_at'])
    .where('sync_at', '<=', database.now)
    .where('type', 'in', database.listOf(types))
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('credentials').select('field').whereRef('credentials.connector_id', '=', 'connectors.id')),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs').select('jobs.id').whereRef('jobs.connector_id', '=', 'connectors.id').where(isOpenJob),
        ),
      ),
    );

/** The jobs in the database. */
export function openJobs(database: Database): Jobs {
  const { query, now } = database;
  const leaseEnd = fromNow(database, jobLeaseMs);
  const add = async (
    jobs: ReadonlyArray<
      Pick<Insertable<Tables['jobs']>, 'connector_id' | 'organization_id' | 'reason' | 'requested_entities'>
    >,
  ) => {
    const rows = jobs.map((job) => ({
      ...job,
      id: newId('job'),
      entities: '[]',
      status: 'queued' as const,
      next_attempt_at: 0,
      created_at: now,
    }));
    const insertion = query.insertInto('jobs').values(rows);
    const { numInsertedOrUpdatedRows } = await insertion
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return Number(numInsertedOrUpdatedRows);
  };
  const updateJob = (id: string) => query.updateTable('jobs').where('id', '=', id);
  const claimed = ({ job, owner }: Claim) =>
    query
      .selectFrom('jobs')
      .select(sql<number>`lease_until - ${now}`.as('left_ms'))
      .where('id', '=', job.id)
      .where('owner', '=', owner)
      .where('status', '=', 'running');
  const whileClaimed = (claim: Claim, work: () => Promise<unknown>): Promise<boolean> =>
    withinOrganization(claim.row.organizationId, () =>
      database.transaction(async () => {
        // The lock order is connector, then job, as in connector updates.
        await lockConnectors(database).where('id', '=', claim.row.id).execute();
        if (!(await claimed(claim).forNoKeyUpdate('jobs').executeTakeFirst())) return false;
        await work();
        return true;
      }),
    );
  const extendLease = ({ job }: Claim) => updateJob(job.id).set({ lease_until: leaseEnd }).execute();

  const ofTenants = eachWithinOrganization<Pick<Jobs, 'request' | 'list'>>({
    request: (scope, connectorId, entities) =>
      database.transaction(async () => {
        const visible = lockConnectors(database).where(connectorsIn(scope)).where('id', '=', connectorId);
        if (!(await visible.executeTakeFirst())) return undefined;
        const open = visibleJobs(database, scope, connectorId).where(isOpenJob);
        const found = await open.forNoKeyUpdate('jobs').executeTakeFirst();
        if (found) {
          // A queued or retrying job takes over the request. A running one does so when it ends, because it may already
          // have read what the request is about.
          const mergedEntities =
            found.requested_entities === null || entities === null
              ? null
              : [...JSON.parse(found.requested_entities), ...entities];
          const requested_entities = mergedEntities && JSON.stringify([...new Set(mergedEntities)]);
          const taken = found.status === 'running' ? { repeats: 1 } : { next_attempt_at: 0, ...fromStart(found) };
          await updateJob(found.id)
            .set({ reason: 'request', requested_entities, ...taken })
            .execute();
        } else {
          const requested_entities = entities && JSON.stringify(entities);
          const { organizationId: organization_id } = scope;
          await add([{ organization_id, connector_id: connectorId, reason: 'request', requested_entities }]);
        }
        return toJobRow(await open.executeTakeFirstOrThrow());
      }),

    async list(scope, connectorId, { limit, cursor }) {
      const after = cursor === undefined ? undefined : readTimeCursor(cursor, 'job');
      let page = visibleJobs(database, scope, connectorId);
      if (after) {
        page = page.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('jobs.created_at', 'jobs.id'), '<', tuple(after.createdAt, after.id)),
        );
      }
      const newestFirst = page.orderBy('jobs.created_at', 'desc').orderBy('jobs.id', 'desc');
      const found = await newestFirst.limit(limit + 1).execute();
      const rows = found.slice(0, limit).map(toJobRow);
      const last = rows.at(-1);
      const more = found.length > limit && last;
      return { rows, next: more ? writeCursor({ createdAt: String(last.createdAt), id: last.id }) : null };
    },
  });
  // Processes share the jobs of all organizations.
  const queue = eachAcrossOrganizations<Pick<Jobs, 'plan' | 'claim' | 'forgetFuture'>>({
    async forgetFuture() {
      const future = fromNow(database, clockToleranceMs);
      await query
        .updateTable('connectors')
        .set({ sync_at: 0 })
        .where('sync_at', '>', future)
        // Until its job ends, a connector has no due time.
        .where('sync_at', '<', Number.MAX_SAFE_INTEGER)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('jobs')
              .select('jobs.id')
              .whereRef('jobs.connector_id', '=', 'connectors.id')
              .where('finished_at', '>', future),
          ),
        )
        .execute();
      const times = ['created_at', 'started_at', 'finished_at'] as const;
      const notLater = (name: string) =>
        sql<number>`case when ${sql.ref(name)} > ${now} then ${now} else ${sql.ref(name)} end`;
      const latestAttempt = fromNow(database, maxDeferralMs + clockToleranceMs);
      await query
        .updateTable('jobs')
        .set({ ...Object.fromEntries(times.map((name) => [name, notLater(name)])), next_attempt_at: 0 })
        .where(({ eb, or }) =>
          or([...times.map((name) => eb(name, '>', future)), eb('next_attempt_at', '>', latestAttempt)]),
        )
        .execute();
      await query
        .updateTable('jobs')
        .set({ lease_until: leaseEnd })
        .where('status', '=', 'running')
        .where('lease_until', '>', future)
        .execute();
    },

    async plan(types, limit) {
      const selectDue = dueConnectors(database, types)
        .select(({ exists, selectFrom }) => [
          'connectors.organization_id',
          exists(
            selectFrom('replicas')
              .select('entity')
              .whereRef('replicas.connector_id', '=', 'connectors.id')
              .where('synced_at', 'is not', null),
          ).as('synced'),
        ])
        .orderBy('sync_at');
      // Usually nothing is due, and checking does not require a lock.
      if (!(await selectDue.limit(1).executeTakeFirst())) return 0;
      return database.transaction(async () => {
        const due = await selectDue.limit(limit).forNoKeyUpdate('connectors').skipLocked().execute();
        if (due.length === 0) return 0;
        const created = await add(
          due.map(({ id, organization_id, synced }) => ({
            organization_id,
            connector_id: id,
            reason: synced ? 'interval' : 'first',
            requested_entities: null,
          })),
        );
        // The next due time is set when the job ends; until then, the search for due connectors skips the connector.
        const planned = database.listOf(due.map(({ id }) => id));
        await query
          .updateTable('connectors')
          .set({ sync_at: Number.MAX_SAFE_INTEGER })
          .where('id', 'in', planned)
          .execute();
        return created;
      });
    },

    async claim(types, exceptOrganizations = []) {
      // Search without a lock, since usually no job is available.
      for (const { id } of await nextJobs(database, types, exceptOrganizations)) {
        const owner = randomText(22);
        const free = query.selectFrom('jobs').select('id').where('id', '=', id).where(isFree(database));
        const job = await updateJob(id)
          .where('id', '=', free.forNoKeyUpdate('jobs').skipLocked())
          .set((eb) => ({
            status: 'running',
            owner,
            lease_until: leaseEnd,
            started_at: eb.fn.coalesce('started_at', now),
          }))
          .returningAll()
          .executeTakeFirst();
        const row = job && (await connectorById(database, job.connector_id));
        if (row) return { job: toJobRow(job), row, owner };
      }
      return undefined;
    },
  });

  return {
    ...ofTenants,
    ...queue,
    async renewLease(claim) {
      const found = await withinOrganization(claim.row.organizationId, () => claimed(claim).executeTakeFirst());
      if (found && found.left_ms < (jobLeaseMs * 2) / 3) return whileClaimed(claim, () => extendLease(claim));
      return found !== undefined;
    },

    checkpoint: (claim, entities, replica) =>
      whileClaimed(claim, async () => {
        const { job, row } = claim;
        await updateJob(job.id)
          .set({ entities: JSON.stringify(entities) })
          .execute();
        await extendLease(claim);
        if (replica?.changes) await storeReplica(database, row.id, replica.entity, replica.changes);
        else if (replica) {
          const deletion = query.deleteFrom('replicas').where('connector_id', '=', row.id);
          await deletion.where('entity', '=', replica.entity).execute();
        }
      }),

    end: (claim, end) =>
      whileClaimed(claim, async () => {
        const { job, row } = claim;
        const { repeats, entities } = await query
          .selectFrom('jobs')
          .select(['repeats', 'entities'])
          .where('id', '=', job.id)
          .executeTakeFirstOrThrow();
        if (repeats) {
          const next_attempt_at = end.status === 'queued' ? end.nextAttemptAt : 0;
          const again = { status: 'queued', owner: null, next_attempt_at, attempts: 0, repeats: 0 } as const;
          await updateJob(job.id)
            .set({ ...again, error: end.error, ...fromStart({ entities }) })
            .execute();
          return;
        }
        if (end.status === 'queued') {
          const { nextAttemptAt: next_attempt_at, failed, error } = end;
          await updateJob(job.id)
            .set((eb) => ({
              status: 'queued',
              owner: null,
              next_attempt_at,
              attempts: eb('attempts', '+', Number(failed)),
              error,
              entities: JSON.stringify(waitingAgain(entities)),
            }))
            .execute();
          return;
        }
        const ended = { status: end.status, owner: null, finished_at: now, error: end.error };
        const { finished_at } = await updateJob(job.id).set(ended).returning('finished_at').executeTakeFirstOrThrow();
        await addSync(database, claim, {
          finishedAt: finished_at!,
          entities: JSON.parse(entities),
          hasFailed: end.status === 'failed',
        });
        if (end.status === 'failed') await failReplicas(database, row.id);
        await tellOutcome(database, claim, end);
        await query.updateTable('connectors').set({ sync_at: end.nextSyncAt }).where('id', '=', row.id).execute();
        const jobs = query.selectFrom('jobs').select('id').where('connector_id', '=', row.id);
        const remembered = jobs.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(maxJobsKept);
        await query.deleteFrom('jobs').where('connector_id', '=', row.id).where('id', 'not in', remembered).execute();
      }),
  };
}

/** Progress with which a job reads all its entities again; counts and the last errors are kept. */
const fromStart = ({ entities }: Pick<Tables['jobs'], 'entities'>) => ({
  entities: JSON.stringify(
    (JSON.parse(entities) as EntityProgress[]).map((one) => ({ ...one, status: 'waiting', progress: null })),
  ),
});

/** Progress of a job that will read the entities that are not done again. */
const waitingAgain = (entities: string): EntityProgress[] =>
  (JSON.parse(entities) as EntityProgress[]).map((one) =>
    one.status === 'failed' ? { ...one, status: 'waiting' } : one,
  );

/** Emits a job's outcome as an event. */
async function tellOutcome(database: Database, { job, row }: Claim, end: JobEnd): Promise<void> {
  if (end.status === 'failed') {
    const health = end.needsReauthorization ? 'needs_reauthorization' : 'failing';
    await changeHealth(database, row, health, end.error ?? undefined);
  }
  if (end.status !== 'done') return;
  await changeHealth(database, row, null);
  await emitEvent(database, row, 'connector.synced', { job_id: job.id });
}

/** Adds an ended job to its hour in `sync_hours`, in the transaction that ends it. */
async function addSync(
  { query }: Database,
  { row }: Claim,
  {
    finishedAt,
    entities,
    hasFailed,
  }: { readonly finishedAt: number; readonly entities: readonly EntityProgress[]; readonly hasFailed: boolean },
): Promise<void> {
  const replicas = await query
    .selectFrom('replicas')
    .select(['entity', 'records'])
    .where('connector_id', '=', row.id)
    .execute();
  const key = {
    organization_id: row.organizationId,
    connector_id: row.id,
    hour: new Date(finishedAt).toISOString().slice(0, 13),
  };
  const none = { syncs: 0, failed_syncs: 0, read: 0, changed: 0, failed: 0, records: 0 };
  const counts = entities.map(({ entity, read, inserted, updated, removed, failed }) => ({
    ...key,
    ...none,
    entity,
    read,
    changed: inserted + updated + removed,
    failed,
    records: replicas.find((replica) => replica.entity === entity)?.records ?? 0,
  }));
  const rows = [
    { ...key, ...none, entity: '', syncs: 1, failed_syncs: Number(hasFailed) },
    // An entity without news has the records of its last row.
    ...counts.filter(({ read, changed, failed }) => read + changed + failed > 0),
  ];
  await query
    .insertInto('sync_hours')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'connector_id', 'hour', 'entity']).doUpdateSet((eb) => ({
        syncs: eb('sync_hours.syncs', '+', eb.ref('excluded.syncs')),
        failed_syncs: eb('sync_hours.failed_syncs', '+', eb.ref('excluded.failed_syncs')),
        read: eb('sync_hours.read', '+', eb.ref('excluded.read')),
        changed: eb('sync_hours.changed', '+', eb.ref('excluded.changed')),
        failed: eb('sync_hours.failed', '+', eb.ref('excluded.failed')),
        records: eb.ref('excluded.records'),
      })),
    )
    .execute();
}

const lockConnectors = ({ query }: Database) =>
  query.selectFrom('connectors').select('id').forNoKeyUpdate('connectors');

const toJobRow = (row: Selectable<Tables['jobs']>): JobRow => ({
  id: row.id,
  connectorId: row.connector_id,
  reason: row.reason,
  requestedEntities: row.requested_entities === null ? null : JSON.parse(row.requested_entities),
  status: row.status,
  attempts: row.attempts,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  nextAttemptAt: row.next_attempt_at,
  entities: JSON.parse(row.entities) as EntityProgress[],
  error: row.error,
});

/** Whether a job waits for a process, or its process has stopped. */
const isFree = ({ now }: Database) =>
  sql<boolean>`jobs.status in ('queued', 'running')
    and case jobs.status when 'queued' then jobs.next_attempt_at else jobs.lease_until end <= ${now}`;

/** How many candidates to try, since another process may take a job first. */
const maxCandidates = 8;

/**
 * The first free job of each organization: organizations with the fewest running jobs first, then the oldest job.
 *
 * Organizations are found one by one in the index, regardless of how many jobs each has waiting.
 */
async function nextJobs(database: Database, types: readonly string[], exceptOrganizations: readonly string[]) {
  const { now, query } = database;
  const { rows } = await sql<{ id: string }>`
    with recursive waiting (organization_id) as (
      select min(organization_id) from jobs where status in ('queued', 'running')
      union all
      select (select min(jobs.organization_id) from jobs
          where status in ('queued', 'running') and jobs.organization_id > waiting.organization_id)
        from waiting where organization_id is not null
    ), heads as (
      select
        (select jobs.id from jobs inner join connectors on connectors.id = jobs.connector_id
          where jobs.organization_id = waiting.organization_id and ${isFree(database)}
            and connectors.type in ${database.listOf(types)}
          order by jobs.created_at limit 1) as id,
        (select count(*) from jobs
          where status = 'running' and jobs.organization_id = waiting.organization_id and lease_until > ${now}) as running
      from waiting
      where organization_id is not null and organization_id not in ${database.listOf(exceptOrganizations)}
    )
    select jobs.id from heads inner join jobs on jobs.id = heads.id
      order by heads.running, jobs.created_at limit ${sql.lit(maxCandidates)}`.execute(query);
  return rows;
}
