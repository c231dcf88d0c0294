import { ChangesQuery, ChangesResponse } from 'agent-connectors/wire';
import { changesOf } from '../../../domain/connectors/changes.js';
import { requireConnector } from '../handle-request.js';
import { type Route, route } from '../route.js';

const changes = route({
  method: 'GET',
  path: '/api/v1/integrations/connectors/{id}/changes',
  operationId: 'listChanges',
  summary: 'Read the changes of an entity’s replicated records since a cursor, oldest first.',
  access: 'organization',
  tokenScope: 'read',
  forPersons: true,
  query: ChangesQuery,
  response: ChangesResponse,
  errors: [404, 410],
  handle: async (call) => changesOf(await requireConnector(call), call.query, call.services),
});

/** Routes of change feeds. */
export const changeRoutes: readonly Route[] = [changes];
