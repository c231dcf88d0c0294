import type { PlanStatus } from 'agent-connectors/wire';
import { expressionBuilder } from 'kysely';
import { acrossOrganizations, type Database, eachWithinOrganization, fromNow } from './database.js';
import type { PlanContent, PlanFilter, PlanKey, PlannedRequest, PlanRow, Plans } from './plan-types.js';
import { readTimeCursor, type Scope, StateConflict, writeCursor } from './rows.js';
import type { SealedColumns, Sealing } from './sealing.js';
import type { Tables } from './tables.js';

/** How long a plan's outcome is kept. */
const retentionMs = 7 * 24 * 60 * 60_000;
/** Maximum open plans per connector. */
const maxOpenPlans = 200;
/** Maximum open plans per connector and client, so that one client cannot block others. */
const maxOpenPlansOfClient = 50;

const eb = expressionBuilder<Tables, 'plans'>();
const isUndecided = eb('plans.status', 'in', ['pending', 'approved']);

const selectPlans = ({ query, now }: Database) =>
  query
    .selectFrom('plans')
    .innerJoin('workspaces', 'workspaces.id', 'plans.workspace_id')
    .selectAll('plans')
    .select((one) => ['workspaces.name as workspace_name', one('plans.expires_at', '<=', now).as('is_over')]);

// Every tenant query is built on this, so none can omit it.
const visibleIn = ({ organizationId, workspaceId, connectorIds }: Scope) => {
  const own = eb.and({
    'plans.organization_id': organizationId,
    ...(workspaceId !== undefined && { 'plans.workspace_id': workspaceId }),
  });
  return connectorIds ? eb.and([own, eb('plans.connector_id', 'in', connectorIds)]) : own;
};

type Place = Readonly<Record<'id' | 'organization_id' | 'connector_id', string>>;

/** Seal context of a plan. */
export const planContext = ({ id, organization_id, connector_id }: Place) => ({
  organization: organization_id,
  owner: connector_id,
  field: `plan ${id}`,
});

