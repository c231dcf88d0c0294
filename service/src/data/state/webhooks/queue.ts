import { type Database, eachAcrossOrganizations, fromNow, randomText, withinOrganization } from '../database.js';
import type { Sealing } from '../sealing.js';
import { validSecrets } from '../signing-secrets.js';
import { openEndpoints, openSecrets, toDeliveryRow } from './endpoints.js';
import { lockQueue } from './outbox.js';
import { openRecordFeeds } from './record-feeds.js';
import type { DeliveryClaim, Webhooks } from './types.js';

/** How long a process keeps a message without sending heartbeats, in milliseconds. */
const leaseMs = 30_000;
/** Retention of the delivery log, in milliseconds. */
const retentionMs = 30 * 24 * 60 * 60_000;

/** Webhooks in the database: their endpoints, and the outbox shared by all processes. */
export function openWebhooks(database: Database, sealing: Sealing, now: () => number): Webhooks {
  const { query } = database;
  const ofEndpoint = (webhookId: string, connectorId: string) =>
    query
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('webhook_id', '=', webhookId)
      .where('connector_id', '=', connectorId);

  /** Makes the next message from the same connector to the same endpoint due. */
  const promoteNext = async (webhookId: string, connectorId: string) => {
    const next = ofEndpoint(webhookId, connectorId).where('status', '=', 'waiting').orderBy('seq').limit(1);
    await query.updateTable('webhook_deliveries').set({ status: 'pending' }).where('id', 'in', next).execute();
  };

  const shared = eachAcrossOrganizations<Pick<Webhooks, 'claim' | 'sweep'>>({
    async claim(limit, exceptOrganizations) {
      const due = query
        .selectFrom('webhook_deliveries')
        .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
        .selectAll('webhook_deliveries')
        .select(['webhooks.url', 'webhooks.failing_since', 'webhooks.key_id', 'webhooks.sealed'])
        .where('webhook_deliveries.status', '=', 'pending')
        .where('webhook_deliveries.next_attempt_at', '<=', database.now)
        .where('webhooks.disabled', 'is', null)
        .where('webhook_deliveries.organization_id', 'not in', database.listOf(exceptOrganizations))
        .orderBy('webhook_deliveries.next_attempt_at')
        .orderBy('webhook_deliveries.created_at')
        .limit(limit);
      // Usually nothing is due; this check takes no lock.
      if (!(await due.limit(1).executeTakeFirst())) return [];
      return database.transaction(async () => {
        const found = await due.forNoKeyUpdate('webhook_deliveries').skipLocked().execute();
        const owner = randomText(22);
        const claims: DeliveryClaim[] = [];
        for (const row of found) {
          const claimed = await query
            .updateTable('webhook_deliveries')
            .set((eb) => ({
              owner,
              next_attempt_at: fromNow(database, leaseMs),
              attempts: eb('attempts', '+', 1),
              first_attempt_at: eb.fn.coalesce('first_attempt_at', database.now),
            }))
            .where('id', '=', row.id)
            .returningAll()
            .executeTakeFirstOrThrow();
          const secrets = await openSecrets(sealing, { ...row, id: row.webhook_id });
          claims.push({
            delivery: toDeliveryRow(claimed),
            organizationId: row.organization_id,
            url: row.url,
            payload: row.payload,
            secrets: secrets === undefined ? [] : validSecrets(secrets, now()),
            firstAttemptAt: claimed.first_attempt_at!,
            failingSince: row.failing_since,
            owner,
          });
        }
        return claims;
      });
    },
    async sweep() {
      const ended = query.deleteFrom('webhook_deliveries').where('status', 'in', ['delivered', 'failed']);
      await ended.where('finished_at', '<', fromNow(database, -retentionMs)).execute();
    },
  });

  return {
    ...openEndpoints(database, sealing, now),
    ...openRecordFeeds(database),
    ...shared,
    finish: ({ delivery, organizationId, owner }, { responseStatus, error, retryInMs, disable }) =>
      withinOrganization(organizationId, () =>
        database.transaction(async () => {
          const { id, webhookId } = delivery;
          const connectorId = delivery.connectorId ?? '';
          await lockQueue(database, webhookId, connectorId, { withOthers: disable !== undefined });
          const outcome = { owner: null, response_status: responseStatus, error };
          const isOver = retryInMs === null;
          const ended = {
            status: error === null ? ('delivered' as const) : ('failed' as const),
            finished_at: database.now,
          };
          const updated = await query
            .updateTable('webhook_deliveries')
            .set(
              isOver
                ? { ...outcome, ...ended }
                : { ...outcome, next_attempt_at: fromNow(database, Math.round(retryInMs)) },
            )
            .where('id', '=', id)
            .where('owner', '=', owner)
            .where('status', '=', 'pending')
            .executeTakeFirstOrThrow();
          if (updated.numUpdatedRows === 0n) return false;
          if (isOver) await promoteNext(webhookId, connectorId);
          const endpoint = query.updateTable('webhooks').where('id', '=', webhookId);
          if (error === null)
            await endpoint.set({ failing_since: null }).where('failing_since', 'is not', null).execute();
          else await endpoint.set({ failing_since: database.now }).where('failing_since', 'is', null).execute();
          if (disable !== undefined) {
            await endpoint.set({ disabled: disable }).execute();
            const open = query.updateTable('webhook_deliveries').where('webhook_id', '=', webhookId);
            await open
              .set({ status: 'failed', finished_at: database.now, owner: null, error: disable })
              .where('status', 'in', ['pending', 'waiting'])
              .execute();
          }
          return true;
        }),
      ),
  };
}
