import { type Selectable, sql } from 'kysely';
import { connectorById, visibleIn } from './connectors.js';
import {
  type Database,
  eachAcrossOrganizations,
  eachWithinOrganization,
  fromNow,
  newId,
  randomText,
  withinOrganization,
} from './database.js';
import { storeReplica } from './replicas.js';
import type { Claim, EntityProgress, JobEnd, JobReason, JobRow, Jobs } from './replication-types.js';
import { readTimeCursor, type Scope, writeCursor } from './rows.js';
import { isOpenJob, type Tables } from './tables.js';
import { changeHealth, emitEvent } from './webhooks/outbox.js';

/** How long a job is left to a process that does not say that it lives, in milliseconds. */
export const jobLeaseMs = 15_000;
/** So many jobs of each connector are remembered. */
const maxJobsKept = 100;

// In front of every query of a tenant's, so that none can be written without it.
const visibleJobs = ({ query }: Database, scope: Scope, connectorId: string) =>
  query
    .selectFrom('jobs')
    .innerJoin('connectors', 'connectors.id', 'jobs.connector_id')
    .selectAll('jobs')
    .where(visibleIn(scope))
    .where('jobs.connector_id', '=', connectorId);

/** Connectors whose next job is to be made. */
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
  const add = async (connectorId: string, reason: JobReason, entities: readonly string[] | null): Promise<number> => {
    const { numInsertedOrUpdatedRows } = await query
      .insertInto('jobs')
      .values({
        id: newId('job'),
        connector_id: connectorId,
        requested: reason,
        wanted: entities && JSON.stringify(entities),
        status: 'queued',
        not_before: 0,
        created_at: now,
        entities: '[]',
      })
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
        // First the connector and then its job, as where a connector is changed.
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
        const visible = lockConnectors(database).where(visibleIn(scope)).where('id', '=', connectorId);
        if (!(await visible.executeTakeFirst())) return undefined;
        const open = visibleJobs(database, scope, connectorId).where(isOpenJob);
        const found = await open.executeTakeFirst();
        if (found) {
          // One that waits for its turn, or for its next try, becomes what was asked for.
          const mergedEntities =
            found.wanted === null || entities === null ? null : [...JSON.parse(found.wanted), ...entities];
          const wanted = mergedEntities && JSON.stringify([...new Set(mergedEntities)]);
          const waiting = updateJob(found.id).where('status', '=', 'queued');
          await waiting.set({ not_before: 0, requested: 'request', wanted }).execute();
        } else {
          await add(connectorId, 'request', entities);
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
  // The processes share the jobs of everybody.
  const queue = eachAcrossOrganizations<Pick<Jobs, 'plan' | 'claim'>>({
    async plan(types, limit) {
      const selectDue = dueConnectors(database, types)
        .select(({ exists, selectFrom }) => [
          exists(
            selectFrom('replicas')
              .select('entity')
              .whereRef('replicas.connector_id', '=', 'connectors.id')
              .where('synced_at', 'is not', null),
          ).as('synced'),
        ])
        .orderBy('sync_at')
        .limit(limit);
      const due = () => selectDue.execute();
      // Most of the time nothing is due, which takes no lock to find out.
      if ((await due()).length === 0) return 0;
      return database.transaction(async () => {
        let created = 0;
        for (const { id, synced } of await due()) created += await add(id, synced ? 'interval' : 'first', null);
        return created;
      });
    },

    async claim(types, exceptOrganizations = []) {
      const free = query
        .selectFrom('jobs')
        .innerJoin('connectors', 'connectors.id', 'jobs.connector_id')
        .selectAll('jobs')
        .where(isOpenJob)
        .where(
          ({ case: choose, ref }) =>
            choose('jobs.status').when('queued').then(ref('not_before')).else(ref('lease_until')).end(),
          '<=',
          now,
        )
        .where('connectors.type', 'in', database.listOf(types))
        .where('connectors.organization_id', 'not in', database.listOf(exceptOrganizations))
        .limit(1);
      // Most of the time nothing is free, which takes no order and no lock to find out.
      if (!(await free.executeTakeFirst())) return undefined;
      const inTurn = free
        .leftJoin(runningByOrganization(database), 'running.organization_id', 'connectors.organization_id')
        .orderBy(({ fn, val }) => fn.coalesce('running.jobs', val(0)))
        .orderBy('jobs.created_at');
      return database.transaction(async () => {
        const found = await inTurn.forNoKeyUpdate('jobs').skipLocked().executeTakeFirst();
        if (!found) return undefined;
        const owner = randomText(22);
        await updateJob(found.id)
          .set((eb) => ({
            status: 'running',
            owner,
            lease_until: leaseEnd,
            started_at: eb.fn.coalesce('started_at', now),
          }))
          .execute();
        return { job: toJobRow(found), row: (await connectorById(database, found.connector_id))!, owner };
      });
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
        if (end.status === 'queued') {
          const { notBefore: not_before, failed, error } = end;
          await updateJob(job.id)
            .set((eb) => ({
              status: 'queued',
              owner: null,
              not_before,
              attempts: eb('attempts', '+', Number(failed)),
              error,
            }))
            .execute();
          return;
        }
        const ended = { status: end.status, owner: null, finished_at: now, error: end.error };
        await updateJob(job.id).set(ended).execute();
        await tellOutcome(database, claim, end);
        await query.updateTable('connectors').set({ sync_at: end.nextSyncAt }).where('id', '=', row.id).execute();
        const jobs = query.selectFrom('jobs').select('id').where('connector_id', '=', row.id);
        const remembered = jobs.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(maxJobsKept);
        await query.deleteFrom('jobs').where('connector_id', '=', row.id).where('id', 'not in', remembered).execute();
      }),
  };
}

/** Puts what a job came to into the outbox. */
async function tellOutcome(database: Database, { job, row }: Claim, end: JobEnd): Promise<void> {
  if (end.status === 'failed') {
    const health = end.needsReauthorization ? 'needs_reauthorization' : 'failing';
    await changeHealth(database, row, health, end.error ?? undefined);
  }
  if (end.status !== 'done') return;
  await changeHealth(database, row, null);
  await emitEvent(database, row, 'connector.synced', { job_id: job.id });
}

/** How many jobs of each organization are carried out, by all processes; without those whose process has died. */
const runningByOrganization = ({ query, now }: Database) =>
  query
    .selectFrom('jobs')
    .innerJoin('connectors', 'connectors.id', 'jobs.connector_id')
    .select(({ fn }) => ['connectors.organization_id', fn.countAll<number>().as('jobs')])
    // What the index of open jobs has, and then what is asked for.
    .where(isOpenJob)
    .where('jobs.status', '=', 'running')
    .where('jobs.lease_until', '>', now)
    .groupBy('connectors.organization_id')
    .as('running');

const lockConnectors = ({ query }: Database) =>
  query.selectFrom('connectors').select('id').forNoKeyUpdate('connectors');

const toJobRow = (row: Selectable<Tables['jobs']>): JobRow => ({
  id: row.id,
  connectorId: row.connector_id,
  reason: row.requested,
  requestedEntities: row.wanted === null ? null : JSON.parse(row.wanted),
  status: row.status,
  attempts: row.attempts,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  notBefore: row.not_before,
  entities: JSON.parse(row.entities) as EntityProgress[],
  error: row.error,
});
