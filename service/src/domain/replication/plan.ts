import type { Batch, Failure, Replication } from 'agent-connectors/replication';
import { digestOf } from '../../common/canonical.js';
import type { WriteCounts } from '../../data/records/index.js';
import type { EntityProgress } from '../../data/state/replication-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import { type Definition, replicatedEntities } from '../connectors/definitions.js';

/** What of a connector is replicated, and how often. */
export interface ReplicationPlan {
  /** In the order in which they are read. */
  readonly entities: readonly string[];
  /** Tells records that were read with one configuration from those of another. */
  readonly configHash: string;
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `replication_config.interval` where it is left out. */
export const defaultInterval = '1h';

/** How long after a run the next begins, in milliseconds. */
export function intervalOf({ replicationConfig }: Pick<ConnectorRow, 'replicationConfig'>): number {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(String(replicationConfig?.interval ?? defaultInterval)) ?? [];
  return Number(count ?? 1) * (unitMs[unit ?? 'h'] ?? 3_600_000);
}

/** Plans what a connector's configuration asks for. */
export function planOf(row: ConnectorRow, definition: Definition, replication: Replication): ReplicationPlan {
  const { interval, entities, ...rest } = row.replicationConfig ?? {};
  return {
    entities: replicatedEntities(row, definition, replication),
    configHash: digestOf([rest, row.settings]),
  };
}

/** So many of the records that could not be read are named. */
const maxNamedFailures = 20;

const maxMessageLength = 300;

const initialProgress = (entity: string): EntityProgress => ({
  ...{ entity, status: 'waiting', progress: null, failures: [], error: null },
  ...{ read: 0, inserted: 0, updated: 0, unchanged: 0, removed: 0, failed: 0 },
});

/** What a job has done so far, entity by entity. */
export class Progress {
  readonly #entities: Map<string, EntityProgress>;

  /** Goes on from what an earlier try did; what that had finished stays so. */
  constructor(entities: readonly string[], before: readonly EntityProgress[]) {
    const known = new Map(before.map((one) => [one.entity, one]));
    this.#entities = new Map(entities.map((entity) => [entity, known.get(entity) ?? initialProgress(entity)]));
  }

  get entities(): EntityProgress[] {
    return [...this.#entities.values()];
  }

  of(entity: string): EntityProgress {
    return this.#entities.get(entity) ?? initialProgress(entity);
  }

  set(entity: string, changes: Partial<EntityProgress>): void {
    this.#entities.set(entity, { ...this.of(entity), ...changes });
  }

  /** Counts what became of a batch. */
  add(entity: string, { records = [], failed = [], progress }: Batch, written: WriteCounts, removed: number): void {
    const before = this.of(entity);
    this.set(entity, {
      progress: progress ?? null,
      read: before.read + records.length,
      inserted: before.inserted + written.inserted,
      updated: before.updated + written.updated,
      unchanged: before.unchanged + written.unchanged,
      removed: before.removed + removed,
      failed: before.failed + failed.length,
      failures: [...before.failures, ...failed.map(truncateMessage)].slice(0, maxNamedFailures),
    });
  }
}

const truncateMessage = ({ id, message }: Failure): Failure => ({ id, message: message.slice(0, maxMessageLength) });
