/** The types that a searchable field is declared with. */
export type FieldType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';

/** One kind of record that a store keeps. */
export interface StoredEntity {
  /** The connector's type, such as `linear`. */
  readonly type: string;
  /** The entity's name, such as `issues`. */
  readonly entity: string;
  /** Searchable fields by name; a record has no others. */
  readonly fields: Readonly<Record<string, FieldType>>;
  /** String fields whose values are instants and compare as such. */
  readonly dateTimes: readonly string[];
  /** Dotted paths inside objects that records are known to have; the replica may show others. */
  readonly known?: readonly string[] | undefined;
  /** Fields that together tell one record from another. */
  readonly key: readonly string[];
  /** Fields whose texts are searched by meaning. */
  readonly semantic?: readonly string[] | undefined;
  /** The array field with who may see a record; see `Access` of a replication. */
  readonly readers?: string | undefined;
  /** Where records have what they are called and known by, as the manifest says. */
  readonly about?:
    | { readonly title?: readonly string[] | undefined; readonly words?: readonly string[] | undefined }
    | undefined;
}

/** A record by the names of its searchable fields; others are not kept, and an absent one is null. */
export type StoredRecord = Readonly<Record<string, unknown>>;

/** The records of one entity of one connector. */
export interface Collection {
  readonly connectorId: string;
  readonly type: string;
  readonly entity: string;
  /** Only those that one of these readers may see; of an entity without readers that is none. All when left out. */
  readonly readers?: readonly string[] | undefined;
}

/** A record with the id that the store knows it by. */
export interface IdentifiedRecord {
  readonly id: string;
  readonly record: StoredRecord;
}
