import type { Inspection } from 'agent-connectors';
import type { Definition } from '../connectors/definitions.js';

/** What the service knows of a connector beyond its description. */
export const inspectionOf = ({ description }: Definition, hasCredentials: boolean): Inspection => ({
  mode: 'hosted',
  context_store_readiness: {
    entities: description.entities.flatMap(({ name, search }) =>
      search
        ? {
            entity: name,
            status: 'not_configured' as const,
            ready_for_search: false,
            entity_count: null,
            synced_at: null,
            error: null,
            semantic: Object.keys(search.semantic).map((field) => ({ field, status: 'not_configured' })),
          }
        : [],
    ),
  },
  warnings: hasCredentials ? [] : ['The connector has no credentials yet: nothing can be executed.'],
});
