import { type ConnectorRow, StateConflict, tokenScopes } from '../../data/state/rows.js';
import type { SetupRow } from '../../data/state/setup-types.js';
import { currentActor, recordChange, runAs } from '../../domain/audit/record-audit.js';
import type { ReplicationConfig } from '../api/connector-input.js';
import type { SetupDependencies } from './dependencies.js';
import type { VerifiedConnection } from './draft.js';

/** Input for creating the connector. */
export interface SetupResult {
  readonly type: string;
  readonly connection: VerifiedConnection;
  readonly replicationConfig: ReplicationConfig;
  readonly settings: Readonly<Record<string, boolean>>;
}

/** How a setup ends. */
interface SetupEnd {
  readonly from: 'pending' | 'unconfirmed';
  readonly requestId: string;
  /** The browser that receives the result. */
  readonly browser?: string | undefined;
}

/**
 * Creates the connector, or stores credentials in the one waiting for them; false if the setup has ended in the
 * meantime.
 *
 * @throws `StateConflict` if the client that started it may no longer create connectors.
 */
export async function finish(
  dependencies: SetupDependencies,
  setup: SetupRow,
  result: SetupResult,
  { from, requestId, browser }: SetupEnd,
): Promise<boolean> {
  const { state, setups, instances, engine } = dependencies;
  const scope = { organizationId: setup.organizationId, workspaceId: setup.workspaceId };
  const { type, connection, settings } = result;
  const { credentials, identity } = connection;
  const account = identity.id ?? null;
  const client = await state.clients.get(setup.clientId);
  if (!client?.scopes.includes('manage') || !client.organizationIds.includes(setup.organizationId)) {
    throw new StateConflict("The client that started the setup no longer has the 'manage' scope.");
  }
  const replicationConfig = Object.keys(result.replicationConfig).length === 0 ? null : result.replicationConfig;
  let row: ConnectorRow | undefined;
  let isNew = false;
  const makeConnector = async () => {
    const pendingConnector =
      setup.connectorId === null ? undefined : await state.connectors.get(scope, setup.connectorId);
    const renews = setup.connect?.renews === true;
    if (renews && !pendingConnector) throw new StateConflict('The connector was deleted during setup.');
    if (pendingConnector && !renews && (await state.credentials.load(pendingConnector.id))) {
      throw new StateConflict(
        `The connector '${pendingConnector.name}' received credentials from another request during setup.`,
      );
    }
    if (pendingConnector) {
      const changes = { replicationConfig, settings, credentials, account };
      row = await state.connectors.update(scope, pendingConnector.id, changes);
      return pendingConnector.id;
    }
    const { workspaceId, name } = setup;
    const values = { workspaceId, name, type, replicationConfig, settings, credentials, account };
    row = await state.connectors.create(scope, values);
    isNew = true;
    return row.id;
  };
  const end = () => setups.finish(setup.id, from, makeConnector, browser);
  // Otherwise a running refresh would store the old tokens with the new credentials.
  const isDone = await (setup.connectorId === null ? end() : state.credentials.alone(setup.connectorId, end));
  if (!isDone) return false;
  // Done by a user on behalf of the client that started the setup.
  runAs(
    { clientId: setup.clientId, scopes: tokenScopes, via: 'setup', requestId, address: currentActor()?.address },
    () => recordChange(state.audit, { event: isNew ? 'connector.created' : 'credentials.changed', ...scope, row }),
  );
  // The setup has already tested the new credentials.
  const saved = row as ConnectorRow | undefined;
  if (saved?.health === 'needs_reauthorization') await state.webhooks.noteHealth(scope, saved.id, null);
  if (setup.connectorId !== null) {
    instances.drop(setup.connectorId);
    await engine.stopConnector(setup.connectorId);
  }
  engine.wake();
  return true;
}
