import { connectorById } from './connectors.js';
import { readCursor, writeCursor } from './cursor.js';
import type { Database } from './database.js';
import { newId, randomText } from './identifiers.js';
import { storeReplica } from './replicas.js';
import type { Claim, EntityProgress, JobRow, JobStatus, Jobs, Requested } from './replication-types.js';
import { InvalidCursor, type Scope } from './types.js';

interface Columns {
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
const mostKept = 100;

// In front of every query of a tenant's, so that none can be written without them.
const seen = `SELECT jobs.* FROM jobs JOIN connectors ON connectors.id = jobs.connector_id
  WHERE connectors.organization_id = ?1 AND (?2 IS NULL OR connectors.workspace_id = ?2) AND jobs.connector_id = ?3`;
const values = ({ organizationId, workspaceId }: Scope, connectorId: string) =>
  [organizationId, workspaceId ?? null, connectorId] as const;
const isOpen = "jobs.status IN ('queued', 'running')";

/** The jobs in the database. */
export function openJobs(database: Database, now: () => number): Jobs {
  const add = (connectorId: string, requested: Requested, wanted: readonly string[] | null) =>
    database.run(
      `INSERT INTO jobs (id, connector_id, requested, wanted, status, not_before, created_at, entities)
       VALUES (?, ?, ?, ?, 'queued', 0, ?, '[]')`,
      newId('job'),
      connectorId,
      requested,
      wanted && JSON.stringify(wanted),
      now(),
    );
  const isHeld = ({ job, owner }: Claim) =>
    database.get<{ lease_until: number }>(
      "SELECT lease_until FROM jobs WHERE id = ? AND owner = ? AND status = 'running'",
      job.id,
      owner,
    );
  const whileHeld = (claim: Claim, work: () => void): boolean =>
    database.transaction(() => {
      if (!isHeld(claim)) return false;
      work();
      return true;
    });
  const prolong = ({ job }: Claim) =>
    database.run('UPDATE jobs SET lease_until = ? WHERE id = ?', now() + jobLeaseMs, job.id);

  return {
    request: (scope, connectorId, wanted) =>
      database.transaction(() => {
        const open = () => database.get<Columns>(`${seen} AND ${isOpen}`, ...values(scope, connectorId));
        const found = open();
        if (found) {
          // One that waits for its turn, or for its next try, becomes what was asked for.
          const both = found.wanted === null || wanted === null ? null : [...JSON.parse(found.wanted), ...wanted];
          database.run(
            "UPDATE jobs SET not_before = 0, requested = 'request', wanted = ? WHERE id = ? AND status = 'queued'",
            both && JSON.stringify([...new Set(both)]),
            found.id,
          );
          return read(open()!);
        }
        const visible = `SELECT 1 FROM connectors
          WHERE organization_id = ?1 AND (?2 IS NULL OR workspace_id = ?2) AND id = ?3`;
        if (!database.get(visible, ...values(scope, connectorId))) return undefined;
        add(connectorId, 'request', wanted);
        return read(open()!);
      }),

    list(scope, connectorId, { limit, cursor }) {
      const after = cursor === undefined ? undefined : positionIn(cursor);
      const found = database.all<Columns>(
        `${seen} ${after ? 'AND (jobs.created_at, jobs.id) < (?5, ?6)' : ''}
         ORDER BY jobs.created_at DESC, jobs.id DESC LIMIT ?4`,
        ...values(scope, connectorId),
        limit + 1,
        ...(after ? [after.createdAt, after.id] : []),
      );
      const rows = found.slice(0, limit).map(read);
      const last = rows.at(-1);
      const more = found.length > limit && last;
      return { rows, next: more ? writeCursor({ createdAt: String(last.createdAt), id: last.id }) : null };
    },

    plan(types, limit) {
      const due = () =>
        database.all<{ id: string; synced: number }>(
          `SELECT id, EXISTS (SELECT 1 FROM replicas WHERE connector_id = connectors.id AND synced_at IS NOT NULL) AS synced
           FROM connectors
           WHERE sync_at <= ?1 AND type IN (SELECT value FROM json_each(?2))
             AND EXISTS (SELECT 1 FROM credentials WHERE connector_id = connectors.id)
             AND NOT EXISTS (SELECT 1 FROM jobs WHERE connector_id = connectors.id AND ${isOpen})
           ORDER BY sync_at LIMIT ?3`,
          now(),
          JSON.stringify(types),
          limit,
        );
      // Most of the time nothing is due, which takes no lock to find out.
      if (due().length === 0) return 0;
      return database.transaction(() => {
        const found = due();
        for (const { id, synced } of found) add(id, synced ? 'interval' : 'first', null);
        return found.length;
      });
    },

    claim(types) {
      const free = () =>
        database.get<Columns>(
          `SELECT jobs.* FROM jobs JOIN connectors ON connectors.id = jobs.connector_id
           WHERE ${isOpen} AND CASE jobs.status WHEN 'queued' THEN not_before ELSE lease_until END <= ?1
             AND connectors.type IN (SELECT value FROM json_each(?2))
           ORDER BY jobs.created_at LIMIT 1`,
          now(),
          JSON.stringify(types),
        );
      if (!free()) return undefined;
      return database.transaction(() => {
        const found = free();
        if (!found) return undefined;
        const owner = randomText(22);
        database.run(
          `UPDATE jobs SET status = 'running', owner = ?2, lease_until = ?3, started_at = coalesce(started_at, ?4)
           WHERE id = ?1`,
          found.id,
          owner,
          now() + jobLeaseMs,
          now(),
        );
        return { job: read(found), row: connectorById(database, found.connector_id)!, owner };
      });
    },

    hold(claim) {
      const held = isHeld(claim);
      if (held && held.lease_until - now() < (jobLeaseMs * 2) / 3) return whileHeld(claim, () => prolong(claim));
      return held !== undefined;
    },

    checkpoint: (claim, entities, replica) =>
      whileHeld(claim, () => {
        const { job, row } = claim;
        database.run('UPDATE jobs SET entities = ? WHERE id = ?', JSON.stringify(entities), job.id);
        prolong(claim);
        if (replica?.changes) storeReplica(database, row.id, replica.entity, replica.changes);
        else if (replica) {
          database.run('DELETE FROM replicas WHERE connector_id = ? AND entity = ?', row.id, replica.entity);
        }
      }),

    end: (claim, end) =>
      whileHeld(claim, () => {
        const { job, row } = claim;
        if (end.status === 'queued') {
          database.run(
            `UPDATE jobs SET status = 'queued', owner = NULL, not_before = ?, attempts = attempts + ?, error = ?
             WHERE id = ?`,
            end.notBefore,
            Number(end.failed),
            end.error,
            job.id,
          );
          return;
        }
        database.run(
          'UPDATE jobs SET status = ?, owner = NULL, finished_at = ?, error = ? WHERE id = ?',
          end.status,
          now(),
          end.error,
          job.id,
        );
        database.run('UPDATE connectors SET sync_at = ? WHERE id = ?', end.nextSyncAt, row.id);
        database.run(
          `DELETE FROM jobs WHERE connector_id = ?1 AND id NOT IN
             (SELECT id FROM jobs WHERE connector_id = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2)`,
          row.id,
          mostKept,
        );
      }),
  };
}

function positionIn(cursor: string): { readonly createdAt: number; readonly id: string } {
  const { createdAt, id } = readCursor(cursor);
  if (/^\d{1,15}$/.test(createdAt)) return { createdAt: Number(createdAt), id };
  throw new InvalidCursor('The cursor is not one that this list gave; start again without it.');
}

const read = (row: Columns): JobRow => ({
  id: row.id,
  connectorId: row.connector_id,
  requested: row.requested as Requested,
  wanted: row.wanted === null ? null : JSON.parse(row.wanted),
  status: row.status as JobStatus,
  attempts: row.attempts,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  notBefore: row.not_before,
  entities: JSON.parse(row.entities) as EntityProgress[],
  error: row.error,
});
