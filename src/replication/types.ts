import type * as z from 'zod';
import type { Result } from '../call/result.js';
import type { Action, Settings } from '../manifest/action.js';

/** What JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };

/** A record by the names of its searchable fields. */
export type StoredRecord = Readonly<Record<string, unknown>>;

/** How a connector's records come into a replica; loaded only where one is kept. */
export interface Replication {
  /**
   * Schema of the connector's own fields of `replication_config`, each with `.describe()`, such as
   * `z.object({ start_date: z.iso.date().optional().describe('First day.') })`. The service adds `interval` and
   * `entities`, and refuses all other fields. None when left out.
   */
  readonly config?: z.core.$ZodObject | undefined;
  /** How long after a run the next begins where nobody says otherwise, as a number of minutes, hours or days such as `5m`; `1h` when left out. */
  readonly interval?: string | undefined;
  /** Calls of which replication alone has need, by name: run, limited and retried as actions are, and described nowhere. */
  readonly calls?: Readonly<Record<string, Action>> | undefined;
  /** By searchable entity; every one has its own. */
  readonly entities: Readonly<Record<string, Replica>>;
  /** Who may see which record, where the vendor says so; without it nothing is shown to a caller that is bound to a person. */
  readonly access?: Access | undefined;
}

/**
 * Who may see records. Readers are named `user:<e-mail>`, `group:<e-mail>`, `domain:<name>` and `anyone`, and
 * `link:domain:<name>` and `link:anyone` where they open a record by its address alone; e-mails and domains in lower case.
 */
export interface Access {
  /** Whether the replica has the readers of its records under this `replication_config`. */
  readonly isReplicated: (config: Readonly<Record<string, unknown>>) => boolean;
  /** By entity: its searchable field with the readers of a record, an array, or null where they are unknown. */
  readonly readers: Readonly<Record<string, string>>;
  /** Actions that read one record and nothing else, such as `files.get`. */
  readonly actions: readonly string[];
  /** Asks the vendor for the readers, as of now, of the record that the parameters of such an action name. */
  readonly readersOf: (
    execute: Source['execute'],
    params: Readonly<Record<string, unknown>>,
    now: number,
  ) => Promise<readonly string[]>;
}

/** How the records of one searchable entity are read, and what is known of them beyond their fields. */
export interface Replica {
  /** Fields that together tell one record from another; `id` when left out. */
  readonly key?: readonly string[] | undefined;
  /** Text fields that hold instants, and compare as such. */
  readonly dateTimes?: readonly string[] | undefined;
  /**
   * Reads all that is new since `source.state`, page after page.
   *
   * Without a state it begins at the beginning. It may end at any batch, and goes on from the state of the last one
   * that was stored; the state of the last batch of all is where the next run begins.
   */
  readonly read: (source: Source) => AsyncIterable<Batch>;
  /** How records are noticed that the vendor no longer has; where the vendor says so, `read` itself does (`removed`). */
  readonly sweep?: Sweep | undefined;
  /** How single records are read, so that what is written through a service is found there at once. */
  readonly lookup?: Lookup | undefined;
  /** The text of the fields that are searched by meaning, by field. */
  readonly segments?: Readonly<Record<string, (record: StoredRecord) => Iterable<Segment>>> | undefined;
  /** Looks up names for the reader's sake; gives for each passage what the manifest calls its enrichments. */
  readonly enrich?: ((passages: readonly Passage[], look: Look) => Promise<readonly Names[]>) | undefined;
}

/**
 * `all`: every run reads every record, so that those which it did not see are gone; such a run begins anew when it was
 * interrupted. Otherwise a list of every id that there is, asked for at most every so many milliseconds, which may depend on how many pages the list has.
 */
export type Sweep =
  | 'all'
  | {
      /** Milliseconds between two sweeps, or what gives them for a replica with so many records. */
      readonly everyMs: number | ((records: number) => number);
      /** Ids of all records that the vendor has. */
      readonly ids: (source: Source) => AsyncIterable<readonly string[]>;
    };

