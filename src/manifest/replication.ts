import type * as z from 'zod';
import type { Action, Settings } from '../action/action.js';
import type { Result } from '../action/result.js';

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };

/** A record with its searchable fields. */
export type StoredRecord = Readonly<Record<string, unknown>>;

/** How a connector's records are replicated; loaded on demand. */
export interface Replication {
  /**
   * Schema for the connector's own fields in `replication_config`, each with `.describe()`, such as `z.object({
   * start_date: z.iso.date().optional().describe('First day.') })`. The service adds `interval` and `entities`, and
   * rejects all other fields. None by default.
   */
  readonly config?: z.core.$ZodObject | undefined;
  /** Default interval between runs, in minutes, hours or days such as `5m`; `1h` if undefined. */
  readonly interval?: string | undefined;
  /** Calls needed only for replication, by name; rate-limited and retried like actions, but not described. */
  readonly calls?: Readonly<Record<string, Action>> | undefined;
  /** One replica per searchable entity. */
  readonly entities: Readonly<Record<string, Replica>>;
  /** Who can see each record, if the vendor reports it. Without this, callers bound to a user see nothing. */
  readonly access?: Access | undefined;
}

/**
 * Access to records. Readers are written `user:<email>`, `group:<email>`, `domain:<name>` and `anyone`, or
 * `link:domain:<name>` and `link:anyone` if they need the record's URL; emails and domains in lower case.
 */
export interface Access {
  /** Whether, with this `replication_config`, the replica contains its records' readers. */
  readonly isReplicated: (config: Readonly<Record<string, unknown>>) => boolean;
  /** By entity: the searchable array field that lists a record's readers; its value is null if they are unknown. */
  readonly readers: Readonly<Record<string, string>>;
  /** Actions that read exactly one record, such as `files.get`. */
  readonly actions: readonly string[];
  /** Those actions that show with whom a record is shared, which only users who may share it can run. */
  readonly sharing?: readonly string[] | undefined;
  /**
   * By entity: fields that name records the user may not be able to read, or everyone who can read the record. They are
   * null in results, and searches cannot use them.
   */
  readonly hidden?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * Fetches from the vendor the current readers of the record identified by such an action's parameters, or, if
   * `mayShare`, those who may share it.
   */
  readonly readersOf: (
    execute: Source['execute'],
    params: Readonly<Record<string, unknown>>,
    now: number,
    mayShare?: boolean,
  ) => Promise<readonly string[]>;
}

/** How the records of a searchable entity are read, and metadata beyond their fields. */
export interface Replica {
  /** Fields that together identify a record; `id` by default. */
  readonly key?: readonly string[] | undefined;
  /**
   * Reads everything new since `source.state`, page by page.
   *
   * Without a state it starts from the beginning. It may stop after any batch and resumes from the state of the last
   * stored batch; the state of the final batch is where the next run starts.
   */
  readonly read: (source: Source) => AsyncIterable<Batch>;
  /**
   * How records deleted at the vendor are detected; if the vendor reports deletions, `read` returns them in `removed`.
   */
  readonly sweep?: Sweep | undefined;
  /** How single records are read, so that writes through a service are searchable immediately. */
  readonly lookup?: Lookup | undefined;
  /** The text of each semantic field. */
  readonly segments?: Readonly<Record<string, (record: StoredRecord) => Iterable<Segment>>> | undefined;
  /** Fields from which `segments` takes the text of a semantic field that is null, by semantic field. */
  readonly fallbacks?: Readonly<Record<string, string>> | undefined;
  /**
   * What the replica never has although it exists, because the vendor does not provide it or the configuration excludes
   * it: a sentence each, with the number of records if it is known. Reported with every search.
   */
  readonly withheld?:
    | ((configured: Pick<Source, 'settings' | 'config' | 'state'>) => readonly (string | Withheld)[])
    | undefined;
  /**
   * What a first run that has read up to `state` has not read yet, if the list is ordered by time; undefined if that is
   * unknown or nothing.
   */
  readonly remaining?: ((configured: Pick<Source, 'config' | 'state'>) => Remaining | undefined) | undefined;
  /** Looks up display names; returns the manifest's enrichments for each passage. */
  readonly enrich?: ((passages: readonly Passage[], look: Look) => Promise<readonly Names[]>) | undefined;
}

