import type {
  Batch,
  FileText,
  Json,
  Replica,
  Replication,
  ReplicationCalls,
  Source,
  SourceFile,
} from 'agent-connectors/replication';
import type { Metrics, Telemetry } from '../../common/telemetry.js';
import type { Collection, Store, WriteCounts } from '../../data/records/index.js';
import type { TextsOf } from '../../data/records/types.js';
import type { Claim, EntityProgress, ReplicaChanges, WriteIds } from '../../data/state/replication-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import type { Definitions } from '../connectors/definitions.js';
import type { Instances } from '../connectors/instances.js';
import type { MemoryBudget } from '../limits/memory.js';
import type { StorageFullError } from './faults.js';

/** Dependencies for reading records. */
export interface ReadingDependencies {
  readonly state: State;
  readonly definitions: Definitions;
  readonly store: Store;
  readonly instances: Instances;
  /** Budget for what reads hold in memory. */
  readonly memory: MemoryBudget;
  /** Record quota per organization; 0 for no limit. */
  readonly recordsPerOrganization: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Extracts text from files; organizations take turns. */
  readonly textOf: (file: SourceFile, organizationId: string) => Promise<FileText>;
  /** Called after every stored batch. */
  readonly onStored: (() => void) | undefined;
  /** Reports failures with the id of the job or request, and what else identifies them. */
  readonly report: (error: unknown, id: string, details?: object) => void;
}

/** Dependencies of jobs. */
export interface JobDependencies extends ReadingDependencies {
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
  /** Waits; meanwhile, another job may use this job's slot. */
  readonly pause: (ms: number) => Promise<void>;
}

/** A connector opened for reading. */
export interface Reading {
  readonly row: ConnectorRow;
  readonly dependencies: ReadingDependencies;
  readonly replication: Replication;
  readonly calls: ReplicationCalls;
  readonly signal: AbortSignal;
  /** State shared by the connector's entities. */
  readonly shared: Map<string, unknown>;
  /** The source of an entity: the vendor, until `ended` is aborted, and what is already stored. */
  source(entity: string, state: Json | undefined, ended?: AbortSignal): Source;
  collection(entity: string): Collection;
  /** Splits the semantic texts of an entity's records. */
  texts(entity: string): TextsOf;
}

/** What to replicate from a connector, and how often. */
export interface ReplicationPlan {
  /** In reading order. */
  readonly entities: readonly string[];
  /** Identifies the configuration that records were read with. */
  readonly configHash: string;
}

/** A job's progress by entity. */
export interface Progress {
  readonly entities: EntityProgress[];
  of(entity: string): EntityProgress;
  set(entity: string, changes: Partial<EntityProgress>): void;
  /** Counts the outcome of a batch. */
  add(entity: string, batch: Batch, written: WriteCounts, removed: number): void;
}

/** A running job: its dependencies and progress. */
export interface Job extends Reading {
  readonly claim: Claim;
  readonly dependencies: JobDependencies;
  readonly plan: ReplicationPlan;
  readonly progress: Progress;
  /** Throws if this process must no longer write for the job. */
  requireClaim(): Promise<void>;
  /** Stores the progress of an entity's replica and changes to it; null deletes the replica. */
  save(entity: string, changes: ReplicaChanges | null): Promise<void>;
  /** Runs a part of the job, and retries it after a delay while the vendor rate-limits it. */
  withBackoff(work: () => Promise<void>): Promise<void>;
}

/** One replication run for an entity: its position and what it tracks besides the records. */
export interface EntityRun {
  readonly job: Job;
  readonly entity: string;
  readonly replica: Replica;
  /** Milliseconds since 1970. The vendor's changes until then are in the replica once the run is done. */
  readonly startedAt: number;
  /** Where to resume; advances with each stored batch. */
  state: Json | undefined;
  /** Whether it started from the beginning. */
  readonly isFullRead: boolean;
  /** Ids seen at the vendor, if the run detects deletions. */
  readonly seenIds: Set<string> | undefined;
  /** Records written through the service before the run, each with the id of its last write. */
  readonly written: WriteIds;
  /** Replaces the ids of those writes once their results have been read. */
  readonly readId: string;
  /** Records that this run could not read. */
  readonly failedIds: Set<string>;
  /** Unreadable records that the job has counted, in this run or before it repeated or resumed the entity. */
  readonly countedIds: Set<string>;
  /** Whether records that could not be read are known, so that reading them is news. */
  hasUnread: boolean;
  /** Set once records do not fit into the organization's quota. From then on, the position is not saved. */
  storageFull?: StorageFullError;
  /** Number of records deleted by this run. */
  removed: number;
}
