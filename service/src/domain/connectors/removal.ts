import type { ConnectorRow, Scope } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { recordChange } from '../audit/record-audit.js';
import type { Instances } from './instances.js';

/** Milliseconds that the vendor has to end a connector's tokens before it is deleted all the same. */
const revokeTimeoutMs = 5_000;

/** Connectors of a workspace whose tokens are ended at once. */
const concurrency = 20;

/** What connectors are removed with. */
export interface RemovalDependencies {
  readonly state: State;
  readonly instances: Instances;
  readonly report: (error: unknown) => void;
}

/** Ends a connector's tokens at the vendor; null where it has none, false where the vendor does not end them. */
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
    // A vendor that cannot be reached must not keep credentials here.
    report(error);
    return false;
  }
}

/** Deletes a connector and ends its tokens; resolves to what became of them. Records are removed as orphans. */
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

/** Deletes all connectors of a workspace, as `removeConnector` does. */
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
