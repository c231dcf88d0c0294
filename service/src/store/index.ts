export { entitiesOf } from './keys.js';
export { openStore } from './open.js';
export { exportRecords, type Imported, importRecords } from './transfer.js';
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
  Written,
} from './types.js';
