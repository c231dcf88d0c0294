import type { Inspection } from 'agent-connectors';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { Services } from '../api/route.js';

/** What the service knows of a connector beyond its description. */
export async function inspectionOf(row: ConnectorRow, { state, readiness }: Services): Promise<Inspection> {
  const hasCredentials = (await state.credentials.load(row.id)) !== undefined;
  return {
    mode: 'hosted',
    context_store_readiness: await readiness.of(row),
    warnings: hasCredentials ? [] : ['The connector has no credentials yet: nothing can be executed.'],
  };
}
