import type { ApprovalBy, DeliveryStatus, PlanStatus, SyncJob } from 'agent-connectors/wire';
import { expressionBuilder, type Generated, sql } from 'kysely';
import type { CallHoursTable, SyncHoursTable } from './activity-types.js';
import type { AuditEntry } from './audit/types.js';
import type { PlanDecision } from './plan-types.js';
import type { GapReason, ReplicaStatus, Unread, VendorLimitsTable, WrittenStatus } from './replication-types.js';
import type { ConnectorHealth, Scope } from './rows.js';
import type { SetupStatus } from './setup-types.js';

/** Columns of all tables. In both engines, booleans are 0 or 1 and JSON is text. */
export interface Tables {
  readonly versions: { version: number; name: string; applied_at: string };
  readonly organizations: { id: string; name: string; created_at: string };
  readonly workspaces: { id: string; organization_id: string; name: string; created_at: string };
  readonly clients: ClientsTable;
  readonly client_organizations: { client_id: string; position: number; organization_id: string };
  readonly connectors: ConnectorsTable;
  readonly keys: KeysTable;
  readonly credentials: { connector_id: string; field: string; key_id: string; sealed: Uint8Array };
  readonly processes: { id: string; key_id: string; seen_at: number; reloads: Generated<number> };
  readonly leases: { name: string; holder: string; expires_at: number };
  readonly rate_limits: { name: string; full_at: number; granted: number };
  readonly vendor_limits: VendorLimitsTable;
  readonly ledger: LedgerTable;
  readonly replicas: ReplicasTable;
  readonly written_records: WrittenRecordsTable;
  readonly unread_records: UnreadRecordsTable;
  readonly jobs: JobsTable;
  readonly audit: { -readonly [Column in keyof AuditEntry]: AuditEntry[Column] };
  readonly audit_checkpoints: AuditCheckpointsTable;
  readonly policies: PoliciesTable;
  readonly setups: SetupsTable;
  readonly console_sessions: ConsoleTokensTable;
  readonly console_links: ConsoleTokensTable;
  readonly plans: PlansTable;
  readonly oauth_apps: OAuthAppsTable;
  readonly oauth_grants: OAuthGrantsTable;
  readonly connect_clients: ConnectClientsTable;
  readonly webhooks: WebhooksTable;
  readonly webhook_deliveries: WebhookDeliveriesTable;
  readonly record_positions: RecordPositionsTable;
  /** A single row, whose value every change of the rows behind access raises. */
  readonly access_revision: { id: number; value: number };
  readonly access_tokens: AccessTokensTable;
  readonly call_hours: CallHoursTable;
  readonly sync_hours: SyncHoursTable;
  /** The last entry of an organization's audit log that `call_hours` contains. */
  readonly counted_calls: { organization_id: string; seq: number };
}

interface ClientsTable {
  id: string;
  name: string;
  secret_hash: Uint8Array;
  created_at: string;
  scopes: string | null;
  as_user: Generated<string | null>;
  previous_secret_hash: Uint8Array | null;
  previous_secret_until: number | null;
  /** Raised to end all tokens issued before. */
  token_generation: Generated<number>;
}

/** Issued tokens that have not expired; the tokens themselves are not stored. Times in milliseconds since 1970. */
interface AccessTokensTable {
  id: string;
  client_id: string;
  organization_id: string;
  /** The only workspace that it can access. */
  workspace_id: string | null;
  created_at: number;
  expires_at: number;
  used_at: Generated<number | null>;
  revoked_at: Generated<number | null>;
}

interface ConnectorsTable {
  id: string;
  organization_id: string;
  workspace_id: string;
  name: string;
  type: string;
  replication_config: string | null;
  settings: string;
  created_at: string;
  updated_at: string;
  /** Milliseconds since 1970. */
  sync_at: Generated<number>;
  /** The vendor's id for the account; null if unknown. */
  account: Generated<string | null>;
  /** Null if there is no problem. */
  health: Generated<ConnectorHealth | null>;
  /** Raised whenever the credentials are replaced. */
  credentials_version: Generated<number>;
}

/** Master keys, each with a check text sealed with it, and data keys, each sealed with a master key. */
interface KeysTable {
  id: string;
  sealed: Uint8Array;
  /** For a data key: the organization whose values it seals; null for the audit log key. */
  organization_id: Generated<string | null>;
  /** The master key that seals a data key; null for a master key. */
  wrapped_by: Generated<string | null>;
  created_at: Generated<string | null>;
  /** Whether another data key has replaced it. */
  retired: Generated<number>;
}

/** Where an organization's log starts, authenticated with the audit log key. */
interface AuditCheckpointsTable {
  organization_id: string;
  /** The last entry deleted because of its age, or 0. */
  removed_seq: number;
  removed_digest: string;
  mac: string;
}

interface LedgerTable {
  id: string;
  connector_id: string;
  process_id: string;
  begun_at: number;
  done: Generated<number>;
  key_id: string;
  sealed: Uint8Array;
  /** Random id of the request that executes the write. */
  attempt: Generated<string>;
}

interface ReplicasTable {
  connector_id: string;
  entity: string;
  status: ReplicaStatus;
  config_hash: string;
  state: string | null;
  records: number;
  synced_at: number | null;
  swept_at: number | null;
  renew: Generated<number>;
  started_at: Generated<number | null>;
  error: string | null;
  error_reason: GapReason | null;
  /** Counts of `unread_records` by field and cause, as JSON; null if there are none. */
  unread: Generated<string | null>;
  unlisted: Generated<number | null>;
  /** Times by record id, as JSON; null if there are none. */
  unlisted_since: Generated<string | null>;
  fields: Generated<string | null>;
}

