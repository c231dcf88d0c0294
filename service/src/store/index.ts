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
export { exportRecords, type Imported, importRecords, type TextsOfCollection } from './transfer.js';
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
