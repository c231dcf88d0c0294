import { createHash, randomBytes } from 'node:crypto';
import { type Database, randomText } from './database.js';
import { type Scope, StateConflict } from './rows.js';
import type { SealedColumns, Sealing } from './sealing.js';
import type { SetupRow, SetupStatus, Setups } from './setup-types.js';

interface Columns extends SealedColumns {
  readonly id: string;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly client_id: string;
  readonly name: string;
  readonly type: string | null;
  readonly status: string;
  readonly connector_id: string | null;
  readonly error: string | null;
  readonly expires_at: number;
  readonly is_over: number;
  readonly browser_hash: Uint8Array | null;
}

const lifetimeMs = 30 * 60_000;
/** How long it is remembered how a setup ended. */
const retentionMs = 7 * 24 * 60 * 60_000;
/** So often credentials can be tried in one setup. */
const maxAttempts = 20;

// Tokens are random and long, so a slow hash would only slow the service down.
const hashOf = (text: string) => createHash('sha256').update(text).digest();

const selectSetups = `SELECT setups.*, workspaces.name AS workspace_name, organizations.name AS organization_name,
    CASE WHEN setups.expires_at <= :now THEN 1 ELSE 0 END AS is_over
  FROM setups JOIN workspaces ON workspaces.id = setups.workspace_id
  JOIN organizations ON organizations.id = setups.organization_id`;
const visible = 'setups.organization_id = ?1 AND (CAST(?2 AS TEXT) IS NULL OR setups.workspace_id = ?2)';
const scopeValues = ({ organizationId, workspaceId }: Scope) => [organizationId, workspaceId ?? null] as const;
const clearSecrets = 'key_id = NULL, sealed = NULL, state_hash = NULL, browser_hash = NULL, asked_until = NULL';

/** Where a draft is sealed for. */
const sealContext = (id: string) => ({ owner: id, field: 'setup' });

/** The setups in the database; of a token it has the hash alone. */
export function openSetups(database: Database, sealing: Sealing): Setups {
  const { forUpdate } = database.dialect;
  const pending = "status = 'pending' AND expires_at > :now";
  const findOne = async (
    condition: string,
    ...given: (string | Uint8Array | null)[]
  ): Promise<SetupRow | undefined> => {
    const row = await database.get<Columns>(`${selectSetups} WHERE ${condition}`, ...given);
    return row && toSetupRow(row);
  };
  const endSetups = (condition: string, status: SetupStatus, error: string | null, ...given: (string | number)[]) =>
    database.run(
      `UPDATE setups SET status = ?, error = ?, ${clearSecrets} WHERE status = 'pending' AND ${condition}`,
      ...[status, error, ...given],
    );
  const sweep = () =>
    database.transaction(async () => {
      await endSetups('expires_at <= :now', 'expired', null);
      await database.run(`DELETE FROM setups WHERE expires_at <= :now - ${retentionMs}`);
    });
  const updatePending = async (set: string, id: string, ...given: (string | Uint8Array | number | null)[]) => {
    const update = `UPDATE setups SET ${set} WHERE id = ?1 AND ${pending}`;
    return (await database.run(update, id, ...given)) > 0;
  };

  return {
    begin: (scope, { workspaceId, clientId, name, type }) =>
      database.transaction(async () => {
        await sweep();
        const { organizationId, workspaceId: only = workspaceId } = scope;
        // Held, so that of two setups of one name the older is ended.
        const workspace = `SELECT 1 FROM workspaces WHERE organization_id = ? AND id = ?${forUpdate('workspaces')}`;
        if (only !== workspaceId || !(await database.get(workspace, organizationId, workspaceId))) {
          throw new StateConflict('The workspace does not exist any more.');
        }
        const existing = await findPendingConnector(database, workspaceId, name, type);
        await endSetups(
          'workspace_id = ? AND name = ?',
          'failed',
          'A newer setup has taken its place.',
          workspaceId,
          name,
        );
        const id = `set_${randomText(22)}`;
        const token = randomBytes(32).toString('base64url');
        await database.run(
          `INSERT INTO setups
             (id, token_hash, organization_id, workspace_id, client_id, name, type, status, connector_id, expires_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, :now + ${lifetimeMs})`,
          ...[id, hashOf(token), organizationId, workspaceId, clientId, name],
          ...[existing?.type ?? type, existing?.id ?? null],
        );
        return { row: (await findOne('setups.id = ?', id))!, token };
      }),
    get: (scope, id) => findOne(`${visible} AND setups.id = ?3`, ...scopeValues(scope), id),
    getByToken: (token) => findOne('setups.token_hash = ?', hashOf(token)),
    async loadDraft(id) {
      const query = `SELECT key_id, sealed FROM setups WHERE id = ? AND ${pending}`;
      const row = await database.get<SealedColumns>(query, id);
      return row?.sealed ? sealing.open(sealContext(id), row) : undefined;
    },
    saveDraft: (id, draft) =>
      database.transaction(async () => {
        const { keyId, bytes } = await sealing.seal(sealContext(id), draft);
        return updatePending('key_id = ?2, sealed = ?3', id, keyId, bytes);
      }),
    setType: (id, type) => updatePending(`type = ?2, ${clearSecrets}`, id, type),
    countAttempt: (id) =>
      database.transaction(async () => {
        const counted = `UPDATE setups SET tries = tries + 1 WHERE id = ? AND tries < ${maxAttempts} AND ${pending}`;
        if ((await database.run(counted, id)) > 0) return true;
        await endSetups('id = ?', 'failed', `Credentials were tried ${maxAttempts} times.`, id);
        return false;
      }),
    expectConsent: (id, state, browser, forMs) =>
      updatePending(
        `state_hash = ?2, browser_hash = ?3, asked_until = :now + ${Math.round(forMs)}`,
        ...[id, hashOf(state), hashOf(browser)],
      ),
    takeConsent: (state, browserOf) =>
      database.transaction(async () => {
        const expected = `${selectSetups} WHERE setups.state_hash = ? AND setups.asked_until > :now AND ${pending}`;
        const row = await database.get<Columns>(`${expected}${forUpdate('setups')}`, hashOf(state));
        if (!row) return undefined;
        const browser = browserOf(row.id);
        await database.run(
          'UPDATE setups SET state_hash = NULL, browser_hash = NULL, asked_until = NULL WHERE id = ?',
          row.id,
        );
        const isSame = browser !== undefined && row.browser_hash !== null && hashOf(browser).equals(row.browser_hash);
        return isSame ? toSetupRow(row) : 'foreign';
      }),
    finish: (id, make) =>
      database.transaction(async () => {
        // First the workspace and then the setup, as where one begins.
        const workspace = 'SELECT 1 FROM workspaces WHERE id = (SELECT workspace_id FROM setups WHERE id = ?)';
        await database.get(`${workspace}${forUpdate('workspaces')}`, id);
        if (!(await updatePending(`status = 'done', ${clearSecrets}`, id))) return false;
        await database.run('UPDATE setups SET connector_id = ? WHERE id = ?', await make(), id);
        return true;
      }),
    async fail(id, error) {
      await endSetups('id = ?', 'failed', error, id);
    },
    sweep,
  };
}

