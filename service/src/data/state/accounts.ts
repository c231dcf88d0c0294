import { expressionBuilder, type Selectable, sql } from 'kysely';
import { acrossOrganizations, type Database, eachWithinOrganization, newId, withinOrganization } from './database.js';
import type { Organization, Scope, Workspace } from './rows.js';
import { QuotaReached, readCursor, StateConflict, writeCursor } from './rows.js';
import type { Tables } from './tables.js';
import type { Organizations, Quotas, Workspaces } from './types.js';

/** Organizations in the database. */
export function openOrganizations(database: Database, now: () => number): Organizations {
  const { query } = database;
  const read = ({ id, name, created_at }: Selectable<Tables['organizations']>): Organization => ({
    id,
    name,
    createdAt: created_at,
  });
  const selectAll = query.selectFrom('organizations').selectAll();
  return {
    async create(name) {
      const row = { id: newId('org'), name, created_at: new Date(now()).toISOString() };
      await withinOrganization(row.id, () => query.insertInto('organizations').values(row).execute());
      return read(row);
    },
    async all() {
      const sorted = selectAll.orderBy('created_at').orderBy('id');
      return (await acrossOrganizations(() => sorted.execute())).map(read);
    },
    async list(ids) {
      const rowOf = (id: string) => withinOrganization(id, () => selectAll.where('id', '=', id).execute());
      return (await Promise.all(ids.map(rowOf))).flat().map(read);
    },
  };
}

// Part of every query, so the scope cannot be forgotten.
const visibleIn = ({ organizationId, workspaceId }: Scope) =>
  expressionBuilder<Tables, 'workspaces'>().and({
    organization_id: organizationId,
    ...(workspaceId !== undefined && { id: workspaceId }),
  });

/** Locks an organization until the transaction ends, so that counting and adding are atomic. */
export const lockOrganization = ({ query }: Database, id: string) =>
  query.selectFrom('organizations').select('id').where('id', '=', id).forNoKeyUpdate('organizations');

/** Throws if the organization exceeds its quota, which rolls back the addition; the organization must be locked. */
export async function checkQuota(
  { query }: Database,
  organizationId: string,
  what: 'workspaces' | 'connectors',
  max = Number.POSITIVE_INFINITY,
): Promise<void> {
  const owned = query.selectFrom(what).where('organization_id', '=', organizationId);
  const { count } = await owned.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  if (Number(count) > max) throw new QuotaReached(what, max);
}

/** Workspaces in the database, each visible only to its organization. */
export function openWorkspaces(database: Database, now: () => number, quotas: Quotas): Workspaces {
  const read = ({ id, organization_id, name, created_at }: Selectable<Tables['workspaces']>): Workspace => ({
    id,
    organizationId: organization_id,
    name,
    createdAt: created_at,
  });
  const { query } = database;
  const visible = (scope: Scope) => query.selectFrom('workspaces').selectAll().where(visibleIn(scope));
  return eachWithinOrganization<Workspaces>({
    create: (organizationId, name) =>
      database.transaction(async () => {
        if (!(await lockOrganization(database, organizationId).executeTakeFirst())) {
          throw new StateConflict('The organization was deleted.');
        }
        const row = {
          id: newId('ws'),
          organization_id: organizationId,
          name,
          created_at: new Date(now()).toISOString(),
        };
        const { numInsertedOrUpdatedRows } = await query
          .insertInto('workspaces')
          .values(row)
          .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 0n) throw new StateConflict(`The workspace '${name}' already exists.`);
        await checkQuota(database, organizationId, 'workspaces', quotas.workspacesPerOrganization);
        return read(row);
      }),
    async list(scope, { limit, cursor, nameContains = '' }) {
      const { createdAt, id } = cursor === undefined ? { createdAt: '', id: '' } : readCursor(cursor);
      const found = await visible(scope)
        .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '>', tuple(createdAt, id)))
        .where(sql<boolean>`lower(name) like lower(${`%${nameContains.replaceAll(/[\\%_]/g, '\\$&')}%`}) escape '\\'`)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit + 1)
        .execute();
      const rows = found.slice(0, limit).map(read);
      const last = rows.at(-1);
      return { rows, next: found.length > limit && last ? writeCursor(last) : null };
    },
    async find(scope, name) {
      const row = await visible(scope).where('name', '=', name).executeTakeFirst();
      return row && read(row);
    },
    async delete(scope, name) {
      const deletion = query.deleteFrom('workspaces').where(visibleIn(scope)).where('name', '=', name);
      return (await deletion.executeTakeFirstOrThrow()).numDeletedRows > 0n;
    },
  });
}
