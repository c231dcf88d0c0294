import type { Selectable } from 'kysely';
import { VaultError } from '../../vault/keys.js';
import { lockOrganization } from '../accounts.js';
import { type Database, eachWithinOrganization, newId } from '../database.js';
import { readTimeCursor, type Scope, StateConflict, writeCursor } from '../rows.js';
import type { SealedColumns, Sealing } from '../sealing.js';
import { firstSecret, nextSecret } from '../signing-secrets.js';
import type { Tables } from '../tables.js';
import { addMessage, changeHealth, lockEndpoint, lockQueue, placeAtEnd } from './outbox.js';
import type { DeliveryRow, WebhookRow, Webhooks } from './types.js';

const prefix = 'whsec_';
/** Maximum endpoints per organization. */
const maxWebhooks = 20;
/** Maximum pending tests per endpoint. */
const maxOpenTests = 100;

/** Seal context for an endpoint's secret. */
export const webhookContext = (row: { readonly id: string; readonly organization_id: string }) => ({
  organization: row.organization_id,
  owner: row.id,
  field: 'webhook',
});

/** An endpoint's decrypted secrets; undefined if they cannot be decrypted, so that other endpoints keep working. */
export async function openSecrets(
  sealing: Sealing,
  row: SealedColumns & { readonly id: string; readonly organization_id: string },
): Promise<string | undefined> {
  try {
    return await sealing.open(webhookContext(row), row);
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}

type TenantsPart = Omit<Webhooks, 'claim' | 'finish' | 'sweep' | 'recordFeeds' | 'emitRecords'>;

/** Endpoints in the database, each visible only to its own organization. */
export function openEndpoints(database: Database, sealing: Sealing, now: () => number): TenantsPart {
  const { query } = database;
  const ofScope = ({ organizationId }: Scope) =>
    query
      .selectFrom('webhooks')
      .leftJoin('workspaces', 'workspaces.id', 'webhooks.workspace_id')
      .selectAll('webhooks')
      .select('workspaces.name as workspace_name')
      .where('webhooks.organization_id', '=', organizationId);
  const find = async (scope: Scope, id: string): Promise<WebhookRow | undefined> => {
    const row = await ofScope(scope).where('webhooks.id', '=', id).executeTakeFirst();
    return row && toWebhookRow(row);
  };
  const deliveriesOf = ({ organizationId }: Scope, id: string) =>
    query
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('webhook_id', '=', id);
  const delivery = async (scope: Scope, webhookId: string, id: string): Promise<DeliveryRow | undefined> => {
    const row = await deliveriesOf(scope, webhookId).where('id', '=', id).executeTakeFirst();
    return row && toDeliveryRow(row);
  };

  return eachWithinOrganization<TenantsPart>({
    create: (scope, { url, events, workspaceId }) =>
      database.transaction(async () => {
        const id = newId('whk');
        const organization_id = scope.organizationId;
        await lockOrganization(database, organization_id).execute();
        if ((await ofScope(scope).execute()).length >= maxWebhooks) {
          throw new StateConflict(`The organization has reached its limit of ${maxWebhooks} webhooks.`);
        }
        const { secret, text } = firstSecret(prefix);
        const { keyId, bytes } = await sealing.seal(webhookContext({ id, organization_id }), text);
        await query
          .insertInto('webhooks')
          .values({
            id,
            organization_id,
            workspace_id: workspaceId,
            url,
            events: events && JSON.stringify(events),
            disabled: null,
            failing_since: null,
            created_at: database.now,
            key_id: keyId,
            sealed: bytes,
          })
          .execute();
        return { row: (await find(scope, id))!, secret };
      }),
    list: async (scope) =>
      (await ofScope(scope).orderBy('webhooks.created_at').orderBy('webhooks.id').execute()).map(toWebhookRow),
    get: find,
    update: (scope, id, { url, events, disabled }) =>
      database.transaction(async () => {
        if (!(await find(scope, id))) return undefined;
        await lockEndpoint(database, id);
        await query
          .updateTable('webhooks')
          .set({
            ...(url !== undefined && { url }),
            ...(events !== undefined && { events: events && JSON.stringify(events) }),
            ...(disabled !== undefined && { disabled, failing_since: null }),
            organization_id: scope.organizationId,
          })
          .where('organization_id', '=', scope.organizationId)
          .where('id', '=', id)
          .execute();
        return find(scope, id);
      }),
    async delete({ organizationId }, id) {
      const deletion = query.deleteFrom('webhooks').where('organization_id', '=', organizationId).where('id', '=', id);
      return (await deletion.executeTakeFirstOrThrow()).numDeletedRows > 0n;
    },
    rollSecret: (scope, id, overlapMs) =>
      database.transaction(async () => {
        const row = await ofScope(scope).where('webhooks.id', '=', id).forNoKeyUpdate('webhooks').executeTakeFirst();
        if (!row) return undefined;
        const before = await openSecrets(sealing, row);
        const { secret, previousUntil, text } =
          before === undefined
            ? { ...firstSecret(prefix), previousUntil: null }
            : nextSecret(prefix, before, overlapMs, now());
        const { keyId, bytes } = await sealing.seal(webhookContext(row), text);
        await query.updateTable('webhooks').set({ key_id: keyId, sealed: bytes }).where('id', '=', id).execute();
        return { secret, previousUntil };
      }),
    sendTest: (scope, id) =>
      database.transaction(async () => {
        const row = await find(scope, id);
        if (!row) return undefined;
        await lockQueue(database, id, '');
        const tests = deliveriesOf(scope, id).where('connector_id', '=', '');
        const open = await tests.where('status', 'in', ['pending', 'waiting']).limit(maxOpenTests).execute();
        if (open.length === maxOpenTests) {
          throw new StateConflict(`${maxOpenTests} webhook tests are still pending.`);
        }
        const payload = JSON.stringify({ type: 'webhook.test', timestamp: new Date(now()).toISOString(), data: {} });
        const message = { webhookId: id, organizationId: row.organizationId, connectorId: '' };
        return delivery(scope, id, await addMessage(database, { ...message, event: 'webhook.test', payload }));
      }),
    async deliveries(scope, id, { limit, cursor, status }) {
      const after = cursor === undefined ? undefined : readTimeCursor(cursor, 'msg');
      let page = deliveriesOf(scope, id);
      if (status !== undefined) page = page.where('status', '=', status);
      if (after) {
        page = page.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '<', tuple(after.createdAt, after.id)),
        );
      }
      const newestFirst = page.orderBy('created_at', 'desc').orderBy('id', 'desc');
      const found = await newestFirst.limit(limit + 1).execute();
      const rows = found.slice(0, limit).map(toDeliveryRow);
      const last = rows.at(-1);
      const more = found.length > limit && last;
      return { rows, next: more ? writeCursor({ createdAt: String(last.createdAt), id: last.id }) : null };
    },
    replay: (scope, webhookId, id) =>
      database.transaction(async () => {
        const row = await delivery(scope, webhookId, id);
        if (!row) return undefined;
        const connectorId = row.connectorId ?? '';
        await lockQueue(database, webhookId, connectorId);
        const message = query.updateTable('webhook_deliveries').where('id', '=', id);
        // A message waiting for its next attempt keeps its place and is sent now.
        await message
          .where('status', '=', 'pending')
          .where('owner', 'is', null)
          .set({ next_attempt_at: database.now })
          .execute();
        await message
          .where('status', 'in', ['delivered', 'failed'])
          .set({
            ...(await placeAtEnd(database, webhookId, connectorId)),
            attempts: 0,
            first_attempt_at: null,
            next_attempt_at: 0,
            owner: null,
            finished_at: null,
          })
          .execute();
        return delivery(scope, webhookId, id);
      }),
    noteHealth: (scope, connectorId, health, error) =>
      database.transaction(async () => {
        const row = await query
          .selectFrom('connectors')
          .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
          .selectAll('connectors')
          .select('workspaces.name as workspace_name')
          .where('connectors.organization_id', '=', scope.organizationId)
          .where('connectors.id', '=', connectorId)
          .forNoKeyUpdate('connectors')
          .executeTakeFirst();
        if (!row) return;
        const { id, organization_id: organizationId, workspace_id: workspaceId, name, type } = row;
        const connector = { id, organizationId, workspaceId, workspaceName: row.workspace_name, name, type };
        await changeHealth(database, connector, health, error);
      }),
  });
}

const toWebhookRow = (
  row: Selectable<Tables['webhooks']> & { readonly workspace_name: string | null },
): WebhookRow => ({
  id: row.id,
  organizationId: row.organization_id,
  workspaceName: row.workspace_name,
  url: row.url,
  events: row.events === null ? null : JSON.parse(row.events),
  disabled: row.disabled,
  failingSince: row.failing_since,
  createdAt: row.created_at,
});

export const toDeliveryRow = (row: Selectable<Tables['webhook_deliveries']>): DeliveryRow => ({
  id: row.id,
  webhookId: row.webhook_id,
  connectorId: row.connector_id || null,
  event: row.event,
  status: row.status,
  attempts: row.attempts,
  createdAt: row.created_at,
  // A message that is due immediately has no scheduled time.
  nextAttemptAt: row.status === 'pending' ? Math.max(row.next_attempt_at, row.created_at) : null,
  finishedAt: row.finished_at,
  responseStatus: row.response_status,
  error: row.error,
});
