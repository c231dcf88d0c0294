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
import { personIn } from '../../../domain/accounts/person.js';
import { recordClientChange } from '../../../domain/audit/record-audit.js';
import { httpError, notFoundError } from '../../../domain/http-error.js';
import { type Call, type Route, route } from '../route.js';

const clientJson = (
  { caller }: Call,
  { id, name, scopes, asUser, createdAt }: Client,
): ResponseOf<typeof ClientResponse> => ({
  id,
  name,
  scopes,
  as_user: asUser?.email ?? null,
  as_groups: [...(asUser?.groups ?? [])],
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
  summary:
    'Change a client’s scopes, or its user and the user’s groups. Existing tokens lose removed scopes and groups immediately but do not gain new scopes.',
  access: 'account',
  tokenScope: 'admin',
  body: ClientChangesRequest,
  response: ClientResponse,
  errors: [404],
  async handle(call) {
    const { body, services } = call;
    const { clients, audit } = services.state;
    const asUser = personIn(body);
    if (!body.scopes && !asUser) throw httpError(422, 'invalid_params', 'The body must contain scopes or as_user.');
    const client = await requireOwnClient(call);
    const { scopes: requested = client.scopes } = body;
    const scopes = tokenScopes.filter((scope) => requested.includes(scope));
    if (body.scopes) {
      if (!(await clients.setScopes(client.id, scopes))) throw notFoundError(`client '${client.id}'`);
      recordClientChange(audit, 'client.scopes_changed', client, { scopes });
    }
    if (asUser) {
      if (!(await clients.setUser(client.id, asUser))) throw notFoundError(`client '${client.id}'`);
      recordClientChange(audit, 'client.user_changed', client, asUser);
    }
    return clientJson(call, { ...client, scopes, asUser: asUser ?? client.asUser });
  },
});

const rollSecret = route({
  method: 'POST',
  path: '/api/v1/clients/{id}/secret',
  operationId: 'rollClientSecret',
  summary: 'Replace a client’s secret; the previous one stays valid during the overlap. Can end the client’s tokens.',
  access: 'account',
  tokenScope: 'admin',
  body: RollClientSecretRequest,
  optionalBody: true,
  response: ClientSecretResponse,
  errors: [404],
  async handle(call) {
    const client = await requireOwnClient(call);
    const { overlap_seconds: seconds = defaultOverlapSeconds, end_tokens: endsTokens } = call.body;
    const rolled = await call.services.state.clients.rollSecret(client.id, seconds * 1000, endsTokens);
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
