// #region follow
import { AgentConnectors } from 'agent-connectors/hosted';

// Base URL, client id and client secret come from the environment.
const service = new AgentConnectors();

/** Brings a copy of a connector's issues up to date. Store the result together with the copy, for the next run. */
export async function follow(copy: Map<string, unknown>, connectorId: string, cursor?: string) {
  let position = cursor;
  for await (const { data, meta } of service.connectors.changes(connectorId, { entity: 'issues', cursor })) {
    for (const { change, id, record } of data) {
      if (change === 'deleted') copy.delete(id);
      else copy.set(id, record);
    }
    // In a database, store the changes of a page and its cursor in one transaction.
    position = meta.cursor ?? position;
  }
  return position;
}
// #endregion
