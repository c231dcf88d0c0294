import type { Failure, Json } from 'agent-connectors/replication';
import type { EntityProgressResponse, Gap, ResponseOf, SyncJob } from 'agent-connectors/wire';
import type { Generated } from 'kysely';
import type { ConnectorRow, Scope } from './rows.js';

/** Replication status of an entity. */
export type ReplicaStatus = 'initializing' | 'updating' | 'ready' | 'failed';

/** Why data is missing from a replica. */
export type GapReason = Gap['reason'];

/** Records that could not be read. */
export interface Unread {
  /** The field that they are stored without; null if they are not stored. */
  readonly field: string | null;
  /** What became of the files' texts, if `field` contains them, and why; null otherwise. */
  readonly state: NonNullable<Failure['state']> | null;
  readonly cause: NonNullable<Failure['cause']> | null;
  /** Whether nobody expects the text. */
  readonly permanent: boolean;
  readonly count: number;
  /** Why one of them could not be read. */
  readonly message: string;
}

/** Replication state of an entity; times are milliseconds since 1970. */
export interface ReplicaRow {
  /** The replicated entity. */
  readonly entity: string;
  /** Status of the replica. */
  readonly status: ReplicaStatus;
  /** Hash of the configuration when the first record was read. */
  readonly configHash: string;
  /** Where to resume; undefined at the beginning. */
  readonly state: Json | undefined;
  /** Number of records. */
  readonly records: number;
  /** When the run that `state` belongs to started; null if it has finished. */
  readonly startedAt: number | null;
  /** When the last run that finished had started; null before the first one. */
  readonly syncedAt: number | null;
  /** When the vendor was last checked for deletions. */
  readonly sweptAt: number | null;
  /** Whether it may contain another account's records: the next full run deletes any that it does not see. */
  readonly needsReconcile: boolean;
  /** Why the last run failed; null if it succeeded. */
  readonly error: string | null;
  /** The kind of `error`. */
  readonly errorReason: GapReason | null;
  /** Records that could not be read. */
  readonly unread: readonly Unread[];
  /** Number of records that the vendor's last list did not contain, and that stay until another agrees; null if none. */
  readonly unlisted: number | null;
  /** By id of a record: when a list first lacked it, if the vendor has no response that proves that it is gone. */
  readonly unlistedSince: Readonly<Record<string, number>>;
  /** The fields that all records were read with, as `Store.fieldsOf` names them; null if unknown. */
  readonly fields: string | null;
}

/** A job's progress on one entity. */
export interface EntityProgress extends ResponseOf<typeof EntityProgressResponse> {}

/** A run of a connector's replication; times are milliseconds since 1970. */
export interface JobRow {
  /** Id of the job. */
  readonly id: string;
  /** The replicated connector. */
  readonly connectorId: string;
  /** Why the job was created. */
  readonly reason: SyncJob['requested'];
  /** The requested entities; null for all. */
  readonly requestedEntities: readonly string[] | null;
  /** Status of the job. */
  readonly status: SyncJob['status'];
  /** Number of attempts that failed for a transient reason. */
  readonly attempts: number;
  /** When it was created; milliseconds since 1970. */
  readonly createdAt: number;
  /** When it first started; null until then. */
  readonly startedAt: number | null;
  /** When it ended; null until then. */
  readonly finishedAt: number | null;
  /** Earliest time of the next attempt. */
  readonly nextAttemptAt: number;
  /** Progress per entity. */
  readonly entities: readonly EntityProgress[];
  /** Why the job failed; null otherwise. */
  readonly error: string | null;
}

/** A job owned by this process until its lease expires. */
export interface Claim {
  readonly job: JobRow;
  readonly row: ConnectorRow;
  readonly owner: string;
}

/** Replica fields that a job changes. */
export type ReplicaChanges = Partial<Omit<ReplicaRow, 'entity' | 'unread'>> & {
  /** By how many the number of records grows, or shrinks; unlike `records`, beside other changes of it. */
  readonly recordsAdded?: number;
};

/** How a job ended, or why it is being released. */
export type JobEnd =
  | {
      readonly status: 'done' | 'failed' | 'cancelled';
      readonly error: string | null;
      readonly nextSyncAt: number;
      /** On failure, whether the account must be reconnected. */
      readonly needsReauthorization?: boolean | undefined;
    }
  /** Any process may resume the job from this time on. */
  | {
      readonly status: 'queued';
      readonly error: string | null;
      readonly nextAttemptAt: number;
      readonly failed: boolean;
    };

