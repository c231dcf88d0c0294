import * as z from 'zod';
import { identifier, instant, label, list, PageQuery, page, type RequestOf } from './fields.js';

/** Events about replicated records, which endpoints get only if they name them. */
export const recordEvents: readonly string[] = ['record.created', 'record.updated', 'record.deleted'];

const eventType = z.enum([
  'connector.connected',
  'connector.needs_reauthorization',
  'connector.failing',
  'connector.recovered',
  'connector.synced',
  'connector.removed',
  'record.created',
  'record.updated',
  'record.deleted',
]);

/** Webhook event types. */
export type WebhookEventType = z.infer<typeof eventType>;

const events = z
  .array(eventType)
  .min(1)
  .max(20)
  .nullable()
  .optional()
  .describe('Event types to send; null or omitted for all except `record.…`.');

/** Body of a request to register an endpoint. */
export const NewWebhookRequest = z.strictObject({
  url: identifier(2000).describe('A public https URL.'),
  events,
  workspace_name: label.optional().describe('Only events in this workspace.'),
});

/** Options for a new endpoint. */
export interface CreateWebhook extends RequestOf<typeof NewWebhookRequest> {}

/** Body of a request to change an endpoint. */
export const WebhookChangesRequest = z.strictObject({
  url: identifier(2000).optional().describe('A public https URL.'),
  events,
  enabled: z.boolean().optional().describe('false disables it, true enables it.'),
});

/** Changes to an endpoint; undefined fields are unchanged. */
export interface UpdateWebhook extends RequestOf<typeof WebhookChangesRequest> {}

/** An endpoint. */
export const WebhookResponse = z.object({
  id: z.string().describe('Id of the endpoint.'),
  url: z.string().describe('URL of the endpoint.'),
  events: z.array(eventType).nullable().describe('Subscribed events; null for all except `record.…`.'),
  workspace_name: z.string().nullable().describe('Null for all workspaces.'),
  enabled: z.boolean().describe('Whether messages are sent.'),
  disabled_reason: z.string().nullable().describe('Why messages are not sent; null otherwise.'),
  failing_since: instant.nullable().describe('When the current series of failures started.'),
  created_at: instant.describe('When it was created; ISO 8601.'),
});

/** A webhook endpoint. */
export interface Webhook extends z.infer<typeof WebhookResponse> {}

/** Endpoints. */
export const WebhooksResponse = list(WebhookResponse);

const secret = z.string().describe('Shown only once; in Standard Webhooks format (whsec_ and base64).');

/** A new endpoint. */
export const NewWebhookResponse = WebhookResponse.extend({ secret });

/** A new endpoint. */
export interface CreatedWebhook extends z.infer<typeof NewWebhookResponse> {}

/** An endpoint's new secret. */
export const WebhookSecretResponse = z.object({
  secret,
  id: z.string().describe('Id of the endpoint.'),
  previous_valid_until: instant
    .nullable()
    .describe('Until then, messages are also signed with the previous secret; null if they no longer are.'),
});

/** Result of replacing a secret. */
export interface RolledSecret extends z.infer<typeof WebhookSecretResponse> {}

const deliveryStatus = z.enum(['waiting', 'pending', 'delivered', 'failed']);

/** Status of a message; `waiting` is queued behind an earlier one for the same connector. */
export type DeliveryStatus = z.infer<typeof deliveryStatus>;

/** A message to an endpoint. */
export const DeliveryResponse = z.object({
  id: z.string().describe('The webhook-id header; the same for every attempt.'),
  webhook_id: z.string().describe('Id of the endpoint.'),
  connector_id: z.string().nullable().describe('Null for a test.'),
  event: z.string().describe('Type of the event.'),
  status: deliveryStatus.describe('waiting: queued behind an earlier message for the same connector.'),
  attempts: z.int().describe('Number of attempts.'),
  created_at: instant.describe('When it was created; ISO 8601.'),
  next_attempt_at: instant.nullable().describe('When the next attempt is due; null if there is none.'),
  finished_at: instant.nullable().describe('When it was delivered or abandoned; null until then.'),
  response_status: z.int().nullable().describe('Status of the last response; null if there was none.'),
  error: z.string().nullable().describe('Why the last attempt failed; null otherwise.'),
});

/** One message to an endpoint. */
export interface WebhookDelivery extends z.infer<typeof DeliveryResponse> {}

/** Query parameters for listing messages. */
export const DeliveriesQuery = z.strictObject({
  status: deliveryStatus.optional().describe('Only messages with this status.'),
  ...PageQuery.shape,
});

/** Filters for messages. */
export interface ListDeliveries extends RequestOf<typeof DeliveriesQuery> {}

/** A page of messages. */
export const DeliveriesResponse = page(DeliveryResponse);
