import { ConnectorError } from '../errors/connector-error.js';
import type {
  CreatedWebhook,
  CreateWebhook,
  List,
  ListDeliveries,
  Page,
  RolledSecret,
  UpdateWebhook,
  Webhook,
  WebhookDelivery,
  WebhookEventType,
} from '../wire/index.js';
import type { ServiceRequest } from './service.js';
import { signatureMatches } from './signature.js';

/** A received event. */
export interface WebhookEvent {
  /** Type of the event, or `webhook.test`. */
  type: WebhookEventType | 'webhook.test';
  /** When the event happened; ISO 8601. */
  timestamp: string;
  /** `connector_id`, `connector_type`, `connector_name`, `workspace_name` and event-specific fields. */
  data: Record<string, unknown>;
}

type Request = <T>(request: Pick<ServiceRequest, 'method' | 'path'> & Partial<ServiceRequest>) => Promise<T>;

const pathOf = (id: string, rest = '') => `/webhooks/${encodeURIComponent(id)}${rest}`;

/** The client's methods for webhooks. */
export const webhooksOf = (request: Request) => ({
  /** Registers an endpoint; its secret is returned only here. */
  create: (webhook: CreateWebhook): Promise<CreatedWebhook> =>
    request({ method: 'POST', path: '/webhooks', json: webhook, change: 'webhooks.create' }),
  /** All of the organization's endpoints. */
  list: (): Promise<List<Webhook>> => request({ method: 'GET', path: '/webhooks', idempotent: true }),
  /** One endpoint. */
  get: (id: string): Promise<Webhook> => request({ method: 'GET', path: pathOf(id), idempotent: true }),
  /** Updates the given fields. */
  update: (id: string, changes: UpdateWebhook): Promise<Webhook> =>
    request({ method: 'PUT', path: pathOf(id), json: changes, idempotent: true, change: 'webhooks.update' }),
  /** Deletes an endpoint and its pending messages. */
  delete: async (id: string): Promise<void> => {
    await request({ method: 'DELETE', path: pathOf(id), change: 'webhooks.delete' });
  },
  /** Replaces the secret; during the overlap (a day by default), messages are also signed with the previous one. */
  rollSecret: (id: string, overlap_seconds?: number): Promise<RolledSecret> => {
    const json = overlap_seconds === undefined ? {} : { overlap_seconds };
    return request({ method: 'POST', path: pathOf(id, '/secret'), json, change: 'webhooks.rollSecret' });
  },
  /** Sends a `webhook.test` event. */
  test: (id: string): Promise<WebhookDelivery> => request({ method: 'POST', path: pathOf(id, '/test'), json: {} }),
  /** Messages from the last 30 days, newest first, page by page. */
  deliveries: (id: string, page: ListDeliveries = {}): Promise<Page<WebhookDelivery>> =>
    request({ method: 'GET', path: pathOf(id, '/deliveries'), query: { ...page }, idempotent: true }),
  /** Resends a delivered or failed message. */
  replay: (id: string, deliveryId: string): Promise<WebhookDelivery> =>
    request({ method: 'POST', path: pathOf(id, `/deliveries/${encodeURIComponent(deliveryId)}/replay`), json: {} }),
});

/** Allowed clock skew between sender and receiver, in milliseconds. */
const toleranceMs = 300_000;

/** Headers of a received request: `Headers`, or an object as in Node's `request.headers`. */
export type WebhookHeaders =
  | Pick<Headers, 'get'>
  | {
      /** Values by name, in any case. */
      readonly [name: string]: string | readonly string[] | undefined;
      /** Absent, which distinguishes an object from `Headers`. */
      readonly get?: never;
    };

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key, own]) => key.toLowerCase() === name && own !== undefined)?.[1];
  const text = typeof value === 'object' ? value?.[0] : value;
  if (text) return text;
  throw new ConnectorError('unauthorized', `The request has no ${name} header, so it is not a webhook.`);
}

/**
 * Verifies a webhook as defined by Standard Webhooks and returns its event.
 *
 * Messages arrive at least once: store each `webhook-id` and skip duplicates.
 *
 * @throws `ConnectorError` `unauthorized` if a header is missing, if it is not signed with the secret, or if its time
 *   differs from this machine's by more than five minutes.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string,
  { secret, now = Date.now() }: { secret: string | readonly string[]; now?: number | undefined },
): Promise<WebhookEvent> {
  const id = requireHeader(headers, 'webhook-id');
  const timestamp = requireHeader(headers, 'webhook-timestamp');
  const signatures = requireHeader(headers, 'webhook-signature');
  const fail = (message: string) => new ConnectorError('unauthorized', message);
  if (!/^\d{1,15}$/.test(timestamp)) throw fail('The webhook-timestamp header is not a number of seconds.');
  const ageMs = now - Number(timestamp) * 1000;
  if (ageMs > toleranceMs) throw fail('The webhook is too old.');
  if (ageMs < -toleranceMs) throw fail('The webhook is dated in the future. Check the clock of this machine.');
  const received = signatures.split(' ').flatMap((item) => (item.startsWith('v1,') ? item.slice(3) : []));
  if (await signatureMatches([secret].flat(), `${id}.${timestamp}.${body}`, received)) return JSON.parse(body);
  throw fail('The webhook is not signed with this secret.');
}
