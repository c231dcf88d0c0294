import { expressionBuilder } from 'kysely';
import { type Database, fromNow, readCursor, writeCursor } from './database.js';
import type { PlanContent, PlanFilter, PlanRow, PlanStatus, Plans } from './plan-types.js';
import { type Scope, StateConflict } from './rows.js';
import type { Sealing } from './sealing.js';
import type { Tables } from './tables.js';

/** How long it is remembered what became of a plan. */
const retentionMs = 7 * 24 * 60 * 60_000;
/** So many plans of one connector may wait at once. */
const maxOpenPlans = 200;

const eb = expressionBuilder<Tables, 'plans'>();
const isUndecided = eb('plans.status', 'in', ['pending', 'approved']);

const selectPlans = ({ query, now }: Database) =>
  query
    .selectFrom('plans')
    .innerJoin('workspaces', 'workspaces.id', 'plans.workspace_id')
    .leftJoin('clients as requesters', 'requesters.id', 'plans.requested_by')
    .leftJoin('clients as deciders', 'deciders.id', 'plans.decided_by')
    .selectAll('plans')
    .select((one) => [
      'workspaces.name as workspace_name',
      'requesters.name as requester_name',
      'deciders.name as decider_name',
      one('plans.expires_at', '<=', now).as('is_over'),
    ]);

// In front of every query of a tenant's, so that none can be written without it.
const visibleIn = ({ organizationId, workspaceId }: Scope) =>
  eb.and({
    'plans.organization_id': organizationId,
    ...(workspaceId !== undefined && { 'plans.workspace_id': workspaceId }),
  });

/** Where a plan is sealed for. */
const sealContext = (connectorId: string, id: string) => ({ owner: connectorId, field: `plan ${id}` });

