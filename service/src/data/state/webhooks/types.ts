import type { DeliveryStatus, WebhookEventType } from 'agent-connectors/wire';
import type { ConnectorHealth, ConnectorRow, PageOf, Scope } from '../rows.js';

/** A product's endpoint; times are milliseconds since 1970. */
export interface WebhookRow {
  readonly id: string;
  readonly organizationId: string;
  /** The only workspace whose events are sent; null for all. */
  readonly workspaceName: string | null;
  readonly url: string;
  /** Null for all events. */
  readonly events: readonly WebhookEventType[] | null;
  /** Why it is disabled; null if it is enabled. */
  readonly disabled: string | null;
  readonly failingSince: number | null;
  readonly createdAt: number;
}

/** Changes to an endpoint. */
export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly events?: readonly WebhookEventType[] | null | undefined;
  /** Null enables it. */
  readonly disabled?: string | null | undefined;
}

/** A message to one endpoint; times are milliseconds since 1970. */
export interface DeliveryRow {
  readonly id: string;
  readonly webhookId: string;
  /** Null for a test. */
  readonly connectorId: string | null;
  readonly event: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly createdAt: number;
  /** Time of the next attempt; null if there is none. */
  readonly nextAttemptAt: number | null;
  readonly finishedAt: number | null;
  /** Status of the last response; null if there was none. */
  readonly responseStatus: number | null;
  readonly error: string | null;
}

/** A delivery owned by this process until its lease expires. */
export interface DeliveryClaim {
  readonly delivery: DeliveryRow;
  readonly organizationId: string;
  readonly url: string;
  readonly payload: string;
  /** All valid secrets, newest first; empty if they cannot be decrypted. */
  readonly secrets: readonly string[];
  readonly firstAttemptAt: number;
  readonly failingSince: number | null;
  readonly owner: string;
}

/** Outcome of one attempt. */
export interface DeliveryOutcome {
  readonly responseStatus: number | null;
  /** Null if it was delivered. */
  readonly error: string | null;
  /** Milliseconds until the next attempt; null if there is none. */
  readonly retryInMs: number | null;
  /** Why the endpoint is disabled, if it is. */
  readonly disable?: string | undefined;
}

/** The changes of one entity's records for one endpoint. */
export interface RecordFeed {
  readonly webhookId: string;
  /** The record events that the endpoint gets. */
  readonly events: readonly WebhookEventType[];
  readonly connector: Pick<ConnectorRow, 'id' | 'organizationId' | 'workspaceId' | 'workspaceName' | 'name' | 'type'>;
  readonly entity: string;
  /** Position in the change feed; undefined if the endpoint has not got any changes yet. */
  readonly cursor: string | undefined;
  /** Whether the connector was created after the endpoint, which then gets its first records too. */
  readonly isNewConnector: boolean;
}

/** A batch of changed records. */
export interface RecordMessage {
  readonly event: WebhookEventType;
  readonly records: ReadonlyArray<{ readonly id: string; readonly changed_at: string }>;
  /** Set if changes were forgotten, so that all records are reported again. */
  readonly restarted?: boolean;
}

/** A product's endpoints and the outbox for their messages. */
export interface Webhooks {
  create(
    scope: Scope,
    webhook: Pick<WebhookRow, 'url' | 'events'> & { readonly workspaceId: string | null },
  ): Promise<{ readonly row: WebhookRow; readonly secret: string }>;
  list(scope: Scope): Promise<WebhookRow[]>;
  get(scope: Scope, id: string): Promise<WebhookRow | undefined>;
  update(scope: Scope, id: string, changes: WebhookChanges): Promise<WebhookRow | undefined>;
  delete(scope: Scope, id: string): Promise<boolean>;
  /** Replaces the secret; for `overlapMs`, messages are also signed with the previous one. */
  rollSecret(
    scope: Scope,
    id: string,
    overlapMs: number,
  ): Promise<{ readonly secret: string; readonly previousUntil: number | null } | undefined>;
  /** Queues a test message. */
  sendTest(scope: Scope, id: string): Promise<DeliveryRow | undefined>;
  deliveries(
    scope: Scope,
    id: string,
    page: PageOf & { readonly status?: DeliveryStatus | undefined },
  ): Promise<{ readonly rows: DeliveryRow[]; readonly next: string | null }>;
  /** Resends a message under the same id, or sends it immediately if it is waiting for its next attempt. */
  replay(scope: Scope, id: string, deliveryId: string): Promise<DeliveryRow | undefined>;
  /** Records a connector's health in the same transaction, with an event if it changed. */
  noteHealth(scope: Scope, connectorId: string, health: ConnectorHealth | null, error?: string): Promise<void>;
  /** The feeds of all endpoints that get record events. */
  recordFeeds(): Promise<RecordFeed[]>;
  /**
   * Adds messages and the cursor after them in one transaction; returns false if another process has done so, or if the
   * endpoint cannot get more messages now.
   */
  emitRecords(feed: RecordFeed, cursor: string, messages: readonly RecordMessage[]): Promise<boolean>;
  /** Claims due messages that no other process is sending, most overdue first. */
  claim(limit: number, exceptOrganizations: readonly string[]): Promise<DeliveryClaim[]>;
  /** Records the outcome and releases the connector's next message; false if the claim was lost. */
  finish(claim: DeliveryClaim, outcome: DeliveryOutcome): Promise<boolean>;
  /** Deletes messages that ended more than thirty days ago, and makes messages due that wait behind none. */
  sweep(): Promise<void>;
}
