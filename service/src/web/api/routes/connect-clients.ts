import * as z from 'zod';
import { defaultOverlapSeconds } from '../../../domain/accounts/secrets.js';
import { recordChange } from '../../../domain/audit/record-audit.js';
import { fieldError } from '../../../domain/http-error.js';
import { identifier, invalidError } from '../input.js';
import { isReturnOrigin } from '../return-url.js';
import { type Route, route } from '../route.js';
import { instant } from '../schemas.js';
import { overlap, requireOwnClient } from './clients.js';

const path = '/api/v1/clients/{id}/connect';

const SettingsResponse = z.object({
  return_origins: z.array(z.string()),
  has_key: z.boolean().describe('Whether the client has a signing key.'),
});

const get = route({
  method: 'GET',
  path,
  operationId: 'getConnectSettings',
  summary: 'Get the allowed return origins for a client’s connect sessions.',
  access: 'account',
  tokenScope: 'admin',
  response: SettingsResponse,
  errors: [404],
  async handle(call) {
    const { id } = await requireOwnClient(call);
    const { connectClients } = call.services.state;
    return {
      return_origins: await connectClients.origins(call.scope, id),
      has_key: (await connectClients.keys(call.scope, id)).length > 0,
    };
  },
});

const put = route({
  method: 'PUT',
  path,
  operationId: 'putConnectSettings',
  summary: 'Set the allowed return origins for a client’s connect sessions.',
  access: 'account',
  tokenScope: 'admin',
  body: z.strictObject({
    return_origins: z
      .array(identifier(300))
      .max(20)
      .describe('Exact origins, such as https://app.example.com; http only on localhost.'),
  }),
  response: SettingsResponse,
  errors: [404],
  async handle(call) {
    const client = await requireOwnClient(call);
    const { scope, body } = call;
    const { connectClients, audit } = call.services.state;
    const faults = body.return_origins.flatMap((origin, index) =>
      isReturnOrigin(origin)
        ? []
        : [fieldError(`return_origins.${index}`, 'must be an origin such as https://app.example.com')],
    );
    if (faults.length > 0) throw invalidError('The body', faults);
    const origins = [...new Set(body.return_origins)];
    await connectClients.setOrigins(scope, client.id, origins);
    recordChange(audit, { event: 'connect.origins_changed', ...scope, subject: client.id, params: { origins } });
    return { return_origins: origins, has_key: (await connectClients.keys(scope, client.id)).length > 0 };
  },
});

const rollKey = route({
  method: 'POST',
  path: `${path}/key`,
  operationId: 'rollConnectKey',
  summary: 'Create or replace the key that signs connect results.',
  access: 'account',
  tokenScope: 'admin',
  body: overlap('Until then, results are signed with both keys.'),
  optionalBody: true,
  response: z.object({
    client_id: z.string(),
    key: z.string().describe('Shown only once.'),
    previous_valid_until: instant.nullable().describe('Null if no previous key is valid.'),
  }),
  errors: [404],
  async handle(call) {
    const client = await requireOwnClient(call);
    const { overlap_seconds: seconds = defaultOverlapSeconds } = call.body;
    const { connectClients, audit } = call.services.state;
    const { key, previousUntil } = await connectClients.rollKey(call.scope, client.id, seconds * 1000);
    recordChange(audit, { event: 'connect.key_rolled', ...call.scope, subject: client.id });
    const previous_valid_until = previousUntil === null ? null : new Date(previousUntil).toISOString();
    return { client_id: client.id, key, previous_valid_until };
  },
});

/** Routes for clients' connect session settings. */
export const connectClientRoutes: readonly Route[] = [get, put, rollKey];
