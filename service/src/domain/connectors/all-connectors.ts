import type { ConnectorRow, Scope } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';

const pageSize = 500;

/** All connectors of a workspace that the scope includes, oldest first. */
export async function allConnectors(
  { connectors }: Pick<State, 'connectors'>,
  scope: Scope,
  workspaceName: string,
): Promise<ConnectorRow[]> {
  const all: ConnectorRow[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await connectors.list(scope, { workspaceName, limit: pageSize, ...(cursor && { cursor }) });
    all.push(...page.rows);
    cursor = page.next;
  } while (cursor);
  return all;
}
