import type { ToolConnector } from 'agent-connectors/tools';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { Services } from '../api/route.js';
import type { McpClient } from './callers.js';
import { connectorOf } from './row-connector.js';

/** Connectors and their rows, keyed by the names used in calls. */
export interface WorkspaceConnectors {
  readonly connectors: Readonly<Record<string, ToolConnector>>;
  readonly rows: ReadonlyMap<string, ConnectorRow>;
}

interface CachedConnector {
  readonly updatedAt: string;
  /** The workspace's policies as JSON. */
  readonly policies: string;
  readonly connector: ToolConnector;
}

interface CachedWorkspace {
  /** What the connectors were made from: the same list as long as nothing has changed. */
  readonly listed: readonly ConnectorRow[];
  readonly byId: ReadonlyMap<string, CachedConnector>;
  readonly named: WorkspaceConnectors;
}

/** Cache size; the least recently used workspace is evicted. */
const maxWorkspaces = 1_000;

/**
 * The current connectors of a workspace. A connector keeps its object while its row and the workspace's policies are
 * unchanged: a new object makes the MCP server drop files and completions that were kept for its callers.
 */
export function workspaceConnectors(services: Services): (client: McpClient) => WorkspaceConnectors {
  const cache = new Map<string, CachedWorkspace>();
  return ({ scope, workspace, connectors: listed, policies }) => {
    // A grant limited to some connectors has its own cache entry.
    const id = [workspace.id, ...(scope.connectorIds ?? [])].join(' ');
    const cached = cache.get(id);
    if (cached?.listed === listed) return cached.named;
    // Types from a newer version cannot be described, so they are not offered.
    const rows = listed.filter(({ type }) => services.definitions.names.includes(type));
    const byId = new Map(
      rows.map((row) => {
        const connector = findUnchanged(cached?.byId, row, policies)?.connector ?? connectorOf(row, services);
        return [row.id, { updatedAt: row.updatedAt, policies, connector }];
      }),
    );
    const named = nameConnectors(rows, byId);
    cache.delete(id);
    cache.set(id, { listed, byId, named });
    if (cache.size > maxWorkspaces) cache.delete(cache.keys().next().value!);
    return named;
  };
}

const findUnchanged = (
  cached: ReadonlyMap<string, CachedConnector> | undefined,
  row: ConnectorRow,
  policies: string,
): CachedConnector | undefined => {
  const found = cached?.get(row.id);
  return found?.updatedAt === row.updatedAt && found.policies === policies ? found : undefined;
};

function nameConnectors(
  rows: readonly ConnectorRow[],
  cached: ReadonlyMap<string, CachedConnector>,
): WorkspaceConnectors {
  const connectors = new Map<string, ToolConnector>();
  const named = new Map<string, ConnectorRow>();
  /** Counts name collisions, because thousands of connectors may have similar names. */
  const wanted = new Map<string, number>();
  for (const row of rows) {
    const name = freeName(slug(row.name), named, wanted);
    connectors.set(name, cached.get(row.id)!.connector);
    named.set(name, row);
  }
  // `Object.fromEntries` handles `__proto__` correctly, unlike assignment.
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
