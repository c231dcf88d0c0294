import type { Scope, Workspace } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { requireTokenScope } from '../../domain/connectors/gate.js';
import { notFoundError } from '../../domain/http-error.js';
import { requireScope } from '../api/handle-request.js';
import type { Caller, Services } from '../api/route.js';

/** The caller and its workspace. */
export interface McpClient {
  readonly caller: Caller;
  readonly scope: Scope;
  readonly workspace: Workspace;
}

/** Receives the caller as soon as it is known so that a rejection can be logged with it. */
export type OnIdentified = (caller: Caller, scope: Scope | undefined) => Promise<void>;

const defaultWorkspace = 'default';

/**
 * Identifies who shares sessions, cached completions, handles of truncated results and downloaded files: tokens of one grant, or of
 * one client and workspace, that are bound to the same user with the same groups.
 */
export function principalOf({ caller: { asUser, client, grantId }, workspace }: McpClient): string {
  const person = asUser && [asUser.email, ...[...new Set(asUser.groups)].sort()];
  return JSON.stringify([grantId ?? [client.id, workspace.id], person]);
}

/** Authenticates like every other route; the workspace comes from a scoped token or a header. */
export async function clientOf(
  { headers }: Request,
  { authenticate, state }: Services,
  onIdentified: OnIdentified,
): Promise<McpClient> {
  const caller = await authenticate(headers, 'mcp');
  await onIdentified(caller, caller.scope);
  const scope = await requireScope(caller, state);
  await onIdentified(caller, scope);
  requireTokenScope(caller.scopes, 'read');
  return { caller, scope, workspace: await requireWorkspace(headers.get('x-workspace'), scope, state) };
}

async function requireWorkspace(requestedName: string | null, scope: Scope, { workspaces }: State): Promise<Workspace> {
  const isTokenWorkspace = requestedName === null && scope.workspaceId !== undefined;
  const found = isTokenWorkspace
    ? (await workspaces.list(scope, { limit: 1 })).rows[0]
    : await workspaces.find(scope, requestedName ?? defaultWorkspace);
  if (found) return found;
  throw notFoundError(
    isTokenWorkspace ? 'workspace for this token' : `workspace '${(requestedName ?? defaultWorkspace).slice(0, 100)}'`,
  );
}
