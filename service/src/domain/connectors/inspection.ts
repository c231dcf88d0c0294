import type { Inspection } from 'agent-connectors';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { recordChange } from '../audit/record-audit.js';
import type { Gate } from './gate.js';
import type { Readiness } from './readiness.js';

/** What an inspection is made with. */
export interface InspectionDependencies {
  readonly state: State;
  readonly gate: Gate;
  readonly readiness: Readiness;
}

/** What the service knows of a connector beyond its description; nothing of entities that policies keep from being searched. */
export async function inspectionOf(
  row: ConnectorRow,
  { state, gate, readiness }: InspectionDependencies,
): Promise<Inspection> {
  const hasCredentials = (await state.credentials.load(row.id)) !== undefined;
  const { entities } = await readiness.of(row);
  const names = entities.map(({ entity }) => entity);
  const allowed = await gate.allowedEntities(row, names, 'context_store_search');
  recordChange(state.audit, { event: 'connector.inspected', organizationId: row.organizationId, row });
  return {
    mode: 'hosted',
    context_store_readiness: { entities: entities.filter(({ entity }) => allowed.includes(entity)) },
    warnings: hasCredentials ? [] : ['The connector has no credentials yet: PUT some, or nothing can be executed.'],
  };
}
