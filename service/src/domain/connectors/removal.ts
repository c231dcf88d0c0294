import type { ConnectorRow, Scope } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { recordChange } from '../audit/record-audit.js';
import type { Instances } from './instances.js';

/** How long the vendor has to revoke a connector's tokens before the connector is deleted anyway, in milliseconds. */
const revokeTimeoutMs = 5_000;

/** Number of connectors revoked concurrently in a workspace. */
const concurrency = 20;

/** Dependencies of removal. */
export interface RemovalDependencies {
  readonly state: State;
  readonly instances: Instances;
  readonly report: (error: unknown) => void;
}

/** Revokes a connector's tokens at the vendor; null if it has none, false if revocation failed. */
async function revokeTokens(
  row: ConnectorRow,
  { state, instances, report }: RemovalDependencies,
): Promise<boolean | null> {
  if ((await state.credentials.load(row.id)) === undefined) return null;
  try {
    const timeout = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('The vendor did not revoke the tokens in time.')), revokeTimeoutMs).unref();
    });
    return await Promise.race([instances.revoke(row), timeout]);
  } catch (error) {
    // An unreachable vendor must not prevent the deletion of credentials.
    report(error);
    return false;
  }
}

/**
 * Deletes a connector and revokes its tokens; returns the result of the revocation. The connector's records are deleted
 * as orphans.
 */
export async function removeConnector(
  scope: Scope,
  row: ConnectorRow,
  dependencies: RemovalDependencies,
): Promise<boolean | null> {
  const tokensEnded = await revokeTokens(row, dependencies);
  const { state, instances } = dependencies;
  await state.connectors.delete(scope, row.id);
  recordChange(state.audit, { event: 'connector.deleted', ...scope, row });
  instances.drop(row.id);
  return tokensEnded;
}

/** Deletes all connectors of a workspace in the same way as `removeConnector`. */
export async function removeConnectors(
  scope: Scope,
  workspaceName: string,
  dependencies: RemovalDependencies,
): Promise<void> {
  for (;;) {
    const { rows } = await dependencies.state.connectors.list(scope, { workspaceName, limit: concurrency });
    if (rows.length === 0) return;
    await Promise.all(rows.map((row) => removeConnector(scope, row, dependencies)));
  }
}
