import type { ToolConnector } from 'agent-connectors/tools';
import type { ConnectorRow, Scope, Workspace } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import type { Services } from '../api/route.js';
import { connectorOf } from './row-connector.js';

/** Connectors by the names that calls use, and the rows that they are. */
export interface WorkspaceConnectors {
  readonly connectors: Readonly<Record<string, ToolConnector>>;
  readonly rows: ReadonlyMap<string, ConnectorRow>;
}

interface CachedConnector {
  readonly updatedAt: string;
  readonly connector: ToolConnector;
}

/** The workspace used longest ago is forgotten when there are more. */
const maxWorkspaces = 1_000;

const pageSize = 500;

/** Gives the connectors of a workspace as they are now; one whose row is unchanged is the same object as before. */
export function workspaceConnectors(
  services: Services,
): (scope: Scope, workspace: Workspace) => Promise<WorkspaceConnectors> {
  const cache = new Map<string, ReadonlyMap<string, CachedConnector>>();
  return async (scope, { id: workspaceId, name }) => {
    // A grant for some connectors has objects of its own, which that for others does not replace.
    const id = [workspaceId, ...(scope.connectorIds ?? [])].join(' ');
    // A type that only a newer version knows cannot be described, and so not offered.
    const rows = (await rowsOf(services.state, scope, name)).filter(({ type }) =>
      services.definitions.names.includes(type),
    );
    const newEntries = await Promise.all(
      rows
        .filter((row) => !findUnchanged(cache.get(id), row))
        .map(async (row) => [row.id, await connectorOf(row, services)] as const),
    );
    const created = new Map(newEntries);
    // Another request may have made some of them meanwhile, which are then the ones to keep.
    const cached = cache.get(id);
    const all = new Map<string, CachedConnector>();
    for (const row of rows) {
      const connector = findUnchanged(cached, row)?.connector ?? created.get(row.id);
      if (connector) all.set(row.id, { updatedAt: row.updatedAt, connector });
    }
    cache.delete(id);
    cache.set(id, all);
    if (cache.size > maxWorkspaces) cache.delete(cache.keys().next().value!);
    return nameConnectors(rows, all);
  };
}

const findUnchanged = (
  cached: ReadonlyMap<string, CachedConnector> | undefined,
  row: ConnectorRow,
): CachedConnector | undefined => {
  const found = cached?.get(row.id);
  return found?.updatedAt === row.updatedAt ? found : undefined;
};

async function rowsOf({ connectors }: State, scope: Scope, workspaceName: string): Promise<ConnectorRow[]> {
  const all: ConnectorRow[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await connectors.list(scope, { workspaceName, limit: pageSize, ...(cursor && { cursor }) });
    all.push(...page.rows);
    cursor = page.next;
  } while (cursor);
  return all;
}

function nameConnectors(
  rows: readonly ConnectorRow[],
  cached: ReadonlyMap<string, CachedConnector>,
): WorkspaceConnectors {
  const connectors = new Map<string, ToolConnector>();
  const named = new Map<string, ConnectorRow>();
  /** How often each name was wanted: thousands of connectors may have names that read alike. */
  const wanted = new Map<string, number>();
  for (const row of rows) {
    const connector = cached.get(row.id)?.connector;
    if (!connector) continue;
    const name = freeName(slug(row.name), named, wanted);
    connectors.set(name, connector);
    named.set(name, row);
  }
  // Not by assignment, to which `__proto__` would be no name.
  return { connectors: Object.fromEntries(connectors), rows: named };
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\w]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 56) || 'connector';

function freeName(name: string, taken: ReadonlyMap<string, unknown>, wanted: Map<string, number>): string {
  let number = wanted.get(name) ?? 0;
  let free: string;
  do {
    number += 1;
    free = number === 1 ? name : `${name}-${number}`;
  } while (taken.has(free));
  wanted.set(name, number);
  return free;
}
