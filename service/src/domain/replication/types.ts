import type { Batch, Json, Replication, ReplicationCalls, Source } from 'agent-connectors/replication';
import type { Metrics, Telemetry } from '../../common/telemetry.js';
import type { Collection, Store, WriteCounts } from '../../data/records/index.js';
import type { TextsOf } from '../../data/records/types.js';
import type { Claim, EntityProgress, ReplicaChanges } from '../../data/state/replication-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import type { Definitions } from '../connectors/definitions.js';
import type { Instances } from '../connectors/instances.js';

/** What records are read and stored with. */
export interface ReadingDependencies {
  readonly state: State;
  readonly definitions: Definitions;
  readonly store: Store;
  readonly instances: Instances;
  /** How many records all connectors of one organization may have; 0 for any number. */
  readonly recordsPerOrganization: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Reads files; organizations take turns. */
  readonly textOf: (...args: [...file: Parameters<Source['textOf']>, organizationId: string]) => Promise<string | null>;
  /** Told of every batch that has been stored. */
  readonly onStored: (() => void) | undefined;
  /** Told of what fails, with the id of the job or request. */
  readonly report: (error: unknown, id: string) => void;
}

/** What jobs are carried out with. */
export interface JobDependencies extends ReadingDependencies {
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
  /** Waits, while another job may go on in the place of this one. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What the records of one connector are read with. */
export interface Reading {
  readonly row: ConnectorRow;
  readonly dependencies: ReadingDependencies;
  readonly replication: Replication;
  readonly calls: ReplicationCalls;
  readonly signal: AbortSignal;
  /** What its entities share. */
  readonly shared: Map<string, unknown>;
  /** What an entity is read with: the vendor, and what has been stored of it. */
  source(entity: string, state: Json | undefined): Source;
  collection(entity: string): Collection;
  /** Cuts the texts of an entity's records that are searched by meaning. */
  texts(entity: string): TextsOf;
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
export interface Job extends Reading {
  readonly claim: Claim;
  readonly dependencies: JobDependencies;
  readonly plan: ReplicationPlan;
  readonly progress: Progress;
  /** Throws where this process must write nothing more for the job. */
  requireClaim(): Promise<void>;
  /** Stores the progress, and what has changed of an entity's replica, null where it is no more. */
  save(entity: string, changes: ReplicaChanges | null): Promise<void>;
}
