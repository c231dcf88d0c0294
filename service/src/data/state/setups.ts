import { createHash, randomBytes } from 'node:crypto';
import { expressionBuilder, type NotNull, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import { lockWorkspace } from './connectors.js';
import {
  acrossOrganizations,
  type Database,
  eachAcrossOrganizations,
  eachWithin,
  eachWithinOrganization,
  fromNow,
  randomText,
  withinOrganization,
} from './database.js';
import { type Scope, StateConflict, TooManySetups } from './rows.js';
import type { Sealing } from './sealing.js';
import type { SetupRow, SetupStatus, Setups } from './setup-types.js';
import type { Tables } from './tables.js';
import type { Quotas } from './types.js';

const lifetimeMs = 30 * 60_000;
/** How long a setup's outcome is kept. */
const retentionMs = 7 * 24 * 60 * 60_000;
/** Maximum credential attempts per setup. */
const maxAttempts = 20;

/** Statuses of setups that have not ended. */
const open: readonly SetupStatus[] = ['pending', 'unconfirmed'];

// Tokens are long and random, so a slow hash would only add delay.
const hashOf = (text: string) => createHash('sha256').update(text).digest();

const selectSetups = ({ query, now }: Database) =>
  query
    .selectFrom('setups')
    .innerJoin('workspaces', 'workspaces.id', 'setups.workspace_id')
    .innerJoin('organizations', 'organizations.id', 'setups.organization_id')
    .selectAll('setups')
    .select((eb) => [
      'workspaces.name as workspace_name',
      'organizations.name as organization_name',
      eb('setups.expires_at', '<=', now).as('is_over'),
    ]);
// Every tenant query is built on this, so none can omit it.
const visibleIn = ({ organizationId, workspaceId }: Scope) =>
  expressionBuilder<Tables, 'setups'>().and({
    'setups.organization_id': organizationId,
    ...(workspaceId !== undefined && { 'setups.workspace_id': workspaceId }),
  });
const noConsent = { state_hash: null, browser_hash: null, asked_until: null };
const noSecrets = { key_id: null, sealed: null, ...noConsent };

/** Seal context of a draft. */
export const draftContext = ({ id, organization_id }: { readonly id: string; readonly organization_id: string }) => ({
  organization: organization_id,
  owner: id,
  field: 'setup',
});

/** Setups in the database; only hashes of tokens are stored. */
export function openSetups(
  database: Database,
  sealing: Sealing,
  { setupsPerClient: maxOfClient = Number.MAX_SAFE_INTEGER }: Quotas,
): Setups {
  const { query, now } = database;
  const eb = expressionBuilder<Tables, 'setups'>();
  // The retention period starts now.
  const ended = { ...noSecrets, expires_at: now };
  const isNow = (...statuses: SetupStatus[]) =>
    eb.and([eb('setups.status', 'in', statuses), eb('setups.expires_at', '>', now)]);
  const isPending = isNow('pending');
  const update = (id: string, status: SetupStatus) =>
    query.updateTable('setups').where('id', '=', id).where(isNow(status));
  const updatePending = (id: string) => update(id, 'pending');
  const endPending = (status: SetupStatus, error: string | null) =>
    query
      .updateTable('setups')
      .set({ status, error, ...(status === 'expired' ? noSecrets : ended) })
      .where('status', 'in', open);
  const sweep = () =>
    acrossOrganizations(() =>
      database.transaction(async () => {
        await endPending('expired', null).where('expires_at', '<=', now).execute();
        await query.deleteFrom('setups').where('expires_at', '<=', fromNow(database, -retentionMs)).execute();
      }),
    );
  /** Deletes the client's oldest ended setups if it has too many. */
  const makeRoom = async (clientId: string) => {
    const ofClient = query.selectFrom('setups').where('client_id', '=', clientId);
    const { count } = await ofClient.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
    const excess = Number(count) - maxOfClient + 1;
    if (excess <= 0) return;
    const endedFirst = ofClient.select('id').where('status', 'not in', open).orderBy('expires_at').limit(excess);
    const deleted = await query.deleteFrom('setups').where('id', 'in', endedFirst).executeTakeFirstOrThrow();
    if (Number(deleted.numDeletedRows) < excess) throw new TooManySetups(maxOfClient);
  };
  const find = async (setup: ReturnType<typeof selectSetups>): Promise<SetupRow | undefined> => {
    const row = await setup.executeTakeFirst();
    return row && toSetupRow(row);
  };

  const seal = async (id: string, draft: string) => {
    const setup = query.selectFrom('setups').select(['id', 'organization_id']).where('id', '=', id);
    const row = await setup.executeTakeFirst();
    if (!row) return undefined;
    const { keyId, bytes } = await sealing.seal(draftContext(row), draft);
    return { key_id: keyId, sealed: bytes };
  };

  /** Runs `work` with access to the setup's organization. */
  const withinOwner = async (id: string, work: () => unknown) => {
    const owner = query.selectFrom('setups').select('organization_id').where('id', '=', id);
    const row = await acrossOrganizations(() => owner.executeTakeFirst());
    return withinOrganization(row?.organization_id ?? '', work);
  };

  const ofTenants = eachWithinOrganization<Pick<Setups, 'begin' | 'get'>>({
    begin: (scope, { workspaceId, clientId, name, type, connect, lifetimeMs: setupMs = lifetimeMs }) =>
      database.transaction(async () => {
        await sweep();
        const { organizationId, workspaceId: only = workspaceId } = scope;
        // Locked, so that if two setups have the same name, the older one ends.
        const workspace = lockWorkspace(database, workspaceId).where('organization_id', '=', organizationId);
        if (only !== workspaceId || !(await workspace.executeTakeFirst())) {
          throw new StateConflict('The workspace was deleted.');
        }
        const existing = await findConnector(database, workspaceId, name, type, connect?.renews ?? false);
        const older = endPending('failed', 'Replaced by a newer setup.').where('name', '=', name);
        await older.where('workspace_id', '=', workspaceId).execute();
        await makeRoom(clientId);
        const id = `set_${randomText(22)}`;
        const token = randomBytes(32).toString('base64url');
        await query
          .insertInto('setups')
          .values({
            id,
            token_hash: hashOf(token),
            organization_id: organizationId,
            workspace_id: workspaceId,
            client_id: clientId,
            name,
            type: existing?.type ?? type,
            status: 'pending',
            connector_id: existing?.id ?? null,
            expires_at: fromNow(database, setupMs),
            connect: connect ? JSON.stringify(connect) : null,
          })
          .execute();
        return { row: (await find(selectSetups(database).where('setups.id', '=', id)))!, token };
      }),
    get: (scope, id) => find(selectSetups(database).where(visibleIn(scope)).where('setups.id', '=', id)),
  });
  const byId = eachWithin<string, Omit<Setups, 'begin' | 'get' | 'getByToken' | 'takeConsent' | 'sweep'>>(
    {
      async loadDraft(id) {
        const row = await query
          .selectFrom('setups')
          .select(['id', 'organization_id', 'key_id', 'sealed'])
          .where('id', '=', id)
          .where(isNow(...open))
          .where('sealed', 'is not', null)
          .$narrowType<{ key_id: NotNull; sealed: NotNull }>()
          .executeTakeFirst();
        return row && sealing.open(draftContext(row), row);
      },
      saveDraft: (id, draft) =>
        database.transaction(async () => {
          const sealed = await seal(id, draft);
          return sealed !== undefined && changed(updatePending(id).set(sealed));
        }),
      hold: (id, draft, browser, forMs) =>
        database.transaction(async () => {
          const sealed = await seal(id, draft);
          if (!sealed) return false;
          const held = { ...noConsent, ...sealed, browser_hash: hashOf(browser), expires_at: fromNow(database, forMs) };
          return changed(updatePending(id).set({ status: 'unconfirmed', ...held }));
        }),
      setType: (id, type) => changed(updatePending(id).set({ type, ...noSecrets })),
      countAttempt: (id) =>
        database.transaction(async () => {
          const counted = updatePending(id).where('tries', '<', maxAttempts);
          if (await changed(counted.set((eb) => ({ tries: eb('tries', '+', 1) })))) return true;
          await endPending('failed', `Credentials were rejected ${maxAttempts} times.`).where('id', '=', id).execute();
          return false;
        }),
      expectConsent: (id, state, browser, forMs) =>
        changed(
          updatePending(id).set({
            state_hash: hashOf(state),
            browser_hash: hashOf(browser),
            asked_until: fromNow(database, Math.round(forMs)),
          }),
        ),
      finish: (id, from, make, browser) =>
        database.transaction(async () => {
          // The lock order is workspace, then setup, as in begin.
          const setup = query.selectFrom('setups').where('id', '=', id);
          const found = await setup.select('workspace_id').executeTakeFirst();
          if (!found) return false;
          await lockWorkspace(database, found.workspace_id).execute();
          const browserHash = browser === undefined ? null : hashOf(browser);
          const done = { status: 'done' as const, ...ended, browser_hash: browserHash };
          if (!(await changed(update(id, from).set(done)))) return false;
          await query
            .updateTable('setups')
            .set({ connector_id: await make() })
            .where('id', '=', id)
            .execute();
          return true;
        }),
      async wasEndedBy(id, browser) {
        const ended = query.selectFrom('setups').select('id').where('id', '=', id).where('status', '<>', 'pending');
        return (await ended.where('browser_hash', '=', hashOf(browser)).executeTakeFirst()) !== undefined;
      },
      async fail(id, error) {
        await endPending('failed', error).where('id', '=', id).execute();
      },
      cancel: (id) => changed(updatePending(id).set({ status: 'cancelled', ...ended })),
    },
    withinOwner,
  );
  // A link's secret identifies its setup in any organization.
  const bySecret = eachAcrossOrganizations<Pick<Setups, 'getByToken' | 'takeConsent'>>({
    getByToken: (token) => find(selectSetups(database).where('setups.token_hash', '=', hashOf(token))),
    takeConsent: (state, browserOf) =>
      database.transaction(async () => {
        const row = await selectSetups(database)
          .where('setups.state_hash', '=', hashOf(state))
          .where('setups.asked_until', '>', now)
          .where(isPending)
          .forNoKeyUpdate('setups')
          .executeTakeFirst();
        if (!row) return undefined;
        const browser = browserOf(row.id);
        await query.updateTable('setups').set(noConsent).where('id', '=', row.id).execute();
        const isSame = browser !== undefined && row.browser_hash !== null && hashOf(browser).equals(row.browser_hash);
        return isSame ? toSetupRow(row) : 'foreign';
      }),
  });
  return { ...ofTenants, ...byId, ...bySecret, sweep };
}

const changed = async (update: UpdateQueryBuilder<Tables, 'setups', 'setups', UpdateResult>): Promise<boolean> =>
  (await update.executeTakeFirstOrThrow()).numUpdatedRows > 0n;

type SetupColumns = Awaited<ReturnType<ReturnType<typeof selectSetups>['executeTakeFirstOrThrow']>>;

const toSetupRow = (row: SetupColumns): SetupRow => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: row.organization_name,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  clientId: row.client_id,
  name: row.name,
  type: row.type,
  status: open.includes(row.status) && row.is_over ? 'expired' : row.status,
  connectorId: row.connector_id,
  error: row.error,
  expiresAt: row.expires_at,
  connect: row.connect === null ? null : JSON.parse(row.connect),
});

/** Finds the connector with this name, if it has no credentials or is being reconnected. */
async function findConnector(
  database: Database,
  workspaceId: string,
  name: string,
  type: string | null,
  renews: boolean,
) {
  const found = await database.query
    .selectFrom('connectors')
    .select(({ exists, selectFrom }) => [
      'connectors.id',
      'connectors.type',
      exists(selectFrom('credentials').select('field').whereRef('credentials.connector_id', '=', 'connectors.id')).as(
        'complete',
      ),
    ])
    .where('connectors.workspace_id', '=', workspaceId)
    .where('connectors.name', '=', name)
    .executeTakeFirst();
  if (found?.complete && !renews) {
    throw new StateConflict(
      `The workspace already has a connector '${name}': choose another name, or reconnect that connector.`,
    );
  }
  if (found && type !== null && type !== found.type) {
    throw new StateConflict(`The workspace already has a connector '${name}' of type ${found.type}.`);
  }
  return found;
}
