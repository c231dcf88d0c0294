import { connectorById } from './connectors.js';
import { type Database, newId, randomText, readCursor, writeCursor } from './database.js';
import { storeReplica } from './replicas.js';
import type { Claim, EntityProgress, JobReason, JobRow, JobStatus, Jobs } from './replication-types.js';
import { InvalidCursor, type Scope } from './rows.js';

interface JobColumns {
  readonly id: string;
  readonly connector_id: string;
  readonly requested: string;
  readonly wanted: string | null;
  readonly status: string;
  readonly attempts: number;
  readonly lease_until: number | null;
  readonly not_before: number;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly entities: string;
  readonly error: string | null;
}

/** How long a job is left to a process that does not say that it lives, in milliseconds. */
export const jobLeaseMs = 15_000;
/** So many jobs of each connector are remembered. */
const maxJobsKept = 100;

// In front of every query of a tenant's, so that none can be written without them.
const visibleJobs = `SELECT jobs.* FROM jobs JOIN connectors ON connectors.id = jobs.connector_id
  WHERE connectors.organization_id = ?1 AND (CAST(?2 AS TEXT) IS NULL OR connectors.workspace_id = ?2) AND jobs.connector_id = ?3`;
const scopeValues = ({ organizationId, workspaceId }: Scope, connectorId: string) =>
  [organizationId, workspaceId ?? null, connectorId] as const;
const isOpen = "jobs.status IN ('queued', 'running')";