/** Records written through the service since the last replication started. */
interface WrittenRecordsTable {
  connector_id: string;
  entity: string;
  record_id: string;
  /** New for each write. */
  write_id: string;
  status: Generated<WrittenStatus>;
  /** The process that reads it back; empty if none has to. */
  process_id: Generated<string>;
}

/** Records that could not be read, or that are stored without one of their fields. */
interface UnreadRecordsTable {
  connector_id: string;
  entity: string;
  record_id: string;
  field: string | null;
  message: string;
  /** What became of the file's text, if `field` contains it. */
  state: Unread['state'];
  cause: Unread['cause'];
  permanent: Generated<number>;
}

interface JobsTable {
  id: string;
  organization_id: string;
  connector_id: string;
  reason: SyncJob['requested'];
  repeats: Generated<number>;
  /** Null for all. */
  requested_entities: string | null;
  status: SyncJob['status'];
  owner: string | null;
  lease_until: number | null;
  next_attempt_at: number;
  attempts: Generated<number>;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  entities: string;
  error: string | null;
}

interface PoliciesTable {
  workspace_id: string;
  connector_id: string | null;
  read_only: number;
  allow: string | null;
  approval: string | null;
  approval_by: ApprovalBy | null;
  updated_at: string;
}

interface SetupsTable {
  id: string;
  token_hash: Uint8Array;
  organization_id: string;
  workspace_id: string;
  client_id: string;
  name: string;
  type: string | null;
  status: SetupStatus;
  connector_id: string | null;
  error: string | null;
  tries: Generated<number>;
  expires_at: number;
  state_hash: Uint8Array | null;
  browser_hash: Uint8Array | null;
  asked_until: number | null;
  key_id: string | null;
  sealed: Uint8Array | null;
  /** JSON of a `ConnectSession`; null for other setups. */
  connect: Generated<string | null>;
}

interface ConsoleTokensTable {
  digest: Uint8Array;
  client_id: string;
  expires_at: number;
}

interface PlansTable {
  id: string;
  organization_id: string;
  workspace_id: string;
  connector_id: string;
  entity: string;
  action: string;
  effect: string;
  params_digest: string;
  /** Never `expired`, which is derived from `expires_at`. */
  status: PlanStatus;
  requested_by: string;
  requested_via: string;
  requested_at: number;
  expires_at: number;
  decision: PlanDecision | null;
  decided_by: string | null;
  decided_at: number | null;
  executed_at: number | null;
  key_id: string;
  sealed: Uint8Array;
}

interface OAuthAppsTable {
  id: string;
  /** Null for an app without a secret. */
  secret_hash: Uint8Array | null;
  metadata: string;
  /** Network it was registered from; empty for a metadata document. */
  network: string;
  created_at: number;
  expires_at: number;
}

interface OAuthGrantsTable {
  id: string;
  organization_id: string;
  workspace_id: string;
  client_id: string;
  app_id: string;
  app_name: string;
  redirect_uri: string;
  resource: string;
  scopes: string;
  /** JSON list of ids; null for all connectors in the workspace. */
  connectors: string | null;
  challenge: string;
  code_hash: Uint8Array;
  code_until: number;
  /** Prefix of all refresh tokens of the grant; null until the code is redeemed. */
  family_hash: Uint8Array | null;
  refresh_hash: Uint8Array | null;
  previous_hash: Uint8Array | null;
  rotated_at: number | null;
  created_at: number;
  used_at: number | null;
  expires_at: number;
}

/** A client's connect session settings in one organization. */
interface ConnectClientsTable {
  organization_id: string;
  client_id: string;
  /** JSON list. */
  origins: string;
  key_id: string | null;
  sealed: Uint8Array | null;
}

interface WebhooksTable {
  id: string;
  organization_id: string;
  /** Null for all workspaces. */
  workspace_id: string | null;
  url: string;
  /** JSON list; null for all events. */
  events: string | null;
  /** Why it is disabled; null if it is enabled. */
  disabled: string | null;
  failing_since: number | null;
  created_at: number;
  key_id: string;
  sealed: Uint8Array;
}

interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  organization_id: string;
  /** Empty for a test. */
  connector_id: string;
  /** Order of deliveries from one connector to one endpoint. */
  seq: number;
  event: string;
  payload: string;
  status: DeliveryStatus;
  attempts: number;
  first_attempt_at: number | null;
  /** When it is due, or when its lease expires while it is being sent. */
  next_attempt_at: number;
  owner: string | null;
  created_at: number;
  finished_at: number | null;
  response_status: number | null;
  error: string | null;
}

interface RecordPositionsTable {
  webhook_id: string;
  organization_id: string;
  connector_id: string;
  entity: string;
  /** Of the change feed. */
  cursor: string;
}

/** Literals, as in the partial indexes on jobs: SQLite does not use partial indexes for bound values. */
export const isOpenJob = expressionBuilder<Tables, 'jobs'>()('jobs.status', 'in', [
  sql.lit<SyncJob['status']>('queued'),
  sql.lit<SyncJob['status']>('running'),
]);

/** Connectors visible to a scope. Every tenant query is built on this, so none can omit it. */
export const connectorsIn = ({ organizationId, workspaceId, connectorIds }: Scope) => {
  const eb = expressionBuilder<Tables, 'connectors'>();
  const own = eb.and({
    'connectors.organization_id': organizationId,
    ...(workspaceId !== undefined && { 'connectors.workspace_id': workspaceId }),
  });
  return connectorIds ? eb.and([own, eb('connectors.id', 'in', connectorIds)]) : own;
};
