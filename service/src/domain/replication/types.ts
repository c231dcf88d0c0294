import type {
  Batch,
  FileText,
  Json,
  Replication,
  ReplicationCalls,
  Source,
  SourceFile,
} from 'agent-connectors/replication';
import type { Metrics, Telemetry } from '../../common/telemetry.js';
import type { Collection, Store, WriteCounts } from '../../data/records/index.js';
import type { TextsOf } from '../../data/records/types.js';
import type { Claim, EntityProgress, ReplicaChanges } from '../../data/state/replication-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import type { Definitions } from '../connectors/definitions.js';
import type { Instances } from '../connectors/instances.js';
import type { MemoryBudget } from '../limits/memory.js';

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
  /** The source of an entity: the vendor, and what is already stored. */
  source(entity: string, state: Json | undefined): Source;
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
}
