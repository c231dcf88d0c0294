export type { ChangePage } from './changes/page.js';
export type { Collection, FieldType, IdentifiedRecord, StoredEntity, StoredRecord } from './entity.js';
/**
 * Distributes a database's records over the workers of its Citus cluster; returns the names of newly distributed
 * tables.
 */
export async function distribute(databaseUrl: string): Promise<string[]> {
  // Loaded on demand.
  const driver = await import('./drivers/postgres/distribute.js');
  return driver.distribute(databaseUrl);
}

export { entitiesOf } from './keys.js';
export { openStore } from './open.js';
export type {
  FieldText,
  PassageCount,
  PassageHit,
  PassageSpan,
  PassageVector,
  Ranker,
  SemanticSearchRequest,
  SemanticSearchResult,
  UnembeddedPassage,
} from './passages/types.js';
export { RecordsJson } from './records-json.js';
export { untypedId } from './rows.js';
export { projected } from './schema.js';
export { type ExportCounts, exportRecords } from './transfer/export.js';
export { type ImportCounts, importRecords, type TextsOfCollection } from './transfer/import.js';
export { exportTables } from './transfer/tables.js';
export type { SearchRequest, SearchResult, Store, StoreOptions, TextsOf, WriteCounts } from './types.js';
