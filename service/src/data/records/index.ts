export type { Collection, FieldType, IdentifiedRecord, StoredEntity, StoredRecord } from './entity.js';
export { entitiesOf } from './keys.js';
export { openStore } from './open.js';
export type {
  FieldText,
  MeaningRequest,
  MeaningResult,
  PassageCount,
  PassageHit,
  PassageSpan,
  PassageVector,
  Ranker,
  UnembeddedPassage,
} from './passages/types.js';
export { projected } from './rows.js';
export { type Exported, exportRecords } from './transfer/export.js';
export { type Imported, importRecords, type TextsOfCollection } from './transfer/import.js';
export type { SearchRequest, SearchResult, Store, StoreOptions, TextsOf, Written } from './types.js';