/** Records that a replica never has. */
export interface Withheld {
  /** Which records, and why, in a sentence. */
  readonly detail: string;
  /** Number of records, if known. */
  readonly count?: number | undefined;
}

/** Records that a first run has not read yet. */
export interface Remaining {
  /** The field by which they are read in order. */
  readonly field: string;
  /** Its value is before this time; ISO 8601. */
  readonly before?: string | undefined;
  /** Its value is this time or later; ISO 8601. */
  readonly after?: string | undefined;
}

/**
 * With `all`, every run reads every record, so records it did not see have been deleted; an interrupted run starts
 * over. Otherwise, all ids are listed at most once per interval, which may depend on the number of records.
 */
export type Sweep =
  | 'all'
  | {
      /** Milliseconds between sweeps, or a function of the number of records in the replica. */
      readonly everyMs: number | ((records: number) => number);
      /** Ids of all records at the vendor, page by page. */
      readonly ids: (source: Source) => AsyncIterable<readonly string[] | SweepPage>;
      /**
       * Reads listed records that the replica does not have, up to 100 at a time: records may appear or change where
       * `read` no longer looks. Without it, they remain missing.
       */
      readonly read?: Lookup['read'] | undefined;
      /**
       * For a vendor none of whose responses proves that a record is gone: whether another record can be read. Listed
       * ids are passed. Records are then removed only if this is true and two lists, at least a minute apart, lack them.
       */
      readonly controlRead?: ((source: Source, listed: ReadonlySet<string>) => Promise<boolean>) | undefined;
    };

/** A page of a sweep whose list contains whole records. They are stored, so that changes of any age are found. */
export interface SweepPage {
  /** Ids of records at the vendor. */
  readonly ids: readonly string[];
  /** Records exactly as `Replica.read` returns them. */
  readonly records: readonly StoredRecord[];
  /** Records at the vendor that are left out; they are removed from the replica unless `ids` lists them. */
  readonly failed?: readonly Failure[] | undefined;
}

/** How records are read by id. */
export interface Lookup {
  /** Ids of this entity's records that a write has created, changed or deleted. */
  readonly ids: (write: Write) => readonly string[];
  /** Reads records exactly as `Replica.read` does, omitting those that are deleted or do not belong in the replica. */
  readonly read: (source: Source, ids: readonly string[]) => Promise<Pick<Batch, 'records' | 'failed'>>;
}

/** A write executed by the vendor. */
export interface Write {
  /** Entity of the action, not necessarily the replica's. */
  readonly entity: string;
  /** Parameters of the action. */
  readonly params: Readonly<Record<string, any>>;
  /** The action's result. */
  readonly data: any;
}

/** Context of `read`. */
export interface Source {
  /** Runs an action of the connector. */
  execute(entity: string, action: string, params: object): Promise<Result<any, any>>;
  /** Runs one of the replication's own calls. */
  call(name: string, params: object): Promise<Result<any, any>>;
  /** Parameters to add for the next page, if any. */
  following(entity: string, action: string, params: object, result: Result): object | undefined;
  /** Like `following`, for one of the replication's own calls. */
  followingCall(name: string, params: object, result: Result): object | undefined;
  /** State of the last stored batch; undefined if nothing has been read yet. */
  readonly state: Json | undefined;
  /** The connector's validated `replication_config`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Connector-specific settings, such as `includePrivate`. */
  readonly settings: Settings;
  /** Milliseconds since 1970. */
  now(): number;
  /** Records already in the replica, by id; missing ones are omitted. */
  stored(ids: readonly string[]): Promise<ReadonlyMap<string, StoredRecord>>;
  /** All ids of this entity in the replica. */
  storedIds(): AsyncIterable<string>;
  /** Ids of this entity's records in the replica whose fields have, or whose arrays contain, one of the given values. */
  storedWith(fields: Readonly<Record<string, Expected>>): AsyncIterable<string>;
  /** The id of a record of this entity in the replica. */
  idOf(record: StoredRecord): string;
  /** State shared by a connector's entities during one job, such as a list that several of them need. */
  readonly shared: Map<string, unknown>;
  /** Extracts the text of a file. Errors of its download are passed on. */
  textOf(file: SourceFile): Promise<FileText>;
  /** Aborts the read. */
  readonly signal: AbortSignal;
}