/** The plans in the database. */
export function openPlans(database: Database, sealing: Sealing): Plans {
  const { query, now } = database;
  const isCurrent = eb('plans.expires_at', '>', now);
  const find = async (id: string): Promise<PlanRow | undefined> => {
    const row = await selectPlans(database).where('plans.id', '=', id).executeTakeFirst();
    return row && toPlanRow(row);
  };
  const sealedOf = (id: string) => query.selectFrom('plans').selectAll().where('id', '=', id);
  const open = (row: { id: string; connector_id: string; key_id: string; sealed: Uint8Array }): PlanContent =>
    JSON.parse(sealing.open(sealContext(row.connector_id, row.id), row));
  const seal = async (connectorId: string, id: string, content: PlanContent) => {
    const { keyId, bytes } = await sealing.seal(sealContext(connectorId, id), JSON.stringify(content));
    return { key_id: keyId, sealed: bytes };
  };
  /** In SQL, so that a page is full. */
  const hasStatus = (status: PlanStatus) => {
    if (status === 'expired') return eb.and([isUndecided, eb('plans.expires_at', '<=', now)]);
    const same = eb('plans.status', '=', status);
    return status === 'pending' || status === 'approved' ? eb.and([same, isCurrent]) : same;
  };

  return {
    create: ({ id: connectorId, updatedAt }, plan) =>
      database.transaction(async () => {
        const { id, entity, action, effect, requestedBy, requestedVia, lifetimeMs, content } = plan;
        // Held, so that it cannot get other credentials before the plan is there to be ended by them.
        const connector = await query
          .selectFrom('connectors')
          .select(['organization_id', 'workspace_id', 'updated_at'])
          .where('id', '=', connectorId)
          .forNoKeyUpdate('connectors')
          .executeTakeFirst();
        if (connector?.updated_at !== updatedAt) {
          throw new StateConflict('The connector was changed meanwhile: prepare the plan again.');
        }
        const { count } = await query
          .selectFrom('plans')
          .select(({ fn }) => fn.countAll<number | string>().as('count'))
          .where('connector_id', '=', connectorId)
          .where(isUndecided)
          .where(isCurrent)
          .executeTakeFirstOrThrow();
        if (Number(count) >= maxOpenPlans) {
          throw new StateConflict(`The connector has ${maxOpenPlans} plans that wait: approve or refuse some first.`);
        }
        await query
          .insertInto('plans')
          .values({
            ...{ id, connector_id: connectorId, entity, action, effect, params_digest: plan.paramsDigest },
            ...{ organization_id: connector.organization_id, workspace_id: connector.workspace_id },
            ...{ status: 'pending', requested_by: requestedBy, requested_via: requestedVia, requested_at: now },
            ...{ expires_at: fromNow(database, lifetimeMs), ...(await seal(connectorId, id, content)) },
          })
          .execute();
        return (await find(id))!;
      }),
    async list(scope, { connectorId, status, limit, cursor }: PlanFilter) {
      let page = selectPlans(database)
        .where(visibleIn(scope))
        .orderBy('plans.requested_at', 'desc')
        .orderBy('plans.id', 'desc')
        .limit(limit + 1);
      if (connectorId !== undefined) page = page.where('plans.connector_id', '=', connectorId);
      if (status !== undefined) page = page.where(hasStatus(status));
      if (cursor !== undefined) {
        const { createdAt, id } = readCursor(cursor);
        page = page.where(({ eb: one, refTuple, tuple }) =>
          one(refTuple('plans.requested_at', 'plans.id'), '<', tuple(Number(createdAt), id)),
        );
      }
      const found = await page.execute();
      const rows = found.slice(0, limit).map(toPlanRow);
      const last = found.length > limit ? rows.at(-1) : undefined;
      return { rows, next: last ? writeCursor({ createdAt: String(last.requestedAt), id: last.id }) : null };
    },
    async get(scope, id) {
      const row = await selectPlans(database).where(visibleIn(scope)).where('plans.id', '=', id).executeTakeFirst();
      return row && toPlanRow(row);
    },
    async findOpen({ connectorId, entity, action, requestedBy, paramsDigest }) {
      const row = await selectPlans(database)
        .where('plans.connector_id', '=', connectorId)
        .where('plans.requested_by', '=', requestedBy)
        .where('plans.params_digest', '=', paramsDigest)
        .where('plans.entity', '=', entity)
        .where('plans.action', '=', action)
        .where('plans.status', '<>', 'executed')
        .where(isCurrent)
        .orderBy('plans.requested_at', 'desc')
        .orderBy('plans.id', 'desc')
        .executeTakeFirst();
      return row && toPlanRow(row);
    },
    async content(id) {
      const row = await sealedOf(id).executeTakeFirst();
      return row && open(row);
    },
    decide: (id, decision, clientId, reason) =>
      database.transaction(async () => {
        const decidable = decision === 'approved' ? eb('plans.status', '=', 'pending') : isUndecided;
        const row = await sealedOf(id).where(decidable).where(isCurrent).forNoKeyUpdate('plans').executeTakeFirst();
        if (!row) return false;
        const sealed = await seal(row.connector_id, id, { ...open(row), reason });
        await query
          .updateTable('plans')
          .set({ status: decision, decision, decided_by: clientId, decided_at: now, ...sealed })
          .where('id', '=', id)
          .execute();
        return true;
      }),
    async claim(id, isResumed) {
      const takeable = isResumed ? eb.or([isUndecided, eb('plans.status', '=', 'executed')]) : isUndecided;
      const claimed = query.updateTable('plans').set({ status: 'executed', executed_at: now }).where('id', '=', id);
      const { numUpdatedRows } = await claimed.where(takeable).where(isCurrent).executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async release(id) {
      await query
        .updateTable('plans')
        .set((one) => ({
          status: one.fn.coalesce('decision', one.val<PlanStatus>('pending')).$castTo<PlanStatus>(),
          executed_at: null,
        }))
        .where('id', '=', id)
        .where('status', '=', 'executed')
        .execute();
    },
    async sweep() {
      await query.deleteFrom('plans').where('expires_at', '<=', fromNow(database, -retentionMs)).execute();
    },
  };
}

/** Ends the plans of a connector, whose credentials have changed; to be called in the transaction that changes them. */
export async function expirePlans({ query, now }: Database, connectorId: string): Promise<void> {
  const current = query.updateTable('plans').set({ expires_at: now }).where('connector_id', '=', connectorId);
  await current.where('expires_at', '>', now).execute();
}

/** Seals up to so many plans with the newest key, and counts them. */
export async function resealPlans(
  { query }: Database,
  sealing: Sealing,
  newest: string,
  limit: number,
): Promise<number> {
  const rows = await query
    .selectFrom('plans')
    .selectAll()
    .where('key_id', '<>', newest)
    .limit(limit)
    .forNoKeyUpdate('plans')
    .execute();
  for (const row of rows) {
    const context = sealContext(row.connector_id, row.id);
    const { keyId, bytes } = await sealing.seal(context, sealing.open(context, row));
    await query.updateTable('plans').set({ key_id: keyId, sealed: bytes }).where('id', '=', row.id).execute();
  }
  return rows.length;
}

type Row = Awaited<ReturnType<ReturnType<typeof selectPlans>['executeTakeFirstOrThrow']>>;

const toPlanRow = (row: Row): PlanRow => ({
  id: row.id,
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  connectorId: row.connector_id,
  entity: row.entity,
  action: row.action,
  effect: row.effect,
  status: row.is_over && (row.status === 'pending' || row.status === 'approved') ? 'expired' : row.status,
  requestedBy: row.requested_by,
  requesterName: row.requester_name,
  requestedVia: row.requested_via,
  requestedAt: row.requested_at,
  expiresAt: row.expires_at,
  decision: row.decision,
  decidedBy: row.decided_by,
  deciderName: row.decider_name,
  decidedAt: row.decided_at,
  executedAt: row.executed_at,
});
