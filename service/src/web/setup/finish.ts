import { type ConnectorRow, StateConflict } from '../../data/state/rows.js';
import type { SetupRow } from '../../data/state/setups.js';
import { actingAs, actor, noteChange } from '../../domain/audit/deeds.js';
import type { ReplicationConfig } from '../../domain/connectors/replication.js';
import type { Connected } from './draft.js';
import type { SetupParts } from './parts.js';

/** What the connector is made with. */
export interface Finished {
  readonly type: string;
  readonly connected: Connected;
  readonly replicationConfig: ReplicationConfig;
  readonly settings: Readonly<Record<string, boolean>>;
}

/** Makes the connector, or gives the one that waits its credentials; false where the setup had ended meanwhile. */
export async function finish(
  parts: SetupParts,
  setup: SetupRow,
  finished: Finished,
  requestId: string,
): Promise<boolean> {
  const { state, setups, instances, engine } = parts;
  const scope = { organizationId: setup.organizationId, workspaceId: setup.workspaceId };
  const { type, connected, settings } = finished;
  const { credentials } = connected;
  const replicationConfig = Object.keys(finished.replicationConfig).length === 0 ? null : finished.replicationConfig;
  let row: ConnectorRow | undefined;
  let isNew = false;
  const made = async () => {
    const waiting = setup.connectorId === null ? undefined : await state.connectors.get(scope, setup.connectorId);
    if (waiting && (await state.credentials.load(waiting.id))) {
      throw new StateConflict(`The connector '${waiting.name}' was given credentials elsewhere meanwhile.`);
    }
    if (waiting) {
      row = await state.connectors.update(scope, waiting.id, { replicationConfig, settings, credentials });
      return waiting.id;
    }
    const { workspaceId, name } = setup;
    row = await state.connectors.create(scope, { workspaceId, name, type, replicationConfig, settings, credentials });
    isNew = true;
    return row.id;
  };
  if (!(await setups.finish(setup.id, made))) return false;
  // A person did it, on behalf of the program that began the setup.
  actingAs({ clientId: setup.clientId, via: 'setup', requestId, address: actor()?.address }, () =>
    noteChange(state.audit, { event: isNew ? 'connector.created' : 'credentials.changed', ...scope, row }),
  );
  if (setup.connectorId !== null) {
    instances.drop(setup.connectorId);
    await engine.changed(setup.connectorId);
  }
  engine.wake();
  return true;
}
