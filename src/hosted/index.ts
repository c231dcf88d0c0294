/**
 * Client for a service that stores connectors and their credentials.
 * @module agent-connectors/hosted
 */

export type { HostedOptions } from '../call/options.js';
export { AgentConnectors, type AgentConnectorsOptions } from './client.js';
export {
  type ConnectBrand,
  type ConnectExpectation,
  type ConnectResult,
  type ConnectSession,
  type ConnectSessionState,
  type ConnectSetup,
  verifyConnectResult,
} from './connect.js';
export type {
  AuditEntry,
  AuditVerdict,
  ListAudit,
  ListPlans,
  PlanDetails,
  PlanStatus,
  PlanSummary,
  Policy,
  PrepareWrite,
  PutPolicy,
} from './governance.js';
export type { SyncCounts, SyncJob, WorkspaceHits, WorkspaceSearch } from './replica.js';
export {
  type CreatedWebhook,
  type CreateWebhook,
  type RolledSecret,
  type UpdateWebhook,
  verifyWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookEventType,
} from './webhooks.js';
export type {
  ConnectorCheck,
  ConnectorInspection,
  ConnectorType,
  CreateConnector,
  ExecuteAnswer,
  ExecuteBody,
  HostedConnector,
  ListConnectors,
  Organization,
  ScopedToken,
  ScopedTokenOptions,
  SkillDocs,
  TokenScope,
  UpdateConnector,
  WhoAmI,
  Workspace,
} from './wire.js';
