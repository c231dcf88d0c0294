export type { Collection, FieldType, IdentifiedRecord, StoredEntity, StoredRecord } from './entity.js';
/** Spreads the records of a database over the workers of its Citus cluster; gives the names of the tables that were not before. */
export async function distribute(databaseUrl: string): Promise<string[]> {
  // Loaded only where it is used.
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
export { projected } from './schema.js';
export { type ExportCounts, exportRecords } from './transfer/export.js';
export { type ImportCounts, importRecords, type TextsOfCollection } from './transfer/import.js';
export type { SearchRequest, SearchResult, Store, StoreOptions, TextsOf, WriteCounts } from './types.js';