/** A file at the vendor. */
export interface SourceFile {
  /** The declared type; the file's content decides if it contradicts it. */
  readonly mimeType: string;
  /** The name, with its extension if there is one. */
  readonly name: string;
  /** Size in bytes, if known: files that are too large are not downloaded. */
  readonly size?: number | undefined;
  /** Downloads the file; the stream may be cancelled once its beginning shows that it has no text. */
  readonly download: () => Promise<ReadableStream<Uint8Array>>;
}

/** What became of a file's text. */
export interface FileText {
  /** The text; null if it was not read. */
  readonly text: string | null;
  /** Whether all, a part, or none of the text was read, or the file has no text. */
  readonly state: 'read' | 'partial' | 'not_read' | 'empty';
  /** Why the text was not read, or only partly. */
  readonly cause?: TextCause | undefined;
  /** What is missing, in a sentence. */
  readonly detail?: string | undefined;
  /** Whether nobody expects text of this file, for example of an image. */
  readonly permanent?: true | undefined;
}

/**
 * Why a file's text is missing: its format is not supported, it needs a password, it exceeds a limit, it is damaged, its
 * encoding is unknown, it could not be downloaded, or it is hidden by the file's author.
 */
export type TextCause = 'format' | 'password' | 'too_large' | 'damaged' | 'encoding' | 'download' | 'hidden';

/** One of several values or a prefix. */
export type Expected =
  | readonly string[]
  | {
      /** The prefix. */
      readonly startsWith: string;
    };

/** Records stored together with the state to resume from. */
export interface Batch {
  /** Records of this batch. */
  readonly records?: readonly StoredRecord[] | undefined;
  /** Ids of records deleted at the vendor. */
  readonly removed?: readonly string[] | undefined;
  /**
   * Records that could not be read; they do not affect the others. What the replica has of them stays, unless a sweep
   * lists ids and does not list theirs.
   */
  readonly failed?: readonly Failure[] | undefined;
  /**
   * Ids that failed before and no longer do. Records that are stored or removed need not be listed, nor, at the end of
   * a run that reads everything, those that did not fail again.
   */
  readonly resolved?: readonly string[] | undefined;
  /** Where to resume once this batch is stored. */
  readonly state: Json;
  /** Progress of the run from 0 to 1, if known. */
  readonly progress?: number | undefined;
  /** Number of records that the vendor says a run that reads everything will read, if it does. */
  readonly total?: number | undefined;
}

/** A record or file that could not be read. */
export interface Failure {
  /** Id of the record. */
  readonly id: string;
  /** Why it could not be read. */
  readonly message: string;
  /** The field that is missing or incomplete, if the record is stored without it. */
  readonly field?: string | undefined;
  /** What became of a file's text, if `field` contains it; `not_read` by default. */
  readonly state?: Exclude<FileText['state'], 'read'> | undefined;
  /**
   * Why a file's text is missing or incomplete, or `private` for a record that is left out because it is private:
   * `message` then says how to include it.
   */
  readonly cause?: TextCause | 'private' | undefined;
  /** Whether nobody expects the record or text. Such records do not count as failed, nor as incomplete. */
  readonly permanent?: true | undefined;
}

/** A self-contained piece of text: a paragraph under its heading, or what one speaker said. */
export interface Segment {
  /** The text. */
  readonly text: string;
  /**
   * The manifest's attribution, such as the speaker; a passage with several pieces gets the attribution of the piece
   * that matches the prompt.
   */
  readonly attribution?: Names | undefined;
}

/** Names by key; null if there is none. */
export type Names = Readonly<Record<string, string | null>>;

/** A matching passage. */
export interface Passage {
  /** The record it belongs to. */
  readonly record: StoredRecord;
  /** Its place in the record, such as the speaker. */
  readonly attribution: Names;
}

/** Reads records of another entity of the same connector by id. */
export type Look = (entity: string, ids: readonly string[]) => Promise<ReadonlyMap<string, StoredRecord>>;
