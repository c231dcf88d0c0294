import type { Batch, Failure } from 'agent-connectors/replication';
import type { Written } from '../../data/records/index.js';
import type { EntityProgress } from '../../data/state/replication-types.js';

/** So many of the records that could not be read are named. */
const mostNamed = 20;
const longestMessage = 300;

const untouched = (entity: string): EntityProgress => ({
  ...{ entity, status: 'waiting', progress: null, failures: [], error: null },
  ...{ read: 0, inserted: 0, updated: 0, unchanged: 0, removed: 0, failed: 0 },
});

/** What a job has done so far, entity by entity. */
export class Progress {
  readonly #entities: Map<string, EntityProgress>;

  /** Goes on from what an earlier try did; what that had finished stays so. */
  constructor(entities: readonly string[], before: readonly EntityProgress[]) {
    const known = new Map(before.map((one) => [one.entity, one]));
    this.#entities = new Map(entities.map((entity) => [entity, known.get(entity) ?? untouched(entity)]));
  }

  get entities(): EntityProgress[] {
    return [...this.#entities.values()];
  }

  of(entity: string): EntityProgress {
    return this.#entities.get(entity) ?? untouched(entity);
  }

  set(entity: string, changes: Partial<EntityProgress>): void {
    this.#entities.set(entity, { ...this.of(entity), ...changes });
  }

  /** Counts what became of a batch. */
  add(entity: string, { records = [], failed = [], progress }: Batch, written: Written, removed: number): void {
    const before = this.of(entity);
    this.set(entity, {
      progress: progress ?? null,
      read: before.read + records.length,
      inserted: before.inserted + written.inserted,
      updated: before.updated + written.updated,
      unchanged: before.unchanged + written.unchanged,
      removed: before.removed + removed,
      failed: before.failed + failed.length,
      failures: [...before.failures, ...failed.map(shortened)].slice(0, mostNamed),
    });
  }
}

const shortened = ({ id, message }: Failure): Failure => ({ id, message: message.slice(0, longestMessage) });
