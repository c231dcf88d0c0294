import { ConnectorError } from '../errors/connector-error.js';
import type { ServiceRequest } from './service.js';
import { signatureMatches } from './signature.js';

/** Webhook event types. */
export type WebhookEventType =
  | 'connector.connected'
  | 'connector.needs_reauthorization'
  | 'connector.failing'
  | 'connector.recovered'
  | 'connector.synced'
  | 'connector.removed';

/** A webhook endpoint. */
export interface Webhook {
  /** Id of the endpoint. */
  id: string;
  /** Its URL. */
  url: string;
  /** Subscribed events; null for all. */
  events: WebhookEventType[] | null;
  /** The workspace to which events are limited; null for all workspaces. */
  workspace_name: string | null;
  /** Whether messages are sent. */
  enabled: boolean;
  /** Why messages are not sent; null otherwise. */
  disabled_reason: string | null;
  /** When the current series of failures started; ISO 8601, null if the last attempt succeeded. */
  failing_since: string | null;
  /** When it was created; ISO 8601. */
  created_at: string;
}

/** A new endpoint. */
export interface CreatedWebhook extends Webhook {
  /** Secret that signs messages; returned only here. */
  secret: string;
}

/** Options for a new endpoint. */
export interface CreateWebhook {
  /** An https URL. */
  url: string;
  /** Events to send; null or undefined for all. */
  events?: readonly WebhookEventType[] | null | undefined;
  /** Sends only this workspace's events. */
  workspace_name?: string | undefined;
}

/** Changes to an endpoint; undefined fields are unchanged. */
export interface UpdateWebhook extends Omit<Partial<CreateWebhook>, 'workspace_name'> {
  /** False disables it, true enables it. */
  enabled?: boolean | undefined;
}

/** One message to an endpoint. */
export interface WebhookDelivery {
  /** Message id, as in `webhook-id`. */
  id: string;
  /** Id of the endpoint. */
  webhook_id: string;
  /** The connector; null for a test. */
  connector_id: string | null;
  /** Type of the event. */
  event: string;
  /** `waiting` is queued behind an earlier message from the same connector. */
  status: 'waiting' | 'pending' | 'delivered' | 'failed';
  /** Number of attempts. */
  attempts: number;
  /** When it was created; ISO 8601. */
  created_at: string;
  /** When the next attempt is due; null if there is none. */
  next_attempt_at: string | null;
  /** When it was delivered or abandoned; null until then. */
  finished_at: string | null;
  /** Status of the last response; null if there was none. */
  response_status: number | null;
  /** Why the last attempt failed; null otherwise. */
  error: string | null;
}

/** A received event. */
export interface WebhookEvent {
  /** Type of the event, or `webhook.test`. */
  type: WebhookEventType | 'webhook.test';
  /** When the event happened; ISO 8601. */
  timestamp: string;
  /** `connector_id`, `connector_type`, `connector_name`, `workspace_name` and event-specific fields. */
  data: Record<string, unknown>;
}

/** Result of replacing a secret. */
export interface RolledSecret {
  /** Id of the endpoint. */
  id: string;
  /** Returned only here. */
  secret: string;
  /** Time until which messages are also signed with the previous secret; null if they no longer are. */
  previous_valid_until: string | null;
}

type Request = <T>(request: Pick<ServiceRequest, 'method' | 'path'> & Partial<ServiceRequest>) => Promise<T>;

const pathOf = (id: string, rest = '') => `/webhooks/${encodeURIComponent(id)}${rest}`;

/** The client's methods for webhooks. */
export const webhooksOf = (request: Request) => ({
  /** Registers an endpoint; its secret is returned only here. */
  create: (webhook: CreateWebhook): Promise<CreatedWebhook> =>
    request({ method: 'POST', path: '/webhooks', json: webhook, change: 'webhooks.create' }),
  /** All of the organization's endpoints. */
  list: (): Promise<{
    /** Items. */
    data: Webhook[];
  }> => request({ method: 'GET', path: '/webhooks', idempotent: true }),
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
  deliveries: (
    id: string,
    page: {
      status?: WebhookDelivery['status'] | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    } = {},
  ): Promise<{
    /** Items. */
    data: WebhookDelivery[];
    /** Cursor of the next page; null at the end. */
    next: string | null;
  }> => request({ method: 'GET', path: pathOf(id, '/deliveries'), query: { ...page }, idempotent: true }),
  /** Resends a delivered or failed message. */
  replay: (id: string, deliveryId: string): Promise<WebhookDelivery> =>
    request({ method: 'POST', path: pathOf(id, `/deliveries/${encodeURIComponent(deliveryId)}/replay`), json: {} }),
});

/** Allowed clock skew between sender and receiver, in milliseconds. */
const toleranceMs = 300_000;

/**
 * Verifies a webhook as defined by Standard Webhooks and returns its event.
 *
 * Messages arrive at least once: store each `webhook-id` and skip duplicates.
 *
 * @throws `ConnectorError` `unauthorized` if it is not signed with the secret, or is more than five minutes old.
 */
export async function verifyWebhook(
  headers: Headers,
  body: string,
  { secret, now = Date.now() }: { secret: string | readonly string[]; now?: number | undefined },
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) => headers.get(`webhook-${name}`) ?? '',
  );
  const given = signatures!.split(' ').flatMap((one) => (one.startsWith('v1,') ? one.slice(3) : []));
  const isRecent = Math.abs(now - Number(timestamp) * 1000) <= toleranceMs;
  if (isRecent && (await signatureMatches([secret].flat(), `${id}.${timestamp}.${body}`, given)))
    return JSON.parse(body);
  throw new ConnectorError(
    'unauthorized',
    `The webhook ${isRecent ? 'is not signed with this secret' : 'is too old'}.`,
  );
}
