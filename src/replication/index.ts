/**
 * Reads all searchable records of a connector, page by page, into your own store; used by the service.
 * @module agent-connectors/replication
 */

import { keysAt } from '../action/params.js';
import { type Entity, recordOf } from '../manifest/manifest.js';
import type { Searchable } from '../search/language/fields.js';
import { searchableFields } from '../search/params.js';

export { parseJson } from '../http/json.js';
export { type ReplicationCalls, replicationCalls } from '../internal-calls.js';
export type {
  Access,
  Batch,
  Expected,
  Failure,
  FileText,
  Json,
  Look,
  Lookup,
  Names,
  Passage,
  Replica,
  Replication,
  Segment,
  Source,
  SourceFile,
  StoredRecord,
  Sweep,
  SweepPage,
  TextCause,
  Withheld,
  Write,
} from '../manifest/replication.js';
export { markdownSegments, passageSize, plainSegments } from './segments.js';

/** What can be searched in an entity; undefined if nothing can. */
export const searchableOf = (entity: Pick<Entity, 'actions' | 'search'>): Searchable | undefined =>
  entity.search && searchableFields(entity.search, recordOf(entity)?.schema);

const maxDepth = 4;

/** Dotted paths inside objects in an entity's record schema; vendors may send others too. */
export function recordPaths(entity: Pick<Entity, 'actions'>): string[] {
  const schema = recordOf(entity)?.schema;
  const below = (path: readonly string[]): string[] =>
    keysAt(schema!, path).flatMap((name) => [
      ...(path.length > 0 ? [[...path, name].join('.')] : []),
      ...(path.length < maxDepth ? below([...path, name]) : []),
    ]);
  return schema ? below([]) : [];
}
