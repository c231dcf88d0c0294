import type { Inspection } from 'agent-connectors';
import type { Definition } from './definitions.js';

/** How ready each searchable entity of a type is: nothing is replicated yet. */
export const readinessOf = ({ description }: Definition): NonNullable<Inspection['context_store_readiness']> => ({
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
});
