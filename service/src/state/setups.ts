import { createHash, randomBytes } from 'node:crypto';
import type { Database } from './database.js';
import { randomText } from './identifiers.js';
import type { SealedColumns, Sealing } from './sealing.js';
import { type Scope, StateConflict } from './types.js';

/** How far a setup has come. */
export type SetupStatus = 'pending' | 'done' | 'expired' | 'failed';

/** A setup: one connector that a person is to connect in a browser. */
export interface SetupRow {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** The program that began it. */
  readonly clientId: string;
  /** The connector's name. */
  readonly name: string;
  /** Type name; null until it has been chosen. */
  readonly type: string | null;
  readonly status: SetupStatus;
  /** The connector that was made or, before, the one that waits for its credentials. */
  readonly connectorId: string | null;
  readonly error: string | null;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What a setup is made with. */
export interface NewSetup {
  readonly workspaceId: string;
  readonly clientId: string;
  readonly name: string;
  readonly type: string | null;
}

/** Setups: found by tenants by their id, and by whoever has the address by its token. */
export interface Setups {
  /** Ends older setups of the same name; one whose name a connector with credentials has is a `StateConflict`. */
  begin(scope: Scope, setup: NewSetup): { readonly row: SetupRow; readonly token: string };
  get(scope: Scope, id: string): SetupRow | undefined;
  withToken(token: string): SetupRow | undefined;
  /** What has been kept for the next step, while the setup is pending. */
  draft(id: string): string | undefined;
  /** Keeps it sealed, and says whether the setup is still pending. */
  keep(id: string, draft: string): boolean;
  /** Says of which type the connector will be, and begins again with that. */
  choose(id: string, type: string | null): boolean;
  /** Counts a try of credentials; one too many ends the setup. */
  count(id: string): boolean;
  /** Remembers the hashes of what an answer from the vendor's consent page has to bring, in place of those before. */
  expect(id: string, state: string, browser: string, lifetimeMs: number): boolean;
  /** The pending setup that expects this answer, which it then does no longer. */
  answered(state: string, browserOf: (id: string) => string | undefined): SetupRow | 'foreign' | undefined;
  /** Ends the setup well with the connector that `make` gives the id of; nothing is made where it is no longer pending. */
  finish(id: string, make: () => string): boolean;
  fail(id: string, error: string): void;
  /** Takes away drafts whose time is over, and setups that nobody asks about any more. */
  sweep(): void;
}

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
  readonly browser_hash: Uint8Array | null;
}

const lifetimeMs = 30 * 60_000;
/** How long it is remembered how a setup ended. */
const memoryMs = 7 * 24 * 60 * 60_000;
/** So often credentials can be tried in one setup. */
const mostTries = 20;

// Tokens are random and long, so a slow hash would only slow the service down.
const hashOf = (text: string) => createHash('sha256').update(text).digest();

const rows = `SELECT setups.*, workspaces.name AS workspace_name, organizations.name AS organization_name
  FROM setups JOIN workspaces ON workspaces.id = setups.workspace_id
  JOIN organizations ON organizations.id = setups.organization_id`;
const visible = 'setups.organization_id = ?1 AND (?2 IS NULL OR setups.workspace_id = ?2)';
const values = ({ organizationId, workspaceId }: Scope) => [organizationId, workspaceId ?? null] as const;
const forgotten = 'key_id = NULL, sealed = NULL, state_hash = NULL, browser_hash = NULL, asked_until = NULL';

/** Where a draft is sealed for. */
const placeOf = (id: string) => ({ owner: id, field: 'setup' });