/** How records are read by their ids. */
export interface Lookup {
  /** Ids of the records of this entity that a write has made, changed or removed. */
  readonly ids: (write: Write) => readonly string[];
  /** Reads records just as `Replica.read` gives them; those that are gone or do not belong in the replica are left out. */
  readonly read: (source: Source, ids: readonly string[]) => Promise<readonly StoredRecord[]>;
}

/** A write that the vendor has carried out. */
export interface Write {
  /** Entity of the action, which need not be the replica's. */
  readonly entity: string;
  /** Parameters of the action. */
  readonly params: Readonly<Record<string, any>>;
  /** What the action resolved to. */
  readonly data: any;
}

/** What `read` works with. */
export interface Source {
  /** Runs an action of the connector. */
  execute(entity: string, action: string, params: object): Promise<Result<any, any>>;
  /** Runs one of the replication's own calls. */
  call(name: string, params: object): Promise<Result<any, any>>;
  /** What comes after this page, if anything: parameters to add. */
  following(entity: string, action: string, params: object, result: Result): object | undefined;
  /** The same for one of the replication's own calls. */
  followingCall(name: string, params: object, result: Result): object | undefined;
  /** What the last stored batch said; undefined where nothing has been read yet. */
  readonly state: Json | undefined;
  /** The connector's `replication_config`, checked. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The connector's own settings, such as `includePrivate`. */
  readonly settings: Settings;
  /** Milliseconds since 1970. */
  now(): number;
  /** Records that the replica holds already, by id; those that it does not are left out. */
  stored(ids: readonly string[]): Promise<ReadonlyMap<string, StoredRecord>>;
  /** Every id that the replica holds of this entity. */
  storedIds(): AsyncIterable<string>;
  /** Ids of records that the replica holds of this entity, each of whose named text fields is as it is said of it; case may not count in a beginning. */
  storedWith(fields: Readonly<Record<string, Expected>>): AsyncIterable<string>;
  /** The id that the replica gives a record of this entity. */
  idOf(record: StoredRecord): string;
  /** What the entities of a connector share for as long as one job lasts, such as a list that several of them need. */
  readonly shared: Map<string, unknown>;
  /** The text of a file; null where its format has none, an error with a `message` to show where it cannot be read. */
  textOf(bytes: Uint8Array, mimeType: string, fileName: string): Promise<string | null>;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** One of some values, or a value that begins so. */
export type Expected =
  | readonly string[]
  | {
      /** What the value begins with. */
      readonly startsWith: string;
    };

/** What is stored together with the state to go on from. */
export interface Batch {
  /** Records of this step. */
  readonly records?: readonly StoredRecord[] | undefined;
  /** Ids of records that the vendor no longer has. */
  readonly removed?: readonly string[] | undefined;
  /** Records that could not be read, of which the others are independent. */
  readonly failed?: readonly Failure[] | undefined;
  /** From where to go on once this batch has been stored. */
  readonly state: Json;
  /** How much of the run is done, from 0 to 1, where that can be told. */
  readonly progress?: number | undefined;
}

/** One record or file that could not be read. */
export interface Failure {
  /** Id of the record. */
  readonly id: string;
  /** Why it could not be read. */
  readonly message: string;
}

/** A piece of a text that stands for itself: a paragraph under its heading, what one speaker said. */
export interface Segment {
  /** The text. */
  readonly text: string;
  /** What the manifest calls attribution, such as the speaker; a passage of several pieces has the one of the piece that a prompt leads to. */
  readonly attribution?: Names | undefined;
}

/** Names by what they name; null where there is none. */
export type Names = Readonly<Record<string, string | null>>;

/** A passage that was found. */
export interface Passage {
  /** Id of the record that it belongs to. */
  readonly record: StoredRecord;
  /** What tells where in the record it stands, such as the speaker. */
  readonly attribution: Names;
}

/** Reads records of another entity of the same connector, by id. */
export type Look = (entity: string, ids: readonly string[]) => Promise<ReadonlyMap<string, StoredRecord>>;
