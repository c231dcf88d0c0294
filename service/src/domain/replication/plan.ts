import type { Replication } from 'agent-connectors/replication';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { Definition } from '../connectors/definitions.js';
import { digestOf } from '../connectors/once.js';

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

/** Searchable entities of a type that can be replicated, or those of them that the configuration names. */
export function replicatedEntities(
  { replicationConfig }: Pick<ConnectorRow, 'replicationConfig'>,
  { description }: Definition,
  { entities }: Replication,
): string[] {
  const chosen = replicationConfig?.entities as readonly string[] | undefined;
  return description.entities.flatMap(({ name, search }) =>
    search && Object.hasOwn(entities, name) && (chosen?.includes(name) ?? true) ? [name] : [],
  );
}

/** Plans what a connector's configuration asks for. */
export function planOf(row: ConnectorRow, definition: Definition, replication: Replication): ReplicationPlan {
  const { interval, entities, ...rest } = row.replicationConfig ?? {};
  return {
    entities: replicatedEntities(row, definition, replication),
    configHash: digestOf([rest, row.settings]),
  };
}