/** The setups in the database; of a token it has the hash alone. */
export function openSetups(database: Database, sealing: Sealing, now: () => number): Setups {
  const pending = "status = 'pending' AND expires_at > ?";
  const read = (row: Columns): SetupRow => ({
    id: row.id,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    workspaceId: row.workspace_id,
    workspaceName: row.workspace_name,
    clientId: row.client_id,
    name: row.name,
    type: row.type,
    status: row.status === 'pending' && row.expires_at <= now() ? 'expired' : (row.status as SetupStatus),
    connectorId: row.connector_id,
    error: row.error,
    expiresAt: row.expires_at,
  });
  const one = (condition: string, ...given: (string | Uint8Array | null)[]): SetupRow | undefined => {
    const row = database.get<Columns>(`${rows} WHERE ${condition}`, ...given);
    return row && read(row);
  };
  const end = (condition: string, status: SetupStatus, error: string | null, ...given: (string | number)[]) =>
    database.run(
      `UPDATE setups SET status = ?, error = ?, ${forgotten} WHERE status = 'pending' AND ${condition}`,
      ...[status, error, ...given],
    );
  const sweep = () =>
    database.transaction(() => {
      end('expires_at <= ?', 'expired', null, now());
      database.run('DELETE FROM setups WHERE expires_at <= ?', now() - memoryMs);
    });

  return {
    begin: (scope, { workspaceId, clientId, name, type }) =>
      database.transaction(() => {
        sweep();
        const workspace = 'SELECT 1 FROM workspaces WHERE organization_id = ?1 AND (?2 IS NULL OR id = ?2) AND id = ?3';
        if (!database.get(workspace, ...values(scope), workspaceId)) {
          throw new StateConflict('The workspace does not exist any more.');
        }
        const existing = waiting(database, workspaceId, name, type);
        end('workspace_id = ? AND name = ?', 'failed', 'A newer setup has taken its place.', workspaceId, name);
        const id = `set_${randomText(22)}`;
        const token = randomBytes(32).toString('base64url');
        database.run(
          `INSERT INTO setups
             (id, token_hash, organization_id, workspace_id, client_id, name, type, status, connector_id, expires_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?)`,
          ...[id, hashOf(token), scope.organizationId, workspaceId, clientId, name],
          ...[existing?.type ?? type, existing?.id ?? null, now() + lifetimeMs],
        );
        return { row: one('setups.id = ?', id)!, token };
      }),
    get: (scope, id) => one(`${visible} AND setups.id = ?3`, ...values(scope), id),
    withToken: (token) => one('setups.token_hash = ?', hashOf(token)),
    draft(id) {
      const row = database.get<SealedColumns>(
        `SELECT key_id, sealed FROM setups WHERE id = ? AND ${pending}`,
        id,
        now(),
      );
      return row?.sealed ? sealing.open(placeOf(id), row) : undefined;
    },
    keep: (id, draft) =>
      database.transaction(() => {
        const { keyId, bytes } = sealing.seal(placeOf(id), draft);
        const changed = `UPDATE setups SET key_id = ?, sealed = ? WHERE id = ? AND ${pending}`;
        return database.run(changed, keyId, bytes, id, now()) > 0;
      }),
    choose: (id, type) =>
      database.run(`UPDATE setups SET type = ?, ${forgotten} WHERE id = ? AND ${pending}`, type, id, now()) > 0,
    count: (id) =>
      database.transaction(() => {
        const counted = `UPDATE setups SET tries = tries + 1 WHERE id = ? AND tries < ? AND ${pending}`;
        if (database.run(counted, id, mostTries, now()) > 0) return true;
        end('id = ?', 'failed', `Credentials were tried ${mostTries} times.`, id);
        return false;
      }),
    expect: (id, state, browser, forMs) =>
      database.run(
        `UPDATE setups SET state_hash = ?, browser_hash = ?, asked_until = ? WHERE id = ? AND ${pending}`,
        ...[hashOf(state), hashOf(browser), now() + forMs, id, now()],
      ) > 0,
    answered: (state, browserOf) =>
      database.transaction(() => {
        const row = database.get<Columns>(
          `${rows} WHERE setups.state_hash = ? AND setups.asked_until > ? AND ${pending}`,
          ...[hashOf(state), now(), now()],
        );
        if (!row) return undefined;
        const browser = browserOf(row.id);
        database.run(
          'UPDATE setups SET state_hash = NULL, browser_hash = NULL, asked_until = NULL WHERE id = ?',
          row.id,
        );
        const isSame = browser !== undefined && row.browser_hash !== null && hashOf(browser).equals(row.browser_hash);
        return isSame ? read(row) : 'foreign';
      }),
    finish: (id, make) =>
      database.transaction(() => {
        const done = `UPDATE setups SET status = 'done', ${forgotten} WHERE id = ? AND ${pending}`;
        if (database.run(done, id, now()) === 0) return false;
        database.run('UPDATE setups SET connector_id = ? WHERE id = ?', make(), id);
        return true;
      }),
    fail: (id, error) => void end('id = ?', 'failed', error, id),
    sweep,
  };
}

/** The connector of this name, if there is one that has no credentials yet. */
function waiting(database: Database, workspaceId: string, name: string, type: string | null) {
  const found = database.get<{ id: string; type: string; complete: number }>(
    `SELECT id, type, EXISTS (SELECT 1 FROM credentials WHERE connector_id = connectors.id) AS complete
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
export function resealSetups(database: Database, sealing: Sealing, newest: string, limit: number): number {
  const found = database.all<DraftColumns>(
    'SELECT id, key_id, sealed FROM setups WHERE key_id IS NOT NULL AND key_id <> ? LIMIT ?',
    newest,
    limit,
  );
  for (const row of found) {
    const { keyId, bytes } = sealing.seal(placeOf(row.id), sealing.open(placeOf(row.id), row));
    database.run('UPDATE setups SET key_id = ?, sealed = ? WHERE id = ?', keyId, bytes, row.id);
  }
  return found.length;
}
