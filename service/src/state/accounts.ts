import type { Database } from './database.js';
import { newId } from './identifiers.js';
import type { Organization, Organizations, Scope, Workspace, Workspaces } from './types.js';
import { StateConflict } from './types.js';

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
  return {
    create(name) {
      const organization = { id: newId('org'), name, createdAt: new Date(now()).toISOString() };
      const { id, createdAt } = organization;
      database.run('INSERT INTO organizations (id, name, created_at) VALUES (?, ?, ?)', id, name, createdAt);
      return organization;
    },
    all: () => database.all<OrganizationColumns>('SELECT * FROM organizations ORDER BY created_at, id').map(read),
    list: (ids) =>
      ids.flatMap((id) => {
        const row = database.get<OrganizationColumns>('SELECT * FROM organizations WHERE id = ?', id);
        return row ? [read(row)] : [];
      }),
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
  const visible = 'organization_id = ?1 AND (?2 IS NULL OR id = ?2)';
  const values = ({ organizationId, workspaceId }: Scope) => [organizationId, workspaceId ?? null] as const;
  return {
    create: (organizationId, name) =>
      database.transaction(() => {
        if (!database.get('SELECT 1 FROM organizations WHERE id = ?', organizationId)) {
          throw new StateConflict('The organization does not exist any more.');
        }
        if (database.get('SELECT 1 FROM workspaces WHERE organization_id = ? AND name = ?', organizationId, name)) {
          throw new StateConflict(`There is a workspace '${name}' already.`);
        }
        const workspace = { id: newId('ws'), organizationId, name, createdAt: new Date(now()).toISOString() };
        database.run(
          'INSERT INTO workspaces (id, organization_id, name, created_at) VALUES (?, ?, ?, ?)',
          workspace.id,
          organizationId,
          name,
          workspace.createdAt,
        );
        return workspace;
      }),
    list: (scope) =>
      database
        .all<WorkspaceColumns>(`SELECT * FROM workspaces WHERE ${visible} ORDER BY created_at, id`, ...values(scope))
        .map(read),
    find(scope, name) {
      const row = database.get<WorkspaceColumns>(
        `SELECT * FROM workspaces WHERE ${visible} AND name = ?3`,
        ...values(scope),
        name,
      );
      return row && read(row);
    },
    delete: (scope, name) =>
      database.run(`DELETE FROM workspaces WHERE ${visible} AND name = ?3`, ...values(scope), name) > 0,
  };
}
