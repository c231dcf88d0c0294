/**
 * Client for a service that stores connectors and their credentials.
 * @module agent-connectors/hosted
 */

export type { HostedOptions } from '../call/options.js';
export type {
  AuditEntry,
  AuditVerdict,
  ChangesPage,
  ConnectorCheck,
  ConnectorInspection,
  ConnectorType,
  ConnectSession,
  ConnectSessionState,
  CreateConnector,
  CreatedWebhook,
  CreateWebhook,
  ExecuteAnswer,
  ExecuteBody,
  HostedConnector,
  List,
  ListAudit,
  ListConnectors,
  ListDeliveries,
  ListPlans,
  Organization,
  Page,
  PlanDetails,
  PlanStatus,
  PlanSummary,
  Policy,
  PrepareWrite,
  PutPolicy,
  ReadChanges,
  RecordChange,
  ReplicationConfig,
  RolledSecret,
  ScopedToken,
  ScopedTokenOptions,
  SkillDocs,
  SyncCounts,
  SyncJob,
  TokenScope,
  UpdateConnector,
  UpdateWebhook,
  Webhook,
  WebhookDelivery,
  WebhookEventType,
  WhoAmI,
  Workspace,
  WorkspaceHit,
  WorkspaceHits,
  WorkspaceSearch,
} from '../wire/index.js';
export { type FollowChanges, followChanges } from './changes.js';
export { AgentConnectors, type AgentConnectorsOptions } from './client.js';
export {
  type ConnectBrand,
  type ConnectExpectation,
  type ConnectResult,
  type ConnectSetup,
  verifyConnectResult,
} from './connect.js';
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from './webhooks.js';