/** Plans in the database. */
export function openPlans(database: Database, sealing: Sealing): Plans {
  const { query, now } = database;
  const isCurrent = eb('plans.expires_at', '>', now);
  /** Clients do not belong to a single organization, so their names are looked up separately. */
  const toPlanRows = async (rows: readonly Row[]): Promise<PlanRow[]> => {
    const ids = rows.flatMap(({ requested_by, decided_by }) => [requested_by, ...(decided_by ? [decided_by] : [])]);
    const named = query.selectFrom('clients').select(['id', 'name']).where('id', 'in', database.listOf(ids));
    const found = ids.length > 0 ? await acrossOrganizations(() => named.execute()) : [];
    const names = new Map(found.map(({ id, name }) => [id, name]));
    return rows.map((row) => toPlanRow(row, names));
  };
  const first = async (plans: ReturnType<typeof selectPlans>): Promise<PlanRow | undefined> => {
    const row = await plans.limit(1).executeTakeFirst();
    return row && (await toPlanRows([row]))[0];
  };
  const findOpen = ({ organizationId, connectorId, entity, action, requestedBy, paramsDigest }: PlannedRequest) =>
    first(
      selectPlans(database)
        .where(visibleIn({ organizationId }))
        .where('plans.connector_id', '=', connectorId)
        .where('plans.requested_by', '=', requestedBy)
        .where('plans.params_digest', '=', paramsDigest)
        .where('plans.entity', '=', entity)
        .where('plans.action', '=', action)
        .where('plans.status', '<>', 'executed')
        .where(isCurrent)
        .orderBy('plans.requested_at', 'desc')
        .orderBy('plans.id', 'desc'),
    );
  const isOf = ({ organizationId, id }: PlanKey) => eb.and({ organization_id: organizationId, id });
  const sealedOf = (key: PlanKey) => query.selectFrom('plans').selectAll().where(isOf(key));
  const open = async (row: Place & SealedColumns): Promise<PlanContent> =>
    JSON.parse(await sealing.open(planContext(row), row));
  const seal = async (place: Place, content: PlanContent) => {
    const { keyId, bytes } = await sealing.seal(planContext(place), JSON.stringify(content));
    return { key_id: keyId, sealed: bytes };
  };
  /** Filtered in SQL so that pages are full. */
  const hasStatus = (status: PlanStatus) => {
    if (status === 'expired') return eb.and([isUndecided, eb('plans.expires_at', '<=', now)]);
    const same = eb('plans.status', '=', status);
    return status === 'pending' || status === 'approved' ? eb.and([same, isCurrent]) : same;
  };

  const ofTenants = eachWithinOrganization<Omit<Plans, 'sweep'>>({
    create: ({ id: connectorId, updatedAt }, plan) =>
      database.transaction(async () => {
        const { id, entity, action, effect, requestedBy, requestedVia, lifetimeMs, content } = plan;
        // Locked, so that its credentials cannot change before the plan exists.
        const connector = await query
          .selectFrom('connectors')
          .select(['organization_id', 'workspace_id', 'updated_at'])
          .where('id', '=', connectorId)
          .forNoKeyUpdate('connectors')
          .executeTakeFirst();
        if (connector?.updated_at !== updatedAt) {
          throw new StateConflict('The connector has changed: prepare the plan again.');
        }
        const organizationId = connector.organization_id;
        if (plan.isOnly && (await findOpen({ ...plan, organizationId, connectorId }))) {
          throw new StateConflict('This write already has a plan.');
        }
        const { all, own } = await query
          .selectFrom('plans')
          .select(({ fn }) => [
            fn.countAll<number | string>().as('all'),
            fn.countAll<number | string>().filterWhere('requested_by', '=', requestedBy).as('own'),
          ])
          .where('connector_id', '=', connectorId)
          .where(isUndecided)
          .where(isCurrent)
          .executeTakeFirstOrThrow();
        if (Number(own) >= maxOpenPlansOfClient) {
          throw new StateConflict(
            `The client has ${maxOpenPlansOfClient} pending plans for this connector: execute, approve or reject some first.`,
          );
        }
        if (Number(all) >= maxOpenPlans) {
          throw new StateConflict(`The connector has ${maxOpenPlans} pending plans: approve or reject some first.`);
        }
        const place = { id, organization_id: connector.organization_id, connector_id: connectorId };
        await query
          .insertInto('plans')
          .values({
            ...place,
            workspace_id: connector.workspace_id,
            entity,
            action,
            effect,
            params_digest: plan.paramsDigest,
            status: 'pending',
            requested_by: requestedBy,
            requested_via: requestedVia,
            requested_at: now,
            expires_at: fromNow(database, lifetimeMs),
            ...(await seal(place, content)),
          })
          .execute();
        return (await first(selectPlans(database).where('plans.id', '=', id)))!;
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
        const { createdAt, id } = readTimeCursor(cursor, 'pln');
        page = page.where(({ eb: one, refTuple, tuple }) =>
          one(refTuple('plans.requested_at', 'plans.id'), '<', tuple(createdAt, id)),
        );
      }
      const found = await page.execute();
      const rows = await toPlanRows(found.slice(0, limit));
      const last = found.length > limit ? rows.at(-1) : undefined;
      return { rows, next: last ? writeCursor({ createdAt: String(last.requestedAt), id: last.id }) : null };
    },
    get: (scope, id) => first(selectPlans(database).where(visibleIn(scope)).where('plans.id', '=', id)),
    findOpen,
    async content(plan) {
      const row = await sealedOf(plan).executeTakeFirst();
      return row && open(row);
    },
    decide: (plan, decision, clientId, reason) =>
      database.transaction(async () => {
        const decidable = decision === 'approved' ? eb('plans.status', '=', 'pending') : isUndecided;
        const row = await sealedOf(plan).where(decidable).where(isCurrent).forNoKeyUpdate('plans').executeTakeFirst();
        if (!row) return false;
        const sealed = await seal(row, { ...(await open(row)), reason });
        await query
          .updateTable('plans')
          .set({ status: decision, decision, decided_by: clientId, decided_at: now, ...sealed })
          .where(isOf(plan))
          .execute();
        return true;
      }),
    async claim(plan, isResumed) {
      const takeable = isResumed ? eb.or([isUndecided, eb('plans.status', '=', 'executed')]) : isUndecided;
      const claimed = query.updateTable('plans').set({ status: 'executed', executed_at: now }).where(isOf(plan));
      const { numUpdatedRows } = await claimed.where(takeable).where(isCurrent).executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async release(plan) {
      await query
        .updateTable('plans')
        .set((one) => ({
          status: one.fn.coalesce('decision', one.val<PlanStatus>('pending')).$castTo<PlanStatus>(),
          executed_at: null,
        }))
        .where(isOf(plan))
        .where('status', '=', 'executed')
        .execute();
    },
  });
  return {
    ...ofTenants,
    async sweep() {
      const over = query.deleteFrom('plans').where('expires_at', '<=', fromNow(database, -retentionMs));
      await acrossOrganizations(() => over.execute());
    },
  };
}

/** Expires a connector's plans after its credentials changed; call in the same transaction. */
export async function expirePlans({ query, now }: Database, connectorId: string): Promise<void> {
  const current = query.updateTable('plans').set({ expires_at: now }).where('connector_id', '=', connectorId);
  await current.where('expires_at', '>', now).execute();
}

type Row = Awaited<ReturnType<ReturnType<typeof selectPlans>['executeTakeFirstOrThrow']>>;

const toPlanRow = (row: Row, names: ReadonlyMap<string, string>): PlanRow => ({
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
  requesterName: names.get(row.requested_by) ?? null,
  requestedVia: row.requested_via,
  requestedAt: row.requested_at,
  expiresAt: row.expires_at,
  decision: row.decision,
  decidedBy: row.decided_by,
  deciderName: (row.decided_by && names.get(row.decided_by)) ?? null,
  decidedAt: row.decided_at,
  executedAt: row.executed_at,
});
