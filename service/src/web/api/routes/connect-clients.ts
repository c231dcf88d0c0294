import {
  ConnectKeyResponse,
  ConnectSettingsRequest,
  ConnectSettingsResponse,
  defaultOverlapSeconds,
  RollConnectKeyRequest,
} from 'agent-connectors/wire';
import { instantOf } from '../../../common/moment.js';
import { recordChange } from '../../../domain/audit/record-audit.js';
import { fieldError } from '../../../domain/http-error.js';
import { invalidError } from '../input.js';
import { isReturnOrigin } from '../return-url.js';
import { type Route, route } from '../route.js';
import { requireOwnClient } from './clients.js';

const path = '/api/v1/clients/{id}/connect';

const get = route({
  method: 'GET',
  path,
  operationId: 'getConnectSettings',
  summary: 'Get the allowed return origins for a client’s connect sessions.',
  access: 'account',
  tokenScope: 'admin',
  response: ConnectSettingsResponse,
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
  body: ConnectSettingsRequest,
  response: ConnectSettingsResponse,
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
  body: RollConnectKeyRequest,
  optionalBody: true,
  response: ConnectKeyResponse,
  errors: [404],
  async handle(call) {
    const client = await requireOwnClient(call);
    const { overlap_seconds: seconds = defaultOverlapSeconds } = call.body;
    const { connectClients, audit } = call.services.state;
    const { key, previousUntil } = await connectClients.rollKey(call.scope, client.id, seconds * 1000);
    recordChange(audit, { event: 'connect.key_rolled', ...call.scope, subject: client.id });
    return { client_id: client.id, key, previous_valid_until: instantOf(previousUntil) };
  },
});

/** Routes for clients' connect session settings. */
export const connectClientRoutes: readonly Route[] = [get, put, rollKey];