/** The jobs in the database. */
export function openJobs(database: Database): Jobs {
  const { forUpdate, textsIn, skipLocked } = database.dialect;
  const add = (connectorId: string, reason: JobReason, entities: readonly string[] | null) =>
    database.run(
      `INSERT INTO jobs (id, connector_id, requested, wanted, status, not_before, created_at, entities)
       VALUES (?, ?, ?, ?, 'queued', 0, :now, '[]') ON CONFLICT DO NOTHING`,
      newId('job'),
      connectorId,
      reason,
      entities && JSON.stringify(entities),
    );
  const ownJob = "SELECT lease_until - :now AS left_ms FROM jobs WHERE id = ? AND owner = ? AND status = 'running'";
  const whileClaimed = (claim: Claim, work: () => Promise<unknown>): Promise<boolean> =>
    database.transaction(async () => {
      const { job, owner, row } = claim;
      // First the connector and then its job, as where a connector is changed.
      await database.get(`SELECT 1 FROM connectors WHERE id = ?${forUpdate('connectors')}`, row.id);
      if (!(await database.get(`${ownJob}${forUpdate('jobs')}`, job.id, owner))) return false;
      await work();
      return true;
    });
  const extendLease = ({ job }: Claim) =>
    database.run(`UPDATE jobs SET lease_until = :now + ${jobLeaseMs} WHERE id = ?`, job.id);

  return {
    request: (scope, connectorId, entities) =>
      database.transaction(async () => {
        const visible = `SELECT 1 FROM connectors
          WHERE organization_id = ?1 AND (CAST(?2 AS TEXT) IS NULL OR workspace_id = ?2) AND id = ?3${forUpdate('connectors')}`;
        if (!(await database.get(visible, ...scopeValues(scope, connectorId)))) return undefined;
        const open = () => database.get<JobColumns>(`${visibleJobs} AND ${isOpen}`, ...scopeValues(scope, connectorId));
        const found = await open();
        if (found) {
          // One that waits for its turn, or for its next try, becomes what was asked for.
          const mergedEntities =
            found.wanted === null || entities === null ? null : [...JSON.parse(found.wanted), ...entities];
          await database.run(
            "UPDATE jobs SET not_before = 0, requested = 'request', wanted = ? WHERE id = ? AND status = 'queued'",
            mergedEntities && JSON.stringify([...new Set(mergedEntities)]),
            found.id,
          );
          return toJobRow((await open())!);
        }
        await add(connectorId, 'request', entities);
        return toJobRow((await open())!);
      }),

    async list(scope, connectorId, { limit, cursor }) {
      const after = cursor === undefined ? undefined : parsePosition(cursor);
      const found = await database.all<JobColumns>(
        `${visibleJobs} ${after ? 'AND (jobs.created_at, jobs.id) < (?5, ?6)' : ''}
         ORDER BY jobs.created_at DESC, jobs.id DESC LIMIT ?4`,
        ...scopeValues(scope, connectorId),
        limit + 1,
        ...(after ? [after.createdAt, after.id] : []),
      );
      const rows = found.slice(0, limit).map(toJobRow);
      const last = rows.at(-1);
      const more = found.length > limit && last;
      return { rows, next: more ? writeCursor({ createdAt: String(last.createdAt), id: last.id }) : null };
    },

    async plan(types, limit) {
      const due = () =>
        database.all<{ id: string; synced: number }>(
          `SELECT id, CASE WHEN EXISTS
               (SELECT 1 FROM replicas WHERE connector_id = connectors.id AND synced_at IS NOT NULL)
             THEN 1 ELSE 0 END AS synced
           FROM connectors
           WHERE sync_at <= :now AND type IN (${textsIn('?1')})
             AND EXISTS (SELECT 1 FROM credentials WHERE connector_id = connectors.id)
             AND NOT EXISTS (SELECT 1 FROM jobs WHERE connector_id = connectors.id AND ${isOpen})
           ORDER BY sync_at LIMIT ?2`,
          JSON.stringify(types),
          limit,
        );
      // Most of the time nothing is due, which takes no lock to find out.
      if ((await due()).length === 0) return 0;
      return database.transaction(async () => {
        let created = 0;
        for (const { id, synced } of await due()) created += await add(id, synced === 1 ? 'interval' : 'first', null);
        return created;
      });
    },

    async claim(types) {
      const findFree = (lock = '') =>
        database.get<JobColumns>(
          `SELECT jobs.* FROM jobs JOIN connectors ON connectors.id = jobs.connector_id
           WHERE ${isOpen} AND CASE jobs.status WHEN 'queued' THEN not_before ELSE lease_until END <= :now
             AND connectors.type IN (${textsIn('?1')})
           ORDER BY jobs.created_at LIMIT 1${lock}`,
          JSON.stringify(types),
        );
      if (!(await findFree())) return undefined;
      return database.transaction(async () => {
        const found = await findFree(skipLocked('jobs'));
        if (!found) return undefined;
        const owner = randomText(22);
        await database.run(
          `UPDATE jobs SET status = 'running', owner = ?2, lease_until = :now + ${jobLeaseMs},
             started_at = coalesce(started_at, :now) WHERE id = ?1`,
          found.id,
          owner,
        );
        return { job: toJobRow(found), row: (await connectorById(database, found.connector_id))!, owner };
      });
    },

    async renewLease(claim) {
      const found = await database.get<{ left_ms: number }>(ownJob, claim.job.id, claim.owner);
      if (found && found.left_ms < (jobLeaseMs * 2) / 3) return whileClaimed(claim, () => extendLease(claim));
      return found !== undefined;
    },

    checkpoint: (claim, entities, replica) =>
      whileClaimed(claim, async () => {
        const { job, row } = claim;
        await database.run('UPDATE jobs SET entities = ? WHERE id = ?', JSON.stringify(entities), job.id);
        await extendLease(claim);
        if (replica?.changes) await storeReplica(database, row.id, replica.entity, replica.changes);
        else if (replica) {
          await database.run('DELETE FROM replicas WHERE connector_id = ? AND entity = ?', row.id, replica.entity);
        }
      }),

    end: (claim, end) =>
      whileClaimed(claim, async () => {
        const { job, row } = claim;
        if (end.status === 'queued') {
          await database.run(
            `UPDATE jobs SET status = 'queued', owner = NULL, not_before = ?, attempts = attempts + ?, error = ?
             WHERE id = ?`,
            end.notBefore,
            Number(end.failed),
            end.error,
            job.id,
          );
          return;
        }
        await database.run(
          'UPDATE jobs SET status = ?, owner = NULL, finished_at = :now, error = ? WHERE id = ?',
          end.status,
          end.error,
          job.id,
        );
        await database.run('UPDATE connectors SET sync_at = ? WHERE id = ?', end.nextSyncAt, row.id);
        await database.run(
          `DELETE FROM jobs WHERE connector_id = ?1 AND id NOT IN
             (SELECT id FROM jobs WHERE connector_id = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2)`,
          row.id,
          maxJobsKept,
        );
      }),
  };
}

function parsePosition(cursor: string): { readonly createdAt: number; readonly id: string } {
  const { createdAt, id } = readCursor(cursor);
  if (/^\d{1,15}$/.test(createdAt)) return { createdAt: Number(createdAt), id };
  throw new InvalidCursor('The cursor is not one that this list gave; start again without it.');
}

const toJobRow = (row: JobColumns): JobRow => ({
  id: row.id,
  connectorId: row.connector_id,
  reason: row.requested as JobReason,
  requestedEntities: row.wanted === null ? null : JSON.parse(row.wanted),
  status: row.status as JobStatus,
  attempts: row.attempts,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  notBefore: row.not_before,
  entities: JSON.parse(row.entities) as EntityProgress[],
  error: row.error,
});
