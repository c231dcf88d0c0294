import type { Migration, Schema } from './types.js';

const setting = (name: string): string => `current_setting('agent_connectors.${name}', true)`;
/** Whether a row belongs to the statement's organization. */
export const isOrganization = (column: string): string => `${column} = ${setting('organization')}`;
const isConnector = (column: string): string => `${column} = ${setting('connector')}`;
/** Whether a row with a `connector_id` belongs to the statement's connector, or to a connector of its organization. */
export const isOfConnector = (table: string): string =>
  `${isConnector('connector_id')} or exists (
    select 1 from connectors where connectors.id = ${table}.connector_id and ${isOrganization('connectors.organization_id')})`;

/** Rows visible to a statement without access to all organizations, by table; see `database.ts`. */
const visible: Readonly<Record<string, string>> = {
  organizations: isOrganization('id'),
  workspaces: isOrganization('organization_id'),
  connectors: `${isOrganization('organization_id')} or ${isConnector('id')}`,
  policies: `exists (
    select 1 from workspaces where workspaces.id = policies.workspace_id and ${isOrganization('workspaces.organization_id')})`,
  setups: isOrganization('organization_id'),
  plans: isOrganization('organization_id'),
  audit: isOrganization('organization_id'),
  audit_checkpoints: isOrganization('organization_id'),
  credentials: isOfConnector('credentials'),
  ledger: isOfConnector('ledger'),
  replicas: isOfConnector('replicas'),
  jobs: isOfConnector('jobs'),
  // These do not belong to a single organization.
  clients: 'false',
  client_organizations: 'false',
  console_sessions: 'false',
  console_links: 'false',
};

/** Restricts a table's rows in Postgres to statements that satisfy `condition`. */
export async function secureRows(inPostgres: Schema['inPostgres'], table: string, condition: string): Promise<void> {
  await inPostgres(`alter table ${table} enable row level security`);
  // Table owners, such as the service, would be exempt otherwise.
  await inPostgres(`alter table ${table} force row level security`);
  await inPostgres(`create policy tenant on ${table} using (${setting('scope')} = 'all' or ${condition})`);
}

/** Row policies: Postgres restricts each statement to the rows that it may access. */
export const rowSecurity: Migration = {
  version: 11,
  name: 'row-security',
  async up({ inPostgres }) {
    for (const [table, condition] of Object.entries(visible)) {
      await secureRows(inPostgres, table, condition);
    }
  },
};
