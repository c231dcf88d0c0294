import type { Failure, Json } from 'agent-connectors/replication';
import type { Generated } from 'kysely';
import type { ConnectorRow, Scope } from './rows.js';

/** How far an entity has been replicated. */
export type ReplicaStatus = 'initializing' | 'updating' | 'ready' | 'failed';

/** What is known of the replica of one entity; times are milliseconds since 1970. */
export interface ReplicaRow {
  /** Entity that is replicated. */
  readonly entity: string;
  /** How far the replica is. */
  readonly status: ReplicaStatus;
  /** What it was configured with when its first record was read. */
  readonly configHash: string;
  /** Where to go on; undefined at the beginning. */
  readonly state: Json | undefined;
  /** Records that it has. */
  readonly records: number;
  /** When a run last came to its end; null before the first has. */
  readonly syncedAt: number | null;
  /** When records were last looked for that the vendor no longer has. */
  readonly sweptAt: number | null;
  /** Whether it may hold another account's records: the next run from beginning to end takes away what it does not see. */
  readonly needsReconcile: boolean;
  /** Why the last run failed; null where it did not. */
  readonly error: string | null;
}

/** Why a job was made: nothing has been replicated yet, it was time, or somebody asked for it. */
export type JobReason = 'first' | 'interval' | 'request';

/** `queued` also while a job waits to be tried again. */
export type JobStatus = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** What a job has done for one entity. */
export interface EntityProgress {
  /** Entity that is read. */
  readonly entity: string;
  /** How far the entity is. */
  readonly status: 'waiting' | 'running' | 'done' | 'failed';
  /** From 0 to 1, where the source can tell. */
  readonly progress: number | null;
  /** Records that were read. */
  readonly read: number;
  /** Records that were new. */
  readonly inserted: number;
  /** Records that had changed. */
  readonly updated: number;
  /** Records that were as before. */
  readonly unchanged: number;
  /** Records that the vendor no longer has. */
  readonly removed: number;
  /** Records that could not be read. */
  readonly failed: number;
  /** The first of the records that could not be read. */
  readonly failures: readonly Failure[];
  /** Why the entity failed; null otherwise. */
  readonly error: string | null;
}

/** One run of a connector's replication; times are milliseconds since 1970. */
export interface JobRow {
  /** Id of the job. */
  readonly id: string;
  /** Connector whose records are read. */
  readonly connectorId: string;
  /** Why there is a job. */
  readonly reason: JobReason;
  /** The entities that were asked for; null for all. */
  readonly requestedEntities: readonly string[] | null;
  /** How far the job is. */
  readonly status: JobStatus;
  /** How often it was tried and failed for a reason that may pass. */
  readonly attempts: number;
  /** When it was made; ISO 8601. */
  readonly createdAt: number;
  /** When it was first taken up; null before. */
  readonly startedAt: number | null;
  /** When it ended; null before. */
  readonly finishedAt: number | null;
  /** Before which it is not tried again. */
  readonly notBefore: number;
  /** How far each entity is. */
  readonly entities: readonly EntityProgress[];
  /** Why the job failed; null otherwise. */
  readonly error: string | null;
}

/** A job that this process carries out, as long as its lease lasts. */
export interface Claim {
  readonly job: JobRow;
  readonly row: ConnectorRow;
  readonly owner: string;
}

/** What of a replica a job changes. */
export type ReplicaChanges = Partial<Omit<ReplicaRow, 'entity'>>;

/** How a job ended, or why it is given back. */
export type JobEnd =
  | {
      readonly status: 'done' | 'failed' | 'cancelled';
      readonly error: string | null;
      readonly nextSyncAt: number;
      /** Whether the account has to be connected again, where it failed. */
      readonly needsReauthorization?: boolean | undefined;
    }
  /** To be taken up again, by whichever process, from this time on. */
  | { readonly status: 'queued'; readonly error: string | null; readonly notBefore: number; readonly failed: boolean };

/** Which jobs to list: the newest first. */
export interface JobPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Jobs of replication: as tenants see them, and as the processes share them. */
export interface Jobs {
  /** Makes a job, or gives the one that is queued or running already, which then waits no longer. */
  request(scope: Scope, connectorId: string, entities: readonly string[] | null): Promise<JobRow | undefined>;
  /** Jobs of a connector, the newest first. */
  list(
    scope: Scope,
    connectorId: string,
    page: JobPage,
  ): Promise<{
    /** The page’s jobs. */
    readonly rows: JobRow[];
    /** Cursor of the next page; null at the end. */
    readonly next: string | null;
  }>;
  /** Makes jobs for connectors of these types whose time has come and that have credentials. */
  plan(types: readonly string[], limit: number): Promise<number>;
  /**
   * Takes one job that nobody carries out, whose connector is then given as it is now.
   *
   * Organizations take turns: the one with the fewest running jobs comes first, and of its jobs the oldest.
   */
  claim(types: readonly string[], exceptOrganizations?: readonly string[]): Promise<Claim | undefined>;
  /** Whether the job is still this process's, and its connector what it was; holds it for longer if so. */
  renewLease(claim: Claim): Promise<boolean>;
  /** Stores a step of a job and what of a replica it changed, null where that is no more; says whether the job was still held. */
  checkpoint(
    claim: Claim,
    entities: readonly EntityProgress[],
    replica?: { readonly entity: string; readonly changes: ReplicaChanges | null },
  ): Promise<boolean>;
  /** Ends a job or gives it back, if it is still held. */
  end(claim: Claim, end: JobEnd): Promise<boolean>;
}

/** Replicas by connector and entity. */
export interface Replicas {
  /** Replicas of a connector. */
  list(connectorId: string): Promise<ReplicaRow[]>;
  /** The replica of one entity, if there is one. */
  get(connectorId: string, entity: string): Promise<ReplicaRow | undefined>;
  /** Notes that records were written through the service, which a replication under way may have read before. */
  markWritten(connectorId: string, entity: string, ids: readonly string[]): Promise<void>;
  /** The records that were written and not confirmed since, by id, each with the id of its last write. */
  written(connectorId: string, entity: string): Promise<ReadonlyMap<string, string>>;
  /** Forgets these writes: a replication that began later has read what they left. */
  confirmWritten(connectorId: string, entity: string, writes: readonly string[]): Promise<void>;
  /** How many records all replicas of an organization have, as far as their jobs have noted it. */
  countRecords(organizationId: string): Promise<number>;
}

/** Of a credential or a vendor, by name. */
export interface VendorLimitsTable {
  name: string;
  /** Whose syncs have failed since the last that did not, with spaces between. */
  failed_by: Generated<string>;
  /** How often it was paused since then. */
  failures: Generated<number>;
  paused_until: Generated<number>;
  /** When the last requests were let out, with commas between. */
  sent: Generated<string>;
  /** Whether the last who asked may send. */
  granted: Generated<number>;
}