const toSetupRow = (row: Columns): SetupRow => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: row.organization_name,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  clientId: row.client_id,
  name: row.name,
  type: row.type,
  status: row.status === 'pending' && row.is_over === 1 ? 'expired' : (row.status as SetupStatus),
  connectorId: row.connector_id,
  error: row.error,
  expiresAt: row.expires_at,
});

/** The connector of this name, if there is one that has no credentials yet. */
async function findPendingConnector(database: Database, workspaceId: string, name: string, type: string | null) {
  const found = await database.get<{ id: string; type: string; complete: number }>(
    `SELECT id, type, CASE WHEN EXISTS (SELECT 1 FROM credentials WHERE connector_id = connectors.id)
       THEN 1 ELSE 0 END AS complete
     FROM connectors WHERE workspace_id = ? AND name = ?`,
    workspaceId,
    name,
  );
  if (found && found.complete === 1) {
    throw new StateConflict(
      `The workspace has a connector '${name}' already: choose another name, or give that one new credentials.`,
    );
  }
  if (found && type !== null && type !== found.type) {
    throw new StateConflict(`The workspace has a connector '${name}' already, of the type ${found.type}.`);
  }
  return found;
}

interface DraftColumns extends SealedColumns {
  readonly id: string;
}

/** Seals drafts anew that are sealed with another key than the newest, at most so many; to be called in a transaction. */
export async function resealSetups(
  database: Database,
  sealing: Sealing,
  newest: string,
  limit: number,
): Promise<number> {
  const found = await database.all<DraftColumns>(
    `SELECT id, key_id, sealed FROM setups WHERE key_id IS NOT NULL AND key_id <> ? LIMIT ?${database.dialect.forUpdate('setups')}`,
    newest,
    limit,
  );
  for (const row of found) {
    const { keyId, bytes } = await sealing.seal(sealContext(row.id), sealing.open(sealContext(row.id), row));
    await database.run('UPDATE setups SET key_id = ?, sealed = ? WHERE id = ?', keyId, bytes, row.id);
  }
  return found.length;
}
