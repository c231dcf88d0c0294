import type { Inspection } from 'agent-connectors';
import { knownParameters } from 'agent-connectors/setup';
import type { ConnectorInspection } from 'agent-connectors/wire';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { currentActor, recordChange } from '../audit/record-audit.js';
import type { StorageLimits } from '../limits/storage.js';
import type { Definitions } from './definitions.js';
import type { Gate } from './gate.js';
import type { Readiness } from './readiness.js';

/** Dependencies of an inspection. */
export interface InspectionDependencies {
  readonly state: State;
  readonly gate: Gate;
  readonly readiness: Readiness;
  readonly storage: StorageLimits;
  readonly definitions: Pick<Definitions, 'of'>;
}

/**
 * What the service knows about a connector beyond its description, omitting entities that policies exclude from search.
 */
export async function inspectionOf(
  row: ConnectorRow,
  { state, gate, readiness, storage, definitions }: InspectionDependencies,
): Promise<Inspection & Pick<ConnectorInspection, 'context_store_readiness'>> {
  const { clientId } = currentActor() ?? {};
  if (clientId !== undefined) await storage.admitChange({ clientId, organizationId: row.organizationId });
  const hasCredentials = (await state.credentials.load(row.id)) !== undefined;
  const { entities } = await readiness.of(row);
  const names = entities.map(({ entity }) => entity);
  const allowed = await gate.allowedEntities(row, names, 'context_store_search');
  const { manifest } = definitions.of(row.type);
  const { setup = {} } = (await manifest.setup?.()) ?? {};
  const known_parameters = knownParameters(setup, { config: row.replicationConfig });
  recordChange(state.audit, { event: 'connector.inspected', organizationId: row.organizationId, row });
  return {
    mode: 'hosted',
    context_store_readiness: { entities: entities.filter(({ entity }) => allowed.includes(entity)) },
    warnings: hasCredentials ? [] : ['The connector has no credentials yet: PUT them before you execute actions.'],
    ...(Object.keys(known_parameters).length > 0 && { known_parameters }),
  };
}
