import { type Database, eachWithinOrganization } from './database.js';
import type { Scope } from './rows.js';
import type { SealedColumns, Sealing } from './sealing.js';
import { firstSecret, nextSecret, validSecrets } from './signing-secrets.js';

/** Clients' settings for connect sessions, per organization. */
export interface ConnectClients {
  /** Origins that sessions may return to. */
  origins(scope: Scope, clientId: string): Promise<readonly string[]>;
  setOrigins(scope: Scope, clientId: string, origins: readonly string[]): Promise<void>;
  /** Keys that sign results, newest first; empty until the first is created. */
  keys(scope: Scope, clientId: string): Promise<readonly string[]>;
  /** Replaces the key; for `overlapMs`, results are also signed with the previous one. */
  rollKey(
    scope: Scope,
    clientId: string,
    overlapMs: number,
  ): Promise<{ readonly key: string; readonly previousUntil: number | null }>;
}

const prefix = 'acck_';

/** Seal context for a client's key. */
export const connectKeyContext = (row: { readonly organization_id: string; readonly client_id: string }) => ({
  organization: row.organization_id,
  owner: row.client_id,
  field: 'connect',
});

/** Clients' connect settings in the database. */
export function openConnectClients(database: Database, sealing: Sealing, now: () => number): ConnectClients {
  const { query } = database;
  const find = ({ organizationId }: Scope, clientId: string) =>
    query
      .selectFrom('connect_clients')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('client_id', '=', clientId);
  const textOf = async (row: Awaited<ReturnType<ReturnType<typeof find>['executeTakeFirst']>>) =>
    row?.key_id && row.sealed ? sealing.open(connectKeyContext(row), row as SealedColumns) : undefined;
  return eachWithinOrganization<ConnectClients>({
    async origins(scope, clientId) {
      const row = await find(scope, clientId).executeTakeFirst();
      return row ? JSON.parse(row.origins) : [];
    },
    async setOrigins({ organizationId }, clientId, origins) {
      const stored = { origins: JSON.stringify(origins) };
      await query
        .insertInto('connect_clients')
        .values({ organization_id: organizationId, client_id: clientId, ...stored })
        .onConflict((conflict) => conflict.columns(['organization_id', 'client_id']).doUpdateSet(stored))
        .execute();
    },
    async keys(scope, clientId) {
      const text = await textOf(await find(scope, clientId).executeTakeFirst());
      return text === undefined ? [] : validSecrets(text, now());
    },
    rollKey: (scope, clientId, overlapMs) =>
      database.transaction(async () => {
        await database.lock(`connect:${clientId}`);
        const context = { organization_id: scope.organizationId, client_id: clientId };
        const before = await textOf(await find(scope, clientId).executeTakeFirst());
        const made =
          before === undefined
            ? { ...firstSecret(prefix), previousUntil: null }
            : nextSecret(prefix, before, overlapMs, now());
        const { keyId, bytes } = await sealing.seal(connectKeyContext(context), made.text);
        const stored = { key_id: keyId, sealed: bytes };
        await query
          .insertInto('connect_clients')
          .values({ ...context, origins: '[]', ...stored })
          .onConflict((conflict) => conflict.columns(['organization_id', 'client_id']).doUpdateSet(stored))
          .execute();
        return { key: made.secret, previousUntil: made.previousUntil };
      }),
  });
}
