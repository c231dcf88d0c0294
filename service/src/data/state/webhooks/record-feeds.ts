import { recordEvents, type WebhookEventType } from 'agent-connectors/wire';
import { type Database, eachAcrossOrganizations, withinOrganization } from '../database.js';
import { addMessage, lockQueue } from './outbox.js';
import type { RecordFeed, Webhooks } from './types.js';

/** An endpoint with this many undelivered messages of a connector gets no more of its changes until it has caught up. */
const maxOpenMessages = 100;

/** Adds changes of replicated records to the outbox. */
export function openRecordFeeds(database: Database): Pick<Webhooks, 'recordFeeds' | 'emitRecords'> {
  const { query } = database;
  const positionOf = ({ webhookId, connector, entity }: RecordFeed) =>
    query
      .selectFrom('record_positions')
      .select('cursor')
      .where('webhook_id', '=', webhookId)
      .where('connector_id', '=', connector.id)
      .where('entity', '=', entity);
  const shared = eachAcrossOrganizations<Pick<Webhooks, 'recordFeeds'>>({
    async recordFeeds() {
      const endpoints = query
        .selectFrom('webhooks')
        .where('disabled', 'is', null)
        .where('events', 'like', '%"record.%');
      // Usually there are none.
      if (!(await endpoints.select('id').limit(1).executeTakeFirst())) return [];
      const rows = await endpoints
        .innerJoin('connectors', (join) =>
          join
            .onRef('connectors.organization_id', '=', 'webhooks.organization_id')
            .on(({ or, eb }) =>
              or([
                eb('webhooks.workspace_id', 'is', null),
                eb('webhooks.workspace_id', '=', eb.ref('connectors.workspace_id')),
              ]),
            ),
        )
        .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
        .innerJoin('replicas', 'replicas.connector_id', 'connectors.id')
        .leftJoin('record_positions', (join) =>
          join
            .onRef('record_positions.webhook_id', '=', 'webhooks.id')
            .onRef('record_positions.connector_id', '=', 'connectors.id')
            .onRef('record_positions.entity', '=', 'replicas.entity'),
        )
        .select([
          'webhooks.id as webhook_id',
          'webhooks.events',
          'webhooks.created_at as registered_at',
          'connectors.id',
          'connectors.organization_id',
          'connectors.workspace_id',
          'connectors.name',
          'connectors.type',
          'connectors.created_at',
          'workspaces.name as workspace_name',
          'replicas.entity',
          'record_positions.cursor',
        ])
        .execute();
      return rows.map((row) => ({
        webhookId: row.webhook_id,
        events: (JSON.parse(row.events!) as WebhookEventType[]).filter((event) => recordEvents.includes(event)),
        connector: {
          id: row.id,
          organizationId: row.organization_id,
          workspaceId: row.workspace_id,
          workspaceName: row.workspace_name,
          name: row.name,
          type: row.type,
        },
        entity: row.entity,
        cursor: row.cursor ?? undefined,
        isNewConnector: Date.parse(row.created_at) >= Number(row.registered_at),
      }));
    },
  });
  return {
    ...shared,
    emitRecords: (feed, cursor, messages) =>
      withinOrganization(feed.connector.organizationId, () =>
        database.transaction(async () => {
          const { webhookId, connector, entity } = feed;
          const { id: connectorId, organizationId } = connector;
          await lockQueue(database, webhookId, connectorId);
          // Another process has added these changes, or the endpoint was deleted or disabled.
          if ((await positionOf(feed).executeTakeFirst())?.cursor !== feed.cursor) return false;
          const endpoint = query.selectFrom('webhooks').select(database.now.as('now')).where('id', '=', webhookId);
          const active = await endpoint.where('disabled', 'is', null).executeTakeFirst();
          if (!active) return false;
          const open = await query
            .selectFrom('webhook_deliveries')
            .select('id')
            .where('webhook_id', '=', webhookId)
            .where('connector_id', '=', connectorId)
            .where('status', 'in', ['pending', 'waiting'])
            .limit(maxOpenMessages)
            .execute();
          if (open.length === maxOpenMessages) return false;
          const position = {
            webhook_id: webhookId,
            organization_id: organizationId,
            connector_id: connectorId,
            entity,
          };
          await query
            .insertInto('record_positions')
            .values({ ...position, cursor })
            .onConflict((conflict) =>
              conflict.columns(['webhook_id', 'connector_id', 'entity']).doUpdateSet({ cursor }),
            )
            .execute();
          for (const { event, ...more } of messages) {
            const data = {
              connector_id: connectorId,
              connector_type: connector.type,
              connector_name: connector.name,
              workspace_name: connector.workspaceName,
              entity,
              ...more,
              cursor,
            };
            const payload = JSON.stringify({
              type: event,
              timestamp: new Date(Number(active.now)).toISOString(),
              data,
            });
            await addMessage(database, { webhookId, organizationId, connectorId, event, payload });
          }
          return true;
        }),
      ),
  };
}
