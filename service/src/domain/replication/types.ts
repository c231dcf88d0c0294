import type { Batch, Replication, ReplicationCalls, Source } from 'agent-connectors/replication';
import type { Metrics, Telemetry } from '../../common/telemetry.js';
import type { Collection, Store, WriteCounts } from '../../data/records/index.js';
import type { TextsOf } from '../../data/records/types.js';
import type { Claim, EntityProgress, ReplicaChanges } from '../../data/state/replication-types.js';
import type { State } from '../../data/state/types.js';
import type { Definitions } from '../connectors/definitions.js';
import type { Instances } from '../connectors/instances.js';

/** What jobs are carried out with. */
export interface JobDependencies {
  readonly state: State;
  readonly definitions: Definitions;
  readonly store: Store;
  readonly instances: Instances;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
  /** How many records all connectors of one organization may have; 0 for any number. */
  readonly recordsPerOrganization: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly report: (error: unknown, jobId: string) => void;
  /** Waits, while another job may go on in the place of this one. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Reads files; organizations take turns. */
  readonly textOf: (...args: [...file: Parameters<Source['textOf']>, organizationId: string]) => Promise<string | null>;
  /** Told of every batch that has been stored. */
  readonly onStored: (() => void) | undefined;
}

/** What of a connector is replicated, and how often. */
export interface ReplicationPlan {
  /** In the order in which they are read. */
  readonly entities: readonly string[];
  /** Tells records that were read with one configuration from those of another. */
  readonly configHash: string;
}

/** What a job has done so far, entity by entity. */
export interface Progress {
  readonly entities: EntityProgress[];
  of(entity: string): EntityProgress;
  set(entity: string, changes: Partial<EntityProgress>): void;
  /** Counts what became of a batch. */
  add(entity: string, batch: Batch, written: WriteCounts, removed: number): void;
}

/** A job under way: what it works with, and what it has done. */
export interface Job {
  readonly claim: Claim;
  readonly dependencies: JobDependencies;
  readonly plan: ReplicationPlan;
  readonly replication: Replication;
  readonly calls: ReplicationCalls;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** What its entities share. */
  readonly shared: Map<string, unknown>;
  collection(entity: string): Collection;
  /** Cuts the texts of an entity's records that are searched by meaning. */
  texts(entity: string): TextsOf;
  /** Throws where this process must write nothing more for the job. */
  requireClaim(): Promise<void>;
  /** Stores the progress, and what has changed of an entity's replica, null where it is no more. */
  save(entity: string, changes: ReplicaChanges | null): Promise<void>;
}
