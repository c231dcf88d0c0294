import { digestOf } from '../../common/canonical.js';
import type { ReplicaRow } from '../../data/state/replication-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { type Definitions, replicatedEntities } from './definitions.js';

type Configuration = Pick<ConnectorRow, 'replicationConfig' | 'settings'>;

/** Identifies the configuration that an entity's records are read with; the choice of entities is not part of it. */
export function configHashOf({ replicationConfig, settings }: Configuration): string {
  const { interval, entities, ...rest } = replicationConfig ?? {};
  return digestOf([rest, settings]);
}

/**
 * Whether all stored records were read with the connector's current configuration and credentials. After a change, this
 * is false until a sync has deleted the others.
 */
export const isCurrent = (row: Configuration, { configHash, needsReconcile }: ReplicaRow): boolean =>
  !needsReconcile && configHash === configHashOf(row);

/** Entities that are or will be replicated. */
export async function expectedEntities(row: ConnectorRow, definitions: Definitions): Promise<readonly string[]> {
  const definition = await definitions.of(row.type);
  const replication = await definition.replication();
  return replication ? replicatedEntities(row, definition, replication) : [];
}

/** Whether callers may read an entity's stored records. */
export async function isReadable(
  row: ConnectorRow,
  entity: string,
  { definitions, state }: { readonly definitions: Definitions; readonly state: Pick<State, 'replicas'> },
): Promise<boolean> {
  if (!(await expectedEntities(row, definitions)).includes(entity)) return false;
  const replica = await state.replicas.get(row.id, entity);
  // Records without a replica were imported; no sync has started yet.
  return !replica || isCurrent(row, replica);
}
