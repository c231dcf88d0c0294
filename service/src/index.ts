/**
 * The service as part of a program of your own.
 * @module agent-connectors-service
 */
export type { ResolvedAddress } from './connectors/egress.js';
export type { Embedder } from './embedding/types.js';
export type { Bindings } from './http/answered.js';
export type { Logger } from './log.js';
export type { ServiceOptions } from './options.js';
export { type CreateOptions, createService, type RunningService, type Service, serve } from './service.js';
export type { EntityProgress, JobRow, Jobs, ReplicaRow, Replicas } from './state/replication-types.js';
export type {
  Client,
  ConnectorRow,
  NewConnector,
  Organization,
  Scope,
  State,
  Workspace,
} from './state/types.js';
