import {
  ConnectorChangesRequest,
  ConnectorResponse,
  ConnectorsQuery,
  ConnectorsResponse,
  DeletedConnectorResponse,
  NewConnectorRequest,
  type ResponseOf,
} from 'agent-connectors/wire';
import { type ConnectorRow, StateConflict } from '../../../data/state/rows.js';
import { recordChange } from '../../../domain/audit/record-audit.js';
import type { Definitions } from '../../../domain/connectors/definitions.js';
import { checkCredentials } from '../../../domain/connectors/instances.js';
import { removeConnector } from '../../../domain/connectors/removal.js';
import { notFoundError } from '../../../domain/http-error.js';
import { effectiveInterval } from '../../../domain/replication/scheduler.js';
import { checkReplication, checkSettings, resolveType } from '../connector-input.js';
import { isPeerClient, requireConnector } from '../handle-request.js';
import { pageOf } from '../paging.js';
import { type Route, route } from '../route.js';

function connectorJson(row: ConnectorRow, definitions: Definitions): ResponseOf<typeof ConnectorResponse> {
  // The module that provides this type may not be loaded.
  const definition = definitions.names.includes(row.type) ? definitions.of(row.type) : undefined;
  return {
    id: row.id,
    name: row.name,
    connector_type: row.type,
    workspace_name: row.workspaceName,
    replication_config: row.replicationConfig,
    sync_interval: definition?.replication ? effectiveInterval(row, definition.replication) : null,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    status: row.health ?? 'ok',
    ...(definition?.manifest.settings && { settings: row.settings }),
  };
}

/** Tries the title, then numbered variants, until one is free. */
async function withFreeName(title: string, create: (name: string) => Promise<ConnectorRow>): Promise<ConnectorRow> {
  for (let number = 1; ; number++) {
    try {
      return await create(number === 1 ? title : `${title} ${number}`);
    } catch (error) {
      if (!(error instanceof StateConflict) || number === 100) throw error;
    }
  }
}

const create = route({
  method: 'POST',
  path: '/api/v1/integrations/connectors',
  operationId: 'createConnector',
  summary: 'Create a connector. Only the shape of the credentials is validated; nothing is sent.',
  access: 'organization',
  tokenScope: 'manage',
  body: NewConnectorRequest,
  response: ConnectorResponse,
  errors: [404, 409],
  async handle({ body, scope, services: { state, addressPolicy, engine, definitions } }) {
    const { workspace_name, name, credentials, replication_config = null, settings = {} } = body;
    const definition = definitions.of(resolveType(body, definitions)!);
    checkSettings(definition, settings);
    checkReplication(definition, replication_config);
    if (credentials) checkCredentials(definition, credentials, settings, addressPolicy);
    const workspace = await state.workspaces.find(scope, workspace_name);
    if (!workspace) throw notFoundError(`workspace '${workspace_name}'`);
    const createNamed = (unique: string) =>
      state.connectors.create(scope, {
        workspaceId: workspace.id,
        name: unique,
        type: definition.manifest.name,
        replicationConfig: replication_config,
        settings,
        credentials: credentials ?? null,
      });
    const row = await (name === undefined ? withFreeName(definition.manifest.title, createNamed) : createNamed(name));
    recordChange(state.audit, { event: 'connector.created', ...scope, row });
    engine.wake();
    return connectorJson(row, definitions);
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/integrations/connectors',
  operationId: 'listConnectors',
  summary: 'List connectors, oldest first.',
  access: 'organization',
  tokenScope: 'read',
  forPersons: true,
  query: ConnectorsQuery,
  response: ConnectorsResponse,
  errors: [404],
  async handle({ query, scope, request, services: { state, definitions } }) {
    const { workspace_name: workspaceName, limit = 100, cursor } = query;
    if (workspaceName !== undefined && !(await state.workspaces.find(scope, workspaceName))) {
      throw notFoundError(`workspace '${workspaceName}'`);
    }
    const type = resolveType(query, definitions);
    const { rows, next } = await pageOf(state.connectors.list(scope, { workspaceName, type, limit, cursor }));
    const listed = (row: ConnectorRow) => ({
      ...connectorJson(row, definitions),
      ...(isPeerClient(request) && { summarized_source_template: { name: row.type } }),
    });
    return { data: rows.map(listed), next };
  },
});

const get = route({
  method: 'GET',
  path: '/api/v1/integrations/connectors/{id}',
  operationId: 'getConnector',
  summary: 'Get a connector.',
  access: 'organization',
  tokenScope: 'read',
  forPersons: true,
  response: ConnectorResponse,
  errors: [404],
  handle: async (call) => connectorJson(await requireConnector(call), call.services.definitions),
});

const update = route({
  method: 'PUT',
  path: '/api/v1/integrations/connectors/{id}',
  operationId: 'updateConnector',
  summary: 'Update a connector. Omitted fields are unchanged; new credentials replace the old ones completely.',
  access: 'organization',
  tokenScope: 'manage',
  body: ConnectorChangesRequest,
  response: ConnectorResponse,
  errors: [404, 409],
  async handle(call) {
    const { body, scope, services } = call;
    const { state, definitions, instances, addressPolicy, engine } = services;
    const row = await requireConnector(call);
    const { name, credentials, replication_config: replicationConfig, settings } = body;
    const definition = definitions.of(row.type);
    if (settings) checkSettings(definition, settings);
    if (replicationConfig !== undefined) checkReplication(definition, replicationConfig);
    if (credentials) checkCredentials(definition, credentials, settings ?? row.settings, addressPolicy);
    const write = () => state.connectors.update(scope, row.id, { name, replicationConfig, settings, credentials });
    // Otherwise, a refresh in progress would store the old account's tokens with the new credentials.
    const updated = await (credentials ? state.credentials.alone(row.id, write) : write());
    instances.drop(row.id);
    // After the response is sent, data read with the old credentials must not be stored.
    await engine.stopConnector(row.id);
    if (!updated) throw notFoundError(`connector '${row.id}'`);
    recordChange(state.audit, { event: credentials ? 'credentials.changed' : 'connector.changed', ...scope, row });
    return connectorJson(updated, definitions);
  },
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/integrations/connectors/{id}',
  operationId: 'deleteConnector',
  summary: 'Delete a connector, its credentials and replicated records. Tokens are revoked if the vendor supports it.',
  access: 'organization',
  tokenScope: 'manage',
  response: DeletedConnectorResponse,
  errors: [404],
  async handle(call) {
    const row = await requireConnector(call);
    const { services, scope, requestId } = call;
    const report = (error: unknown) => services.report(error, requestId);
    const tokens_ended = await removeConnector(scope, row, { ...services, report });
    await services.engine.removeOrphans();
    return { id: row.id, deleted: true, tokens_ended };
  },
});

/** Routes that create, find, change and delete connectors. */
export const connectorRoutes: readonly Route[] = [create, list, get, update, remove];