/** Which jobs to list, newest first. */
export interface JobPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Replication jobs: the view for tenants, and the queue shared by processes. */
export interface Jobs {
  /**
   * Creates a job, or returns the one that is queued or running: a queued one becomes due immediately, a running one is
   * repeated when it ends. Either way, the returned job ends after reading everything requested.
   */
  request(scope: Scope, connectorId: string, entities: readonly string[] | null): Promise<JobRow | undefined>;
  /** Jobs of a connector, newest first. */
  list(
    scope: Scope,
    connectorId: string,
    page: JobPage,
  ): Promise<{
    /** The page's jobs. */
    readonly rows: JobRow[];
    /** Cursor of the next page; null at the end. */
    readonly next: string | null;
  }>;
  /** Makes what waits for a time recorded by a clock that was ahead, and has been set back since, due now. */
  forgetFuture(): Promise<void>;
  /** Creates jobs for due connectors of these types that have credentials. */
  plan(types: readonly string[], limit: number): Promise<number>;
  /**
   * Claims a free job, along with its connector's current state.
   *
   * Organizations take turns: the one with the fewest running jobs goes first, with its oldest job.
   */
  claim(types: readonly string[], exceptOrganizations?: readonly string[]): Promise<Claim | undefined>;
  /** Extends the lease; false if the job was lost or its connector changed. */
  renewLease(claim: Claim): Promise<boolean>;
  /** Stores a job's progress and its replica changes (null deletes the replica); false if the job was lost. */
  checkpoint(
    claim: Claim,
    entities: readonly EntityProgress[],
    replica?: { readonly entity: string; readonly changes: ReplicaChanges | null },
  ): Promise<boolean>;
  /** Ends or releases a job; false if it was lost. */
  end(claim: Claim, end: JobEnd): Promise<boolean>;
}

/**
 * Whether a written record still has to be read back, has been stored, or could not be read and remains outdated until
 * the next replication.
 */
export type WrittenStatus = 'pending' | 'stored' | 'failed';

/** Ids of writes by the record that they changed; each write has another one. */
export type WriteIds = ReadonlyMap<string, string>;

/** A written record that may be outdated. */
export interface UnstoredRecord {
  readonly entity: string;
  readonly id: string;
  readonly writeId: string;
  readonly status: Exclude<WrittenStatus, 'stored'>;
}

/** Identifies a connector. */
export interface ConnectorKey {
  readonly id: string;
  readonly organizationId: string;
}

/** Records of an entity that a write has created, changed or deleted. */
export interface WrittenRecords {
  readonly connectorId: string;
  readonly entity: string;
  readonly ids: readonly string[];
}

/** Replication state of each entity in the database. */
export interface Replicas {
  /** Replicas of a connector. */
  list(connectorId: string): Promise<ReplicaRow[]>;
  /** The replica of one entity, if it exists. */
  get(connectorId: string, entity: string): Promise<ReplicaRow | undefined>;
  /**
   * Marks records written through the service, which a running replication may not have seen yet; this process reads
   * them back. Records of entities without a replica are not marked.
   */
  markWritten(connectorId: string, entity: string, ids: readonly string[]): Promise<void>;
  /** Unconfirmed writes to these records, by record. */
  written(connectorId: string, entity: string, ids: readonly string[]): Promise<WriteIds>;
  /** Unconfirmed writes to all records of an entity. */
  allWritten(connectorId: string, entity: string): Promise<WriteIds>;
  /** Records written through the service whose stored state is not known to contain the write. */
  unstored(connectorId: string): Promise<UnstoredRecord[]>;
  /** Connectors with records that a process was reading back when it ended. */
  abandoned(): Promise<ConnectorKey[]>;
  /** Notes that records were read back, or could not be; a record with a later write keeps its status. */
  noteRead(connectorId: string, entity: string, writes: WriteIds, status: WrittenStatus): Promise<void>;
  /** Replaces the ids of writes, so that a process that is reading these records back sees it. */
  replaceWrites(connectorId: string, entity: string, writes: WriteIds, writeId: string): Promise<void>;
  /** Removes the marks of writes: a later replication has read and stored their results. */
  confirmWritten(connectorId: string, entity: string, ids: readonly string[], writeId: string): Promise<void>;
  /** Ids of the records of an entity that could not be read. */
  unread(connectorId: string, entity: string): Promise<string[]>;
  /** Adds records that could not be read, and forgets others, which were read or no longer exist. */
  updateUnread(
    connectorId: string,
    entity: string,
    changes: { readonly failed?: readonly Failure[]; readonly resolved?: readonly string[] },
  ): Promise<void>;
  /** Adds to the number of an entity's records, also beside a sync; negative if some were removed. */
  addToCount(connectorId: string, entity: string, added: number): Promise<void>;
  /** Number of records in all replicas of an organization, as last reported by their jobs. */
  countRecords(organizationId: string): Promise<number>;
}

/** Limits for credentials or vendors, by name. */
export interface VendorLimitsTable {
  name: string;
  /** Space-separated sources whose syncs have failed since the last success. */
  failed_by: Generated<string>;
  /** Number of pauses since the last success. */
  failures: Generated<number>;
  /** Never before the last failure or request, so that the sweep can tell unused rows; 0 after a success. */
  paused_until: Generated<number>;
  /** Comma-separated times of the last requests. */
  sent: Generated<string>;
  /** Whether the last caller was allowed to send a request. */
  granted: Generated<number>;
}
