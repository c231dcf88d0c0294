import { type Database, eachWithinOrganization } from './database.js';
import type { Policies, Policy } from './policy-types.js';

/** Rules in the database. */
export function openPolicies(database: Database, now: () => number): Policies {
  const { query } = database;
  return eachWithinOrganization<Policies>({
    async list({ organizationId, workspaceId }) {
      let rules = selectPolicies(database).where('workspaces.organization_id', '=', organizationId);
      if (workspaceId !== undefined) rules = rules.where('workspaces.id', '=', workspaceId);
      const rows = await rules
        .orderBy('workspaces.name')
        .orderBy((eb) => eb('policies.connector_id', 'is not', null))
        .orderBy('policies.connector_id')
        .execute();
      return rows.map(toPolicy);
    },
    async applicableTo({ workspaceId, id }) {
      // Read in the same statement as the connector, so a missing connector is never mistaken for one without
      // policies.
      const rows = await query
        .selectFrom('connectors')
        .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
        .leftJoin('policies', (join) =>
          join
            .onRef('policies.workspace_id', '=', 'connectors.workspace_id')
            .on((eb) =>
              eb.or([
                eb('policies.connector_id', 'is', null),
                eb('policies.connector_id', '=', eb.ref('connectors.id')),
              ]),
            ),
        )
        .where('connectors.workspace_id', '=', workspaceId)
        .where('connectors.id', '=', id)
        .selectAll('policies')
        .select('workspaces.name as workspace_name')
        .execute();
      return rows.length === 0 ? undefined : rows.filter(isPolicy).map(toPolicy);
    },
    put: ({ workspaceId, connectorId }, rule) =>
      database.transaction(async () => {
        const workspace = query.selectFrom('workspaces').select('id').where('id', '=', workspaceId);
        await workspace.forNoKeyUpdate('workspaces').execute();
        await query
          .deleteFrom('policies')
          .where('workspace_id', '=', workspaceId)
          .where('connector_id', 'is not distinct from', connectorId)
          .execute();
        if (rule === null) return;
        await query
          .insertInto('policies')
          .values({
            workspace_id: workspaceId,
            connector_id: connectorId,
            read_only: rule.readOnly ? 1 : 0,
            allow: rule.allow === null ? null : JSON.stringify(rule.allow),
            approval: rule.approval === null ? null : JSON.stringify(rule.approval),
            approval_by: rule.approvalBy,
            updated_at: new Date(now()).toISOString(),
          })
          .execute();
      }),
  });
}

const selectPolicies = ({ query }: Database) =>
  query
    .selectFrom('policies')
    .innerJoin('workspaces', 'workspaces.id', 'policies.workspace_id')
    .selectAll('policies')
    .select('workspaces.name as workspace_name');

type Row = Awaited<ReturnType<ReturnType<typeof selectPolicies>['executeTakeFirstOrThrow']>>;

/** A connector without policies yields one row with null policy columns. */
const isPolicy = (row: { readonly [name in keyof Row]: Row[name] | null }): row is Row => row.workspace_id !== null;

const toPolicy = (row: Row): Policy => ({
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  connectorId: row.connector_id,
  readOnly: row.read_only !== 0,
  allow: row.allow === null ? null : patternsIn(row.allow, []),
  approval: row.approval === null ? null : patternsIn(row.approval, ['*.*']),
  approvalBy: row.approval_by ?? 'other',
  updatedAt: row.updated_at,
});

/** An unreadable list is treated as the strictest one, since it was meant to restrict something. */
function patternsIn(text: string, strictest: readonly string[]): readonly string[] {
  try {
    const patterns: unknown = JSON.parse(text);
    return Array.isArray(patterns) ? patterns.filter((pattern) => typeof pattern === 'string') : strictest;
  } catch {
    return strictest;
  }
}
