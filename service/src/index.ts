/**
 * Embeds the service in your own program.
 * @module agent-connectors-service
 */

export type { Logger } from './common/log.js';
export type { ObjectStore } from './data/objects/types.js';
export { localEmbedder } from './data/search/embedding/onnx/embedder.js';
export type { Embedder } from './data/search/embedding/types.js';
export type { RerankedDocument, Reranker } from './data/search/rerank.js';
export type { EntityProgress, JobRow, Jobs, ReplicaRow, Replicas } from './data/state/replication-types.js';
export type { Client, ConnectorRow, Organization, Scope, Workspace } from './data/state/rows.js';
export type { NewConnector, State } from './data/state/types.js';
export type { ConnectorClasses } from './domain/connectors/definitions.js';
export type { ResolvedAddress } from './domain/connectors/egress.js';
export type { ServiceOptions } from './options.js';
export { type CreateOptions, createService, type RunningService, type Service, serve } from './service.js';
export type { Bindings } from './web/api/handle-request.js';
