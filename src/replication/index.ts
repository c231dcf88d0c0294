/**
 * Reads all searchable records of a connector, page by page, into your own store; used by the service.
 * @module agent-connectors/replication
 */
export { type ReplicationCalls, replicationCalls } from '../call/internal-calls.js';
export { parseJson } from '../http/json.js';
export { recordPaths } from '../search/record-paths.js';
export { markdownSegments, passageSize, plainSegments } from './segments.js';
export type {
  Access,
  Batch,
  Expected,
  Failure,
  Json,
  Look,
  Lookup,
  Names,
  Passage,
  Replica,
  Replication,
  Segment,
  Source,
  StoredRecord,
  Sweep,
  Write,
} from './types.js';
