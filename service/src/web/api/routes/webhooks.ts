import { ConnectorError } from 'agent-connectors';
import {
  DeletedResponse,
  DeliveriesQuery,
  DeliveriesResponse,
  DeliveryResponse,
  defaultOverlapSeconds,
  NewWebhookRequest,
  NewWebhookResponse,
  type ResponseOf,
  RollWebhookSecretRequest,
  WebhookChangesRequest,
  WebhookResponse,
  WebhookSecretResponse,
  WebhooksResponse,
} from 'agent-connectors/wire';
import { instantOf } from '../../../common/moment.js';
import type { DeliveryRow, WebhookRow } from '../../../data/state/webhooks/types.js';
import { recordChange } from '../../../domain/audit/record-audit.js';
import { requireTokenScope } from '../../../domain/connectors/gate.js';
import { fieldError, notFoundError } from '../../../domain/http-error.js';
import { invalidError } from '../input.js';
import { pageOf } from '../paging.js';
import { type Call, type Route, route } from '../route.js';

const path = '/api/v1/webhooks';

const webhookJson = (row: WebhookRow): ResponseOf<typeof WebhookResponse> => ({
  id: row.id,
  url: row.url,
  events: row.events,
  workspace_name: row.workspaceName,
  enabled: row.disabled === null,
  disabled_reason: row.disabled,
  failing_since: instantOf(row.failingSince),
  created_at: instantOf(row.createdAt),
});

const deliveryJson = (row: DeliveryRow): ResponseOf<typeof DeliveryResponse> => ({
  id: row.id,
  webhook_id: row.webhookId,
  connector_id: row.connectorId,
  event: row.event,
  status: row.status,
  attempts: row.attempts,
  created_at: instantOf(row.createdAt),
  next_attempt_at: instantOf(row.nextAttemptAt),
  finished_at: instantOf(row.finishedAt),
  response_status: row.responseStatus,
  error: row.error,
});

const missing = (id = '') => notFoundError(`webhook '${id.slice(0, 100)}'`);

async function checkUrl(text: string, { webhooks }: Call['services']): Promise<void> {
  const refuse = (message: string, hint?: string) => invalidError('The body', [fieldError('url', message)], hint);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw refuse('must be an https URL without credentials');
  }
  await webhooks.checkUrl(url).catch((error: unknown) => {
    throw ConnectorError.is(error) ? refuse(`is rejected: ${error.message.replace(/\.$/, '')}`, error.hint) : error;
  });
}

const record = ({ scope, services }: Call, event: string, subject: string): void =>
  recordChange(services.state.audit, { event, ...scope, subject });

/** Record events tell about records, as a search does. */
function requireRecordScope({ caller }: Pick<Call, 'caller'>, events: readonly string[] | null | undefined): void {
  if (events?.some((event) => event.startsWith('record.'))) requireTokenScope(caller.scopes, 'read');
}

const create = route({
  method: 'POST',
  path,
  operationId: 'createWebhook',
  summary: 'Register an endpoint for connector events, which are signed per Standard Webhooks.',
  access: 'account',
  tokenScope: 'manage',
  body: NewWebhookRequest,
  response: NewWebhookResponse,
  errors: [404, 409],
  async handle(call) {
    const { body, scope, services } = call;
    const { state } = services;
    requireRecordScope(call, body.events);
    await checkUrl(body.url, services);
    const { workspace_name: name } = body;
    const workspace = name === undefined ? undefined : await state.workspaces.find(scope, name);
    if (name !== undefined && !workspace) throw notFoundError(`workspace '${name}'`);
    const { url, events: wanted = null } = body;
    const workspaceId = workspace?.id ?? null;
    const { row, secret } = await state.webhooks.create(scope, { url, events: wanted, workspaceId });
    record(call, 'webhook.created', row.id);
    return { ...webhookJson(row), secret };
  },
});

const list = route({
  method: 'GET',
  path,
  operationId: 'listWebhooks',
  summary: 'List the organization’s endpoints.',
  access: 'account',
  tokenScope: 'manage',
  response: WebhooksResponse,
  handle: async ({ scope, services }) => ({ data: (await services.state.webhooks.list(scope)).map(webhookJson) }),
});

const get = route({
  method: 'GET',
  path: `${path}/{id}`,
  operationId: 'getWebhook',
  summary: 'Get an endpoint.',
  access: 'account',
  tokenScope: 'manage',
  response: WebhookResponse,
  errors: [404],
  async handle({ params: { id = '' }, scope, services }) {
    const row = await services.state.webhooks.get(scope, id);
    if (!row) throw missing(id);
    return webhookJson(row);
  },
});

