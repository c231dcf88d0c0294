import type { WebhookEventType } from 'agent-connectors/wire';
import { sql } from 'kysely';
import { type Database, newId } from '../database.js';
import type { ConnectorHealth, ConnectorRow } from '../rows.js';

// To avoid deadlocks, all transactions lock in this order: a connector's messages, endpoints by id, rows of messages.

/** Locks a connector's message order while a message is added or finished. Call in a transaction. */
const lockMessages = (database: Database, connectorId: string): Promise<void> =>
  database.lock(`webhooks:${connectorId}`);

const endpointRow = ({ query }: Database, webhookId: string) =>
  query.selectFrom('webhooks').select('id').where('id', '=', webhookId);

/** Locks the queues of all connectors for an endpoint. Call in a transaction. */
export async function lockEndpoint(database: Database, webhookId: string): Promise<void> {
  await endpointRow(database, webhookId).forUpdate('webhooks').execute();
}

/**
 * Locks a connector's queue for an endpoint while a message is added or finished; the queue of tests is `''`. Call in a
 * transaction.
 *
 * @param withOthers Also locks the queues of other connectors for the endpoint.
 */
export async function lockQueue(
  database: Database,
  webhookId: string,
  connectorId: string,
  { withOthers = false } = {},
): Promise<void> {
  await lockMessages(database, connectorId || webhookId);
  if (withOthers) return lockEndpoint(database, webhookId);
  await endpointRow(database, webhookId).forKeyShare('webhooks').execute();
}

/** The connector of an event, as sent to receivers. */
export type EventSubject = Pick<
  ConnectorRow,
  'id' | 'organizationId' | 'workspaceId' | 'workspaceName' | 'name' | 'type'
>;

/** Adds a message to the outbox for each subscribed endpoint. Call in the transaction that causes the event. */
export async function emitEvent(
  database: Database,
  connector: EventSubject,
  event: WebhookEventType,
  more: object = {},
): Promise<void> {
  const { id, organizationId, workspaceId, workspaceName, name, type } = connector;
  await lockMessages(database, id);
  // Locked, because a message added while its endpoint is being disabled would not be failed with the others.
  const endpoints = await database.query
    .selectFrom('webhooks')
    .select(['webhooks.id', 'webhooks.events', database.now.as('now')])
    .where('organization_id', '=', organizationId)
    .where('disabled', 'is', null)
    .where(({ eb, or }) => or([eb('workspace_id', 'is', null), eb('workspace_id', '=', workspaceId)]))
    .orderBy('id')
    .forKeyShare('webhooks')
    .execute();
  const wanted = endpoints.filter(({ events }) => events === null || JSON.parse(events).includes(event));
  const data = { connector_id: id, connector_type: type, connector_name: name, workspace_name: workspaceName, ...more };
  for (const { id: webhookId, now } of wanted) {
    const payload = JSON.stringify({ type: event, timestamp: new Date(Number(now)).toISOString(), data });
    await addMessage(database, { webhookId, organizationId, connectorId: id, event, payload });
  }
}

/** A message in the outbox. */
interface NewMessage {
  readonly webhookId: string;
  readonly organizationId: string;
  readonly connectorId: string;
  readonly event: string;
  readonly payload: string;
}

/** Adds a message after those from the same connector to the same endpoint; returns its id. */
export async function addMessage(database: Database, message: NewMessage): Promise<string> {
  const { webhookId, organizationId, connectorId, event, payload } = message;
  const id = newId('msg');
  const place = await placeAtEnd(database, webhookId, connectorId);
  await database.query
    .insertInto('webhook_deliveries')
    .values({
      id,
      webhook_id: webhookId,
      organization_id: organizationId,
      connector_id: connectorId,
      event,
      payload,
      attempts: 0,
      next_attempt_at: 0,
      created_at: database.now,
      ...place,
    })
    .execute();
  return id;
}

/** The next position in a connector's queue for an endpoint. */
export async function placeAtEnd({ query }: Database, webhookId: string, connectorId: string) {
  const last = await query
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => [
      fn.max('seq').as('seq'),
      sql<number>`sum(case when status in ('pending', 'waiting') then 1 else 0 end)`.as('open'),
    ])
    .where('webhook_id', '=', webhookId)
    .where('connector_id', '=', connectorId)
    .executeTakeFirst();
  const status = Number(last?.open ?? 0) > 0 ? ('waiting' as const) : ('pending' as const);
  return { seq: Number(last?.seq ?? 0) + 1, status };
}

/** Records a connector's health and emits an event if it changed. Call in a transaction that locks its row. */
export async function changeHealth(
  database: Database,
  connector: EventSubject,
  health: ConnectorHealth | null,
  error?: string,
): Promise<void> {
  const changed = await database.query
    .updateTable('connectors')
    .set({ health })
    .where('id', '=', connector.id)
    .where((eb) =>
      health === null ? eb('health', 'is not', null) : eb.or([eb('health', 'is', null), eb('health', '<>', health)]),
    )
    .executeTakeFirstOrThrow();
  if (changed.numUpdatedRows === 0n) return;
  const event = health === null ? 'connector.recovered' : (`connector.${health}` as const);
  await emitEvent(database, connector, event, error === undefined ? {} : { error });
}
