/** Types of searchable fields. */
export type FieldType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';

/** A kind of record in the store. */
export interface StoredEntity {
  /** Connector type, such as `linear`. */
  readonly type: string;
  /** Entity name, such as `issues`. */
  readonly entity: string;
  /** Searchable fields by name; a record has no others. */
  readonly fields: Readonly<Record<string, FieldType>>;
  /** String fields that contain instants and are compared as such. */
  readonly dateTimes: readonly string[];
  /** String fields that contain calendar dates as YYYYMMDD. */
  readonly compactDates?: readonly string[] | undefined;
  /** Dotted paths inside objects that are known to occur in records; there may be others. */
  readonly known?: readonly string[] | undefined;
  /** Fields that together identify a record. */
  readonly key: readonly string[];
  /** Fields searched semantically. */
  readonly semantic?: readonly string[] | undefined;
  /** Array field that lists who may see a record; see `Access` in a replication. */
  readonly readers?: string | undefined;
  /** Fields with a record's title and identifiers, from the manifest. */
  readonly about?:
    | { readonly title?: readonly string[] | undefined; readonly words?: readonly string[] | undefined }
    | undefined;
}

/** A record with its searchable fields only; a missing field is null. */
export type StoredRecord = Readonly<Record<string, unknown>>;

/** The records of one entity of one connector. */
export interface Collection {
  readonly connectorId: string;
  readonly type: string;
  readonly entity: string;
  /**
   * Restricts results to records visible to one of these readers (none if the entity has no `readers` field); all
   * records if undefined.
   */
  readonly readers?: readonly string[] | undefined;
}

/** A record and its id in the store. */
export interface IdentifiedRecord {
  readonly id: string;
  readonly record: StoredRecord;
}
