import { CheckResponse, DescribeResponse, InspectResponse } from 'agent-connectors/wire';
import { execute } from '../../../domain/calls/call.js';
import { check as checkConnector } from '../../../domain/connectors/check.js';
import { inspectionOf } from '../../../domain/connectors/inspection.js';
import { Documents } from '../document.js';
import { requireConnector } from '../handle-request.js';
import { type Route, route } from '../route.js';

const check = route({
  method: 'POST',
  path: '/api/v1/integrations/connectors/{id}/check',
  operationId: 'checkConnector',
  summary: 'Test the credentials with one cheap read.',
  access: 'organization',
  tokenScope: 'read',
  isChange: false,
  response: CheckResponse,
  errors: [404],
  async handle(call) {
    const row = await requireConnector(call);
    const { services, request } = call;
    const definition = services.definitions.of(row.type);
    const {
      probe,
      code: _,
      ...result
    } = await checkConnector(row, definition, (input) =>
      execute({ row, input, dependencies: services }, request.signal),
    );
    const { entity, action } = probe;
    return { id: row.id, ...result, entity_check_results: [{ entity, action, ...result }] };
  },
});

const inspect = route({
  method: 'GET',
  path: '/api/v1/integrations/connectors/{id}/inspect',
  operationId: 'inspectConnector',
  summary: 'Get a connector and its search readiness.',
  access: 'organization',
  tokenScope: 'read',
  forPersons: true,
  response: InspectResponse,
  errors: [404],
  async handle(call) {
    const row = await requireConnector(call);
    const definition = call.services.definitions.of(row.type);
    const { context_store_readiness, warnings, known_parameters } = await inspectionOf(row, call.services);
    return {
      connector_id: row.id,
      name: row.name,
      connector_type: row.type,
      definition_id: definition.manifest.definitionId,
      workspace_name: row.workspaceName,
      organization_id: row.organizationId,
      docs_skill_id: (await definition.docs()).id,
      identity: null,
      context_store_readiness,
      warnings,
      known_parameters,
    };
  },
});

const descriptions = new Documents<object>();

const describe = route({
  method: 'GET',
  path: '/api/v1/integrations/connectors/{id}/describe',
  operationId: 'describeConnector',
  summary: 'Describe the connector type: entities, actions, JSON Schemas for parameters and results.',
  access: 'organization',
  tokenScope: 'read',
  forPersons: true,
  response: DescribeResponse,
  errors: [404],
  async handle(call) {
    const { description } = call.services.definitions.of((await requireConnector(call)).type);
    return descriptions.respond(call.request, description, () => description);
  },
});

/** Routes that inspect a connector. */
export const inspectRoutes: readonly Route[] = [check, inspect, describe];
