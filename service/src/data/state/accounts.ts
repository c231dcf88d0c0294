import { type Database, newId, readCursor, writeCursor } from './database.js';
import type { Organization, Scope, Workspace } from './rows.js';
import { StateConflict } from './rows.js';
import type { Organizations, Workspaces } from './types.js';

interface OrganizationColumns {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
}

interface WorkspaceColumns extends OrganizationColumns {
  readonly organization_id: string;
}

/** The organisations in the database. */
export function openOrganizations(database: Database, now: () => number): Organizations {
  const read = ({ id, name, created_at }: OrganizationColumns): Organization => ({ id, name, createdAt: created_at });
  const selectByIds = `SELECT * FROM organizations WHERE id IN (${database.dialect.textsIn('?')})`;
  return {
    async create(name) {
      const organization = { id: newId('org'), name, createdAt: new Date(now()).toISOString() };
      const { id, createdAt } = organization;
      await database.run('INSERT INTO organizations (id, name, created_at) VALUES (?, ?, ?)', id, name, createdAt);
      return organization;
    },
    async all() {
      return (await database.all<OrganizationColumns>('SELECT * FROM organizations ORDER BY created_at, id')).map(read);
    },
    async list(ids) {
      const rows = await database.all<OrganizationColumns>(selectByIds, JSON.stringify(ids));
      return ids.flatMap((id) => rows.filter((row) => row.id === id).map(read));
    },
  };
}

/** The workspaces in the database, each seen from its own organisation alone. */
export function openWorkspaces(database: Database, now: () => number): Workspaces {
  const read = ({ id, organization_id, name, created_at }: WorkspaceColumns): Workspace => ({
    id,
    organizationId: organization_id,
    name,
    createdAt: created_at,
  });
  const { forKeyShare } = database.dialect;
  const visible = 'organization_id = ?1 AND (CAST(?2 AS TEXT) IS NULL OR id = ?2)';
  const scopeValues = ({ organizationId, workspaceId }: Scope) => [organizationId, workspaceId ?? null] as const;
  return {
    create: (organizationId, name) =>
      database.transaction(async () => {
        const organization = `SELECT 1 FROM organizations WHERE id = ?${forKeyShare('organizations')}`;
        if (!(await database.get(organization, organizationId))) {
          throw new StateConflict('The organization does not exist any more.');
        }
        const workspace = { id: newId('ws'), organizationId, name, createdAt: new Date(now()).toISOString() };
        const inserted = await database.run(
          `INSERT INTO workspaces (id, organization_id, name, created_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (organization_id, name) DO NOTHING`,
          workspace.id,
          organizationId,
          name,
          workspace.createdAt,
        );
        if (inserted === 0) throw new StateConflict(`There is a workspace '${name}' already.`);
        return workspace;
      }),
    async list(scope, { limit, cursor }) {
      const { createdAt, id } = cursor === undefined ? { createdAt: '', id: '' } : readCursor(cursor);
      const found = await database.all<WorkspaceColumns>(
        `SELECT * FROM workspaces WHERE ${visible} AND (created_at, id) > (?3, ?4) ORDER BY created_at, id LIMIT ?5`,
        ...scopeValues(scope),
        ...[createdAt, id, limit + 1],
      );
      const rows = found.slice(0, limit).map(read);
      const last = rows.at(-1);
      return { rows, next: found.length > limit && last ? writeCursor(last) : null };
    },
    async find(scope, name) {
      const row = await database.get<WorkspaceColumns>(
        `SELECT * FROM workspaces WHERE ${visible} AND name = ?3`,
        ...scopeValues(scope),
        name,
      );
      return row && read(row);
    },
    async delete(scope, name) {
      return (
        (await database.run(`DELETE FROM workspaces WHERE ${visible} AND name = ?3`, ...scopeValues(scope), name)) > 0
      );
    },
  };
}
