/** A root list in Linear's schema, and how to read its records. */
export interface ListSpec {
  /** The root field. */
  readonly list: string;
  /** Root field of a single record. */
  readonly recordField: string;
  /** The type of the list's `filter`. */
  readonly filter: string;
  /** Fields requested for each record, besides `id`, `createdAt`, `updatedAt` and `archivedAt`. */
  readonly selection: string;
  /** Nested connections, with the fields of their nodes and the initial page size. */
  readonly nested?: Readonly<Record<string, Nested>> | undefined;
  /** Related records whose names are part of the selection, by root field. */
  readonly related?: Readonly<Record<string, Related>> | undefined;
  /** Page size, chosen so that a page costs at most half of the 10,000 points that Linear's formula allows. */
  readonly size: number;
}

/** A nested connection. */
interface Nested {
  readonly selection: string;
  readonly first: number;
}

/** Related records of one type, whose names are part of a list's records. */
export interface Related {
  /** The fields that records contain; named as there. */
  readonly selection: string;
  /** Stored fields of records that contain them, each with the ids in it. */
  readonly ids: Readonly<Record<string, (node: any) => readonly string[]>>;
  /** Arguments of the root field, `changedSince` by default. */
  readonly args?: string | undefined;
}

/** Page size of lists of related records. */
export const relatedPageSize = 50;

/** The default arguments of such a list. */
export const changedSince = 'filter: { updatedAt: { gte: $since } }';

/** A record as sent by Linear. */
export interface Node {
  readonly id: string;
  readonly createdAt: string;
  readonly archivedAt?: string | null;
  readonly [field: string]: unknown;
}

/** A page of a list. */
export interface Page {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}
