import type { ConnectorHealth, PageOf, Scope } from '../rows.js';

/** Events that webhooks are sent for. */
export const webhookEvents = [
  'connector.connected',
  'connector.needs_reauthorization',
  'connector.failing',
  'connector.recovered',
  'connector.synced',
  'connector.removed',
] as const;

/** One of these events. */
export type WebhookEvent = (typeof webhookEvents)[number];

/** `waiting` is behind an earlier delivery of the same connector to the same endpoint. */
export type DeliveryStatus = 'waiting' | 'pending' | 'delivered' | 'failed';

/** An endpoint of a product; times are milliseconds since 1970. */
export interface WebhookRow {
  readonly id: string;
  readonly organizationId: string;
  /** The one workspace whose events are sent; null for every workspace. */
  readonly workspaceName: string | null;
  readonly url: string;
  /** Null for every event. */
  readonly events: readonly WebhookEvent[] | null;
  /** Why it is disabled; null where it is enabled. */
  readonly disabled: string | null;
  readonly failingSince: number | null;
  readonly createdAt: number;
}

/** What of an endpoint can be changed. */
export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly events?: readonly WebhookEvent[] | null | undefined;
  /** Null enables it. */
  readonly disabled?: string | null | undefined;
}

/** One message to one endpoint; times are milliseconds since 1970. */
export interface DeliveryRow {
  readonly id: string;
  readonly webhookId: string;
  /** Null for a test. */
  readonly connectorId: string | null;
  readonly event: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly createdAt: number;
  /** When it is sent next; null where it will not be. */
  readonly nextAttemptAt: number | null;
  readonly finishedAt: number | null;
  /** Status of the last response; null where there was none. */
  readonly responseStatus: number | null;
  readonly error: string | null;
}

/** A delivery that this process sends, as long as its lease lasts. */
export interface DeliveryClaim {
  readonly delivery: DeliveryRow;
  readonly organizationId: string;
  readonly url: string;
  readonly payload: string;
  /** Every secret that is good now, the newest first; none where they cannot be decrypted. */
  readonly secrets: readonly string[];
  readonly firstAttemptAt: number;
  readonly failingSince: number | null;
  readonly owner: string;
}

/** What came of sending it once. */
export interface DeliveryOutcome {
  readonly responseStatus: number | null;
  /** Null where it was delivered. */
  readonly error: string | null;
  /** Milliseconds until it is sent again; null where it is not. */
  readonly retryInMs: number | null;
  /** Why the endpoint is disabled by it. */
  readonly disable?: string | undefined;
}

/** Endpoints of a product, and the outbox of what is sent to them. */
export interface Webhooks {
  create(
    scope: Scope,
    webhook: Pick<WebhookRow, 'url' | 'events'> & { readonly workspaceId: string | null },
  ): Promise<{ readonly row: WebhookRow; readonly secret: string }>;
  list(scope: Scope): Promise<WebhookRow[]>;
  get(scope: Scope, id: string): Promise<WebhookRow | undefined>;
  update(scope: Scope, id: string, changes: WebhookChanges): Promise<WebhookRow | undefined>;
  delete(scope: Scope, id: string): Promise<boolean>;
  /** Replaces the secret; messages are signed with the one before too, for so many milliseconds. */
  rollSecret(
    scope: Scope,
    id: string,
    overlapMs: number,
  ): Promise<{ readonly secret: string; readonly previousUntil: number | null } | undefined>;
  /** Puts a test message into the outbox. */
  sendTest(scope: Scope, id: string): Promise<DeliveryRow | undefined>;
  deliveries(
    scope: Scope,
    id: string,
    page: PageOf & { readonly status?: DeliveryStatus | undefined },
  ): Promise<{ readonly rows: DeliveryRow[]; readonly next: string | null }>;
  /** Sends a message again under the same id, or now if it waits for its next attempt. */
  replay(scope: Scope, id: string, deliveryId: string): Promise<DeliveryRow | undefined>;
  /** Notes in the same transaction what was found out about a connector, with the event where that is news. */
  noteHealth(scope: Scope, connectorId: string, health: ConnectorHealth | null, error?: string): Promise<void>;
  /** Takes messages that are due and that no other process sends, those due first first. */
  claim(limit: number, exceptOrganizations: readonly string[]): Promise<DeliveryClaim[]>;
  /** Puts down what came of it, and lets the next message of the same connector be sent; false where it is no longer held. */
  finish(claim: DeliveryClaim, outcome: DeliveryOutcome): Promise<boolean>;
  /** Removes messages that ended more than thirty days ago. */
  sweep(): Promise<void>;
}
