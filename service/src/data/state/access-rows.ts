import type { AccessCache } from './access-cache.js';
import type { Grants } from './oauth-types.js';
import type { Policies } from './policy-types.js';
import type { AccessRows, Clients, Connectors, Workspaces } from './types.js';

/** Where the rows come from. */
export interface AccessSources {
  readonly clients: Pick<Clients, 'get'>;
  readonly grants: Pick<Grants, 'use'>;
  readonly connectors: Pick<Connectors, 'get' | 'all'>;
  readonly policies: Pick<Policies, 'applicableTo' | 'list'>;
  readonly workspaces: Pick<Workspaces, 'find' | 'list'>;
}

/** How long a grant is used before its use is recorded again, in milliseconds. */
const grantUseMs = 60_000;

/** Reads the rows through the cache. */
export function openAccessRows(cache: AccessCache, sources: AccessSources, now: () => number): AccessRows {
  const { clients, grants, connectors, policies, workspaces } = sources;
  const use = async (organizationId: string, id: string) => {
    const usedAt = now();
    const grant = await grants.use(organizationId, id);
    return grant && { grant, usedAt };
  };
  return {
    revision: () => cache.revision(),
    client: (id) => cache.read(`client ${id}`, () => clients.get(id)),
    grant(organizationId, id) {
      const used = cache.read(
        `grant ${organizationId} ${id}`,
        () => use(organizationId, id),
        ({ grant, usedAt }) => now() < grant.expiresAt && Math.abs(now() - usedAt) < grantUseMs,
      );
      return used instanceof Promise ? used.then((loaded) => loaded?.grant) : used?.grant;
    },
    connector({ organizationId, workspaceId, connectorIds }, id) {
      if (connectorIds && !connectorIds.includes(id)) return undefined;
      // Per scope, so that a caller gets only what the database returned for the same scope.
      return cache.read(`connector ${organizationId} ${workspaceId ?? 'all'} ${id}`, () =>
        connectors.get({ organizationId, workspaceId }, id),
      );
    },
    workspace: (scope, name) =>
      cache.readList(`workspace ${JSON.stringify([scope, name])}`, async () => {
        const { organizationId } = scope;
        const workspace =
          name === undefined
            ? (await workspaces.list(scope, { limit: 1 })).rows[0]
            : await workspaces.find(scope, name);
        if (!workspace) return undefined;
        const rules = await policies.list({ organizationId, workspaceId: workspace.id });
        return { workspace, connectors: await connectors.all(scope, workspace.name), policies: JSON.stringify(rules) };
      }),
    policies: (row) => cache.read(`policies ${row.workspaceId} ${row.id}`, () => policies.applicableTo(row)),
  };
}
