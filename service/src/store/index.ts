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
export type {
  Collection,
  FieldType,
  IdentifiedRecord,
  SearchRequest,
  SearchResult,
  Store,
  StoredEntity,
  StoredRecord,
  StoreOptions,
  TextsOf,
  Written,
} from './types.js';
