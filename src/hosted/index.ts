export { AgentConnectors, type AgentConnectorsOptions } from './client.js';
export type { HostedOptions } from './options.js';
export type {
  ConnectorCheck,
  ConnectorInspection,
  CreateConnector,
  ExecuteAnswer,
  ExecuteBody,
  HostedConnector,
  ListConnectors,
  Organization,
  ScopedToken,
  SkillDocs,
  SyncCounts,
  SyncJob,
  UpdateConnector,
  WhoAmI,
  Workspace,
  WorkspaceHits,
  WorkspaceSearch,
} from './wire.js';
