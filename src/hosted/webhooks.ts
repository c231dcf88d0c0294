import { ConnectorError } from '../call/errors.js';
import type { ServiceRequest } from './service.js';
import { signatureMatches } from './signature.js';

/** Events that webhooks are sent for. */
export type WebhookEventType =
  | 'connector.connected'
  | 'connector.needs_reauthorization'
  | 'connector.failing'
  | 'connector.recovered'
  | 'connector.synced'
  | 'connector.removed';

/** An endpoint that events are sent to. */
export interface Webhook {
  /** Id of the endpoint. */
  id: string;
  /** Its address. */
  url: string;
  /** Events that are sent; null for all. */
  events: WebhookEventType[] | null;
  /** The one workspace whose events are sent; null for every one. */
  workspace_name: string | null;
  /** Whether messages are sent. */
  enabled: boolean;
  /** Why not; null otherwise. */
  disabled_reason: string | null;
  /** Since when every attempt has failed; ISO 8601, null where the last one did not. */
  failing_since: string | null;
  /** When it was made; ISO 8601. */
  created_at: string;
}

/** An endpoint that was made. */
export interface CreatedWebhook extends Webhook {
  /** What messages are signed with; shown this once. */
  secret: string;
}

/** What an endpoint is made with. */
export interface CreateWebhook {
  /** An https address. */
  url: string;
  /** Events to send; null, or left out, for all. */
  events?: readonly WebhookEventType[] | null | undefined;
  /** Sends events of this workspace alone. */
  workspace_name?: string | undefined;
}

/** What of an endpoint is to change; what is left out stays. */
export interface UpdateWebhook extends Omit<Partial<CreateWebhook>, 'workspace_name'> {
  /** False stops it, true lets it go on. */
  enabled?: boolean | undefined;
}

/** One message to an endpoint. */
export interface WebhookDelivery {
  /** Its id, as `webhook-id` has it. */
  id: string;
  /** Id of the endpoint. */
  webhook_id: string;
  /** The connector; null for a test. */
  connector_id: string | null;
  /** Type of the event. */
  event: string;
  /** `waiting` is behind an earlier message of the same connector. */
  status: 'waiting' | 'pending' | 'delivered' | 'failed';
  /** How often it was sent. */
  attempts: number;
  /** When it was made; ISO 8601. */
  created_at: string;
  /** When it is sent next; null where it is not. */
  next_attempt_at: string | null;
  /** When it was delivered or given up; null before. */
  finished_at: string | null;
  /** Status of the last response; null where there was none. */
  response_status: number | null;
  /** Why the last attempt failed; null otherwise. */
  error: string | null;
}

/** An event, as an endpoint receives it. */
export interface WebhookEvent {
  /** Type of the event, or `webhook.test`. */
  type: WebhookEventType | 'webhook.test';
  /** When it happened; ISO 8601. */
  timestamp: string;
  /** What it is about: `connector_id`, `connector_type`, `connector_name`, `workspace_name` and what the event adds. */
  data: Record<string, unknown>;
}

/** A secret that was replaced. */
export interface RolledSecret {
  /** Id of the endpoint. */
  id: string;
  /** Shown this once. */
  secret: string;
  /** Until when messages are signed with the one before too; null where they are not. */
  previous_valid_until: string | null;
}

type Request = <T>(request: Pick<ServiceRequest, 'method' | 'path'> & Partial<ServiceRequest>) => Promise<T>;

const pathOf = (id: string, rest = '') => `/webhooks/${encodeURIComponent(id)}${rest}`;

/** The part of the client that is about webhooks. */
export const webhooksOf = (request: Request) => ({
  /** Registers an endpoint; its secret is shown here alone. */
  create: (webhook: CreateWebhook): Promise<CreatedWebhook> =>
    request({ method: 'POST', path: '/webhooks', json: webhook, change: 'webhooks.create' }),
  /** All endpoints of the organization. */
  list: (): Promise<{
    /** What was asked for. */
    data: Webhook[];
  }> => request({ method: 'GET', path: '/webhooks', idempotent: true }),
  /** One endpoint. */
  get: (id: string): Promise<Webhook> => request({ method: 'GET', path: pathOf(id), idempotent: true }),
  /** Changes what is given, and leaves the rest. */
  update: (id: string, changes: UpdateWebhook): Promise<Webhook> =>
    request({ method: 'PUT', path: pathOf(id), json: changes, idempotent: true, change: 'webhooks.update' }),
  /** Removes an endpoint with what was to be sent to it. */
  delete: async (id: string): Promise<void> => {
    await request({ method: 'DELETE', path: pathOf(id), change: 'webhooks.delete' });
  },
  /** Replaces the secret; messages are signed with the one before too for the overlap (a day when left out). */
  rollSecret: (id: string, overlap_seconds?: number): Promise<RolledSecret> => {
    const json = overlap_seconds === undefined ? {} : { overlap_seconds };
    return request({ method: 'POST', path: pathOf(id, '/secret'), json, change: 'webhooks.rollSecret' });
  },
  /** Sends an event `webhook.test`. */
  test: (id: string): Promise<WebhookDelivery> => request({ method: 'POST', path: pathOf(id, '/test'), json: {} }),
  /** Messages of the last 30 days, the newest first, a page at a time. */
  deliveries: (
    id: string,
    page: {
      status?: WebhookDelivery['status'] | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    } = {},
  ): Promise<{
    /** What was asked for. */
    data: WebhookDelivery[];
    /** Cursor of the next page; null at the end. */
    next: string | null;
  }> => request({ method: 'GET', path: pathOf(id, '/deliveries'), query: { ...page }, idempotent: true }),
  /** Sends a message again that was delivered or has failed. */
  replay: (id: string, deliveryId: string): Promise<WebhookDelivery> =>
    request({ method: 'POST', path: pathOf(id, `/deliveries/${encodeURIComponent(deliveryId)}/replay`), json: {} }),
});

/** How far the clocks of sender and receiver may be apart, in milliseconds. */
const toleranceMs = 300_000;

/**
 * The event of a webhook, as any library of Standard Webhooks would verify it.
 *
 * Messages come at least once: keep each `webhook-id` and leave out those that came before.
 *
 * @throws `ConnectorError` `unauthorized` where it is not signed with the secret, or more than five minutes old.
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
