import type { Database } from './database.js';
import type { Policies, Policy } from './policy-types.js';

interface Columns {
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly connector_id: string | null;
  readonly read_only: number;
  readonly allow: string | null;
  readonly updated_at: string;
}

const selectPolicies = `SELECT p.workspace_id, w.name AS workspace_name, p.connector_id, p.read_only, p.allow, p.updated_at
  FROM policies p JOIN workspaces w ON w.id = p.workspace_id`;

/** The rules in the database. */
export function openPolicies(database: Database, now: () => number): Policies {
  return {
    async list({ organizationId, workspaceId }) {
      const rows = await database.all<Columns>(
        `${selectPolicies} WHERE w.organization_id = ?1 AND (CAST(?2 AS TEXT) IS NULL OR w.id = ?2)
         ORDER BY w.name, p.connector_id IS NOT NULL, p.connector_id`,
        organizationId,
        workspaceId ?? null,
      );
      return rows.map(toPolicy);
    },
    async applicableTo({ workspaceId, id }) {
      const rows = await database.all<Columns>(
        `${selectPolicies} WHERE p.workspace_id = ? AND (p.connector_id IS NULL OR p.connector_id = ?)`,
        workspaceId,
        id,
      );
      return rows.map(toPolicy);
    },
    put: ({ workspaceId, connectorId }, rule) =>
      database.transaction(async () => {
        await database.get(
          `SELECT 1 FROM workspaces WHERE id = ?${database.dialect.forUpdate('workspaces')}`,
          workspaceId,
        );
        const deletion = 'DELETE FROM policies WHERE workspace_id = ? AND connector_id IS NOT DISTINCT FROM ?';
        await database.run(deletion, workspaceId, connectorId);
        if (rule === null) return;
        await database.run(
          'INSERT INTO policies (workspace_id, connector_id, read_only, allow, updated_at) VALUES (?, ?, ?, ?, ?)',
          workspaceId,
          connectorId,
          rule.readOnly ? 1 : 0,
          rule.allow === null ? null : JSON.stringify(rule.allow),
          new Date(now()).toISOString(),
        );
      }),
  };
}

const toPolicy = (row: Columns): Policy => ({
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  connectorId: row.connector_id,
  readOnly: row.read_only !== 0,
  allow: row.allow === null ? null : patternsIn(row.allow),
  updatedAt: row.updated_at,
});

/** A list that cannot be read allows nothing: whoever wrote it meant to forbid something. */
function patternsIn(text: string): readonly string[] {
  try {
    const patterns: unknown = JSON.parse(text);
    return Array.isArray(patterns) ? patterns.filter((pattern) => typeof pattern === 'string') : [];
  } catch {
    return [];
  }
}