const update = route({
  method: 'PUT',
  path: `${path}/{id}`,
  operationId: 'updateWebhook',
  summary: 'Update or re-enable an endpoint. Omitted fields are unchanged.',
  access: 'account',
  tokenScope: 'manage',
  body: WebhookChangesRequest,
  response: WebhookResponse,
  errors: [404],
  async handle(call) {
    const { body, params, scope, services } = call;
    const { id = '' } = params;
    const { url, events: wanted, enabled } = body;
    if (url !== undefined) await checkUrl(url, services);
    requireRecordScope(call, wanted);
    const disabled = enabled === undefined ? undefined : enabled ? null : 'Disabled by a client.';
    const row = await services.state.webhooks.update(scope, id, { url, events: wanted, disabled });
    if (!row) throw missing(id);
    record(call, 'webhook.changed', id);
    services.webhooks.wake();
    return webhookJson(row);
  },
});

const remove = route({
  method: 'DELETE',
  path: `${path}/{id}`,
  operationId: 'deleteWebhook',
  summary: 'Delete an endpoint and its pending deliveries.',
  access: 'account',
  tokenScope: 'manage',
  response: DeletedResponse,
  errors: [404],
  async handle(call) {
    const { id = '' } = call.params;
    if (!(await call.services.state.webhooks.delete(call.scope, id))) throw missing(id);
    record(call, 'webhook.deleted', id);
    return { id, deleted: true };
  },
});

const rollSecret = route({
  method: 'POST',
  path: `${path}/{id}/secret`,
  operationId: 'rollWebhookSecret',
  summary: 'Replace an endpoint’s secret.',
  access: 'account',
  tokenScope: 'manage',
  body: RollWebhookSecretRequest,
  optionalBody: true,
  response: WebhookSecretResponse,
  errors: [404],
  async handle(call) {
    const { id = '' } = call.params;
    const { overlap_seconds: seconds = defaultOverlapSeconds } = call.body;
    const rolled = await call.services.state.webhooks.rollSecret(call.scope, id, seconds * 1000);
    if (!rolled) throw missing(id);
    record(call, 'webhook.secret_rolled', id);
    return { id, secret: rolled.secret, previous_valid_until: instantOf(rolled.previousUntil) };
  },
});

const sendTest = route({
  method: 'POST',
  path: `${path}/{id}/test`,
  operationId: 'testWebhook',
  summary: 'Send a webhook.test event to an endpoint.',
  access: 'account',
  tokenScope: 'manage',
  response: DeliveryResponse,
  errors: [404, 409],
  async handle({ params: { id = '' }, scope, services }) {
    const delivery = await services.state.webhooks.sendTest(scope, id);
    if (!delivery) throw missing(id);
    services.webhooks.wake();
    return deliveryJson(delivery);
  },
});

const deliveries = route({
  method: 'GET',
  path: `${path}/{id}/deliveries`,
  operationId: 'listWebhookDeliveries',
  summary: 'List deliveries to an endpoint, pending or from the last 30 days, newest first.',
  access: 'account',
  tokenScope: 'manage',
  query: DeliveriesQuery,
  response: DeliveriesResponse,
  errors: [404],
  async handle({ params: { id = '' }, query: { status, limit = 100, cursor }, scope, services }) {
    const { webhooks } = services.state;
    if (!(await webhooks.get(scope, id))) throw missing(id);
    const { rows, next } = await pageOf(webhooks.deliveries(scope, id, { status, limit, cursor }));
    return { data: rows.map(deliveryJson), next };
  },
});

const replay = route({
  method: 'POST',
  path: `${path}/{id}/deliveries/{delivery_id}/replay`,
  operationId: 'replayWebhookDelivery',
  summary: 'Resend a message with the same id, or send it now if it is waiting for its next attempt.',
  access: 'account',
  tokenScope: 'manage',
  response: DeliveryResponse,
  errors: [404],
  async handle(call) {
    const { params, scope, services } = call;
    const { id = '', delivery_id = '' } = params;
    const delivery = await services.state.webhooks.replay(scope, id, delivery_id);
    if (!delivery) throw notFoundError(`delivery '${delivery_id.slice(0, 100)}'`);
    record(call, 'webhook.replayed', id);
    services.webhooks.wake();
    return deliveryJson(delivery);
  },
});

/** Routes for webhook endpoints. */
export const webhookRoutes: readonly Route[] = [
  create,
  list,
  get,
  update,
  remove,
  rollSecret,
  sendTest,
  deliveries,
  replay,
];
