import {
  ClientChangesRequest,
  ClientResponse,
  ClientSecretResponse,
  defaultOverlapSeconds,
  list,
  type ResponseOf,
  RollClientSecretRequest,
  tokenScopes,
} from 'agent-connectors/wire';
import { instantOf } from '../../../common/moment.js';
import type { Client } from '../../../data/state/rows.js';
import { recordClientChange } from '../../../domain/audit/record-audit.js';
import { httpError, notFoundError } from '../../../domain/http-error.js';
import { type Call, type Route, route } from '../route.js';

const clientJson = ({ caller }: Call, { id, name, scopes, createdAt }: Client): ResponseOf<typeof ClientResponse> => ({
  id,
  name,
  scopes,
  created_at: createdAt,
  own: id === caller.client.id,
});

const listClients = route({
  method: 'GET',
  path: '/api/v1/clients',
  operationId: 'listClients',
  summary: 'List the organization’s clients.',
  access: 'account',
  tokenScope: 'admin',
  response: list(ClientResponse),
  async handle(call) {
    const { scope, services } = call;
    const all = await services.state.clients.list();
    const own = all.filter(({ organizationIds }) => organizationIds.includes(scope.organizationId));
    return { data: own.map((client) => clientJson(call, client)) };
  },
});

/**
 * A client that the caller is allowed to change. It must belong only to the caller's organization, because its scopes
 * and secret apply to all its organizations.
 */
export async function requireOwnClient({
  params: { id = '' },
  caller,
  scope,
  services: { state },
}: Call): Promise<Client> {
  const client = await state.clients.get(id);
  if (!client?.organizationIds.includes(scope.organizationId)) throw notFoundError(`client '${id.slice(0, 100)}'`);
  if (client.organizationIds.every((own) => caller.client.organizationIds.includes(own))) return client;
  throw httpError(403, 'forbidden', 'The client also belongs to an organization that this token cannot access.', {
    hint: 'The operator can change it on the command line.',
  });
}

const update = route({
  method: 'PUT',
  path: '/api/v1/clients/{id}',
  operationId: 'updateClient',
  summary: 'Change a client’s scopes. Existing tokens lose removed scopes immediately but do not gain new ones.',
  access: 'account',
  tokenScope: 'admin',
  body: ClientChangesRequest,
  response: ClientResponse,
  errors: [404],
  async handle(call) {
    const client = await requireOwnClient(call);
    const scopes = tokenScopes.filter((scope) => call.body.scopes.includes(scope));
    if (!(await call.services.state.clients.setScopes(client.id, scopes))) throw notFoundError(`client '${client.id}'`);
    recordClientChange(call.services.state.audit, 'client.scopes_changed', client, { scopes });
    return clientJson(call, { ...client, scopes });
  },
});

const rollSecret = route({
  method: 'POST',
  path: '/api/v1/clients/{id}/secret',
  operationId: 'rollClientSecret',
  summary: 'Replace a client’s secret; the previous one stays valid during the overlap.',
  access: 'account',
  tokenScope: 'admin',
  body: RollClientSecretRequest,
  optionalBody: true,
  response: ClientSecretResponse,
  errors: [404],
  async handle(call) {
    const client = await requireOwnClient(call);
    const { overlap_seconds: seconds = defaultOverlapSeconds } = call.body;
    const rolled = await call.services.state.clients.rollSecret(client.id, seconds * 1000);
    if (!rolled) throw notFoundError(`client '${client.id}'`);
    recordClientChange(call.services.state.audit, 'client.secret_rolled', client);
    const { secret, previousUntil } = rolled;
    return {
      client_id: client.id,
      client_secret: secret,
      previous_valid_until: instantOf(previousUntil),
    };
  },
});

/** Routes for clients, their scopes and secrets. */
export const clientRoutes: readonly Route[] = [listClients, update, rollSecret];
