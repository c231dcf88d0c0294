import * as z from 'zod';
import { type Client, tokenScopes } from '../../../data/state/rows.js';
import { defaultOverlapSeconds, maxOverlapSeconds } from '../../../domain/accounts/secrets.js';
import { recordClientChange } from '../../../domain/audit/record-audit.js';
import { httpError, notFoundError } from '../../../domain/http-error.js';
import { type Call, type Route, route } from '../route.js';
import { instant } from '../schemas.js';

const ClientResponse = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(tokenScopes)),
  created_at: instant,
  own: z.boolean().describe('Whether it is the caller’s own.'),
});

const clientJson = ({ caller }: Call, { id, name, scopes, createdAt }: Client) => ({
  ...{ id, name, scopes, created_at: createdAt, own: id === caller.client.id },
});

const list = route({
  method: 'GET',
  path: '/api/v1/clients',
  operationId: 'listClients',
  summary: 'The clients of the organization.',
  access: 'account',
  tokenScope: 'admin',
  response: z.object({ data: z.array(ClientResponse) }),
  async handle(call) {
    const { scope, services } = call;
    const all = await services.state.clients.list();
    const own = all.filter(({ organizationIds }) => organizationIds.includes(scope.organizationId));
    return { data: own.map((client) => clientJson(call, client)) };
  },
});

/** A client that the caller may change: of no organization but the caller's own, which its scopes and its secret are good for too. */
export async function requireOwnClient({
  params: { id = '' },
  caller,
  scope,
  services: { state },
}: Call): Promise<Client> {
  const client = await state.clients.get(id);
  if (!client?.organizationIds.includes(scope.organizationId)) throw notFoundError(`client '${id.slice(0, 100)}'`);
  if (client.organizationIds.every((own) => caller.client.organizationIds.includes(own))) return client;
  throw httpError(403, 'forbidden', 'The client also has an organization that this token does not reach.', {
    hint: 'Whoever runs the service can change it by the command line.',
  });
}

const update = route({
  method: 'PUT',
  path: '/api/v1/clients/{id}',
  operationId: 'updateClient',
  summary: 'Change what a client may do. Tokens that it has lose a scope at their next request, and gain none.',
  access: 'account',
  tokenScope: 'admin',
  body: z.strictObject({ scopes: z.array(z.enum(tokenScopes)).min(1).max(20) }),
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

/** Body of a request that replaces a secret. */
export const overlap = (more: string) =>
  z.strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(maxOverlapSeconds)
      .optional()
      .describe(
        `How long the secret before stays good, at most ${maxOverlapSeconds}; ${defaultOverlapSeconds} when left out. ${more}`,
      ),
  });

const rollSecret = route({
  method: 'POST',
  path: '/api/v1/clients/{id}/secret',
  operationId: 'rollClientSecret',
  summary: 'Replace the secret of a client; the one before stays good for the overlap.',
  access: 'account',
  tokenScope: 'admin',
  body: overlap('0 ends it at once, and the client’s sessions of the console.'),
  optionalBody: true,
  response: z.object({
    client_id: z.string(),
    client_secret: z.string().describe('Shown this once.'),
    previous_valid_until: instant.nullable().describe('Null where the secret before has ended.'),
  }),
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
      previous_valid_until: previousUntil === null ? null : new Date(previousUntil).toISOString(),
    };
  },
});

/** Clients of an organization: what they may do, and their secrets. */
export const clientRoutes: readonly Route[] = [list, update, rollSecret];
